/* script.c - a finding as a Python script over the library's own package and numpy: both sides, printed one below the
 * other. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "methods/equiv/equiv.h"

#define MAX_SCRIPT ((size_t)4 << 20)

static const struct script_language {
	const char *library, *imports, *tensor; /* tensor: what makes one of a numpy array */
	struct expr_python python;
	int says_dtype; /* it makes float32 of any array unless it is told */
} languages[] = {
	{"torch", "import torch\n", "torch.from_numpy", {"torch.ops.aten.", "torch.", "aten::"}, 0},
	{"tf", "import tensorflow as tf\n", "tf.constant", {"tf.raw_ops.", "tf.", ""}, 0},
	{"mxnet", "import mxnet as mx\n", "mx.nd.array", {"mx.nd.", "np.", ""}, 1},
};

static void put_number(struct buf *out, double x)
{
	if (x == 0)
		buf_puts(out, signbit(x) ? "-0.0" : "0.0"); /* an integer 0 has no sign */
	else if (isfinite(x))
		buf_printf(out, "%.17g", x);
	else
		buf_puts(out, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void put_array(struct buf *out, const struct script_language *l, const char *name, const struct tensor *t)
{
	char dims[256];

	buf_printf(out, "%s = %s(np.array([", name, l->tensor);
	for (size_t i = 0; i < t->count; i++) {
		buf_puts(out, i ? ", " : "");
		put_number(out, tensor_get(t, i));
	}
	tensor_dims_text(t->rank, t->dims, dims, sizeof dims);
	buf_printf(out, "]).astype('%s').reshape([%s])", dtype_name(t->dtype), dims);
	if (l->says_dtype)
		buf_printf(out, ", dtype='%s'", dtype_name(t->dtype));
	buf_puts(out, ")\n");
}

static void put_side(struct buf *out, const struct script_language *l, char side, const struct expr *x,
		     const struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct tensor *t = b->at[i].tensor ? b->at[i].tensor->tensor : NULL;

		if (t)
			put_array(out, l, b->at[i].name, t);
		else
			buf_printf(out, "%s = %" PRId64 "\n", b->at[i].name, b->at[i].i);
	}
	buf_printf(out, "%c = ", side);
	expr_print_python(x, &l->python, out);
	buf_printf(out, "\nprint(%c)\n", side);
}

char *equiv_script(const char *library, const struct equiv_input *in)
{
	char *text = NULL;
	struct buf out;

	for (size_t i = 0; i < sizeof languages / sizeof *languages && !text; i++) {
		const struct script_language *l = &languages[i];

		if (strcmp(l->library, library) != 0)
			continue;
		buf_init(&out, MAX_SCRIPT);
		buf_printf(&out, "import numpy as np\n%snan, inf = float('nan'), float('inf')\n", l->imports);
		buf_printf(&out,
			   "\n\ndef tensor(dtype, dims, values):\n"
			   "    name = getattr(dtype, '__name__', None) or getattr(dtype, 'name', str(dtype))\n"
			   "    values = np.array(values if len(values) > 1 else values * int(np.prod(dims)))\n"
			   "    return %s(values.astype(name.split('.')[-1]).reshape(dims))\n\n\n",
			   l->tensor);
		put_side(&out, l, 'a', in->a, &in->in_a);
		put_side(&out, l, 'b', in->b, &in->in_b);
		text = out.failed ? NULL : mem_strdup(out.data);
		buf_release(&out);
	}
	return text;
}
