/* script.c - a finding as a Python script over the library's own package and numpy: both sides, each in a process of
 * its own.  The build makes texts of script.py and of each library's part (libraries/equiv). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "methods/equiv/derive.h"
#include "methods/equiv/equiv.h"

#define MAX_SCRIPT ((size_t)4 << 20)

extern const char equiv_main[]; /* script.py */

/* What is put into it. */
struct script {
	const struct registry *registry;
	const char *title;
	const struct equiv_pair *pair;
	const struct equiv_input *in;
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

static void put_element(struct buf *out, const struct tensor *t, size_t i)
{
	double both[2];
	int64_t whole;

	switch (dtype_wide(t->dtype)) {
	case WIDE_I64: /* beyond 2^53 a double has not all digits */
		dtype_unpack(t->dtype, t->data, i, 1, &whole);
		buf_printf(out, t->dtype == DT_UINT64 ? "%" PRIu64 : "%" PRId64, whole);
		break;
	case WIDE_C64:
		dtype_unpack(t->dtype, t->data, i, 1, both);
		buf_puts(out, "complex(");
		put_number(out, both[0]);
		buf_puts(out, ", ");
		put_number(out, both[1]);
		buf_puts(out, ")");
		break;
	default:
		put_number(out, tensor_get(t, i));
	}
}

static void put_array(struct buf *out, const struct tensor *t)
{
	char dims[256];

	tensor_dims_text(t->rank, t->dims, dims, sizeof dims);
	buf_printf(out, "array(\"%s\", [%s], [", dtype_name(t->dtype), dims);
	for (size_t i = 0; i < t->count; i++) {
		buf_puts(out, i ? ", " : "");
		put_element(out, t, i);
	}
	buf_puts(out, "])");
}

/* The integers by name, then run(), or what is derived, of a function of the tensors. */
static void put_side(struct buf *out, char side, const struct expr *x, const struct bindings *b)
{
	int first = 1;

	for (size_t i = 0; i < b->n; i++)
		if (!b->at[i].tensor)
			buf_printf(out, "    %s = %" PRId64 "\n", b->at[i].name, b->at[i].i);
	buf_puts(out, "    tensors = [");
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].tensor) {
			buf_puts(out, first ? "" : ",\n               ");
			put_array(out, b->at[i].tensor->tensor);
			first = 0;
		}
	if (derive_find(x->text) && strcmp(x->text, DERIVE_WEIGHED) != 0)
		buf_printf(out, "]\n    return %s(l, lambda", x->text);
	else /* an option set gets the number of the heads as well */
		buf_printf(out, "]\n    return l[\"run\"](SETS[\"%c\"], lambda", side);
	first = 1;
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].tensor) {
			buf_printf(out, "%s%s", first ? " " : ", ", b->at[i].name);
			first = 0;
		}
	buf_puts(out, ": ");
	expr_print_python(derive_find(x->text) ? x->items[0] : x, out);
	buf_puts(out, ", tensors");
	if (derive_find(x->text) && derive_heads(x, b))
		buf_printf(out, ", %" PRIu32, derive_heads(x, b));
	buf_puts(out, ")\n");
}

/* A part, each line indented: it stands inside a function. */
static void put_part(struct buf *out, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		buf_puts(out, n ? "    " : "");
		buf_add(out, text, n);
		buf_puts(out, "\n");
		text += n + (text[n] == '\n');
	}
}

/* Optimizers that an option set may name, where it stands for all others. */
static void put_optimizers(struct buf *out, const struct library *l)
{
	const struct library_switch *s = l->switches;

	while (s && s->setting && !s->passes)
		s++;
	if (!s || !s->setting)
		return;
	buf_puts(out, "    optimizers = \"\"\"");
	for (size_t i = 0; s->passes->names[i]; i++)
		buf_printf(out, "%s%s", i % 4 ? " " : "\n        ", s->passes->names[i]);
	buf_puts(out, "\"\"\".split()\n");
}

/* "NAME": "VALUE" for each variable that an option set sets. */
static void put_environment(struct buf *out, const char *backend, const char *set)
{
	const struct spec_option_set *o = set ? spec_find_set(backend, set, strlen(set)) : NULL;
	const char *at;

	for (at = o ? o->environment : ""; *at; at += strspn(at, " ")) {
		size_t name = strcspn(at, "="), all = strcspn(at, " ");

		buf_printf(out, "%s\"%.*s\": \"%.*s\"", at == o->environment ? "" : ", ", (int)name, at,
			   (int)(all - name - 1), at + name + 1);
		at += all;
	}
}

/* That the backend runs on, where it is not the usual one. */
static void put_device(struct buf *out, const char *backend)
{
	const struct spec_backend *b = spec_find(backend);
	const char *at = b ? strstr(b->options, "device=") : NULL;

	at = at ? at + strlen("device=") : "";
	buf_add(out, at, strcspn(at, " "));
}

/* What is put for @KEY@. */
static void put_key(struct buf *out, const char *key, size_t n, const struct script *s)
{
	const struct library_script *l = &s->registry->library->script;
	const char *backend = s->registry->backend, *const *sets = s->pair->sets;

#define IS(word) (n == sizeof word - 1 && !strncmp(key, word, n))
	if (IS("TITLE"))
		buf_puts(out, s->title);
	else if (IS("PACKAGE"))
		buf_puts(out, l->package);
	else if (IS("SET_A") || IS("SET_B"))
		buf_puts(out, sets[IS("SET_B")] ? sets[IS("SET_B")] : "");
	else if (IS("ENVIRONMENT_A") || IS("ENVIRONMENT_B"))
		put_environment(out, backend, sets[IS("ENVIRONMENT_B")]);
	else if (IS("DEVICE"))
		put_device(out, backend);
	else if (IS("ATOL") || IS("RTOL"))
		buf_printf(out, "%g", IS("ATOL") ? EQUIV_ATOL : EQUIV_RTOL);
	else if (IS("LIBRARY"))
		put_part(out, l->before), put_part(out, l->text), put_optimizers(out, s->registry->library);
	else if (IS("SIDE_A"))
		put_side(out, 'a', s->in->a, &s->in->in_a);
	else if (IS("SIDE_B"))
		put_side(out, 'b', s->in->b, &s->in->in_b);
#undef IS
}

char *equiv_script(const struct registry *r, const char *title, const struct equiv_pair *p,
		   const struct equiv_input *in)
{
	const struct script s = {r, title, p, in};
	const char *at = equiv_main;
	char *text = NULL;
	struct buf out;

	if (!r->library || !r->library->script.text || (p->sets[1] && strchr(p->sets[1], '@')))
		return NULL; /* one Python has one version */
	buf_init(&out, MAX_SCRIPT);
	while (*at) {
		size_t n = strcspn(at, "@");
		const char *end = at[n] ? strchr(at + n + 1, '@') : NULL;

		buf_add(&out, at, n);
		if (!end)
			break;
		put_key(&out, at + n + 1, (size_t)(end - at) - n - 1, &s);
		at = end + 1;
	}
	text = out.failed ? NULL : mem_strdup(out.data);
	buf_release(&out);
	return text;
}
