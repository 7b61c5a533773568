/* tf_invoke.c - one operation of TensorFlow by its own name, with its own attributes; see tf_native.h. */
#include <string.h>

#include "backends/tf/tf_native.h"
#include "base/mem.h"

static const struct backend_argument *find_argument(const struct backend_argument *args, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(args[i].name, name))
			return &args[i];
	return NULL;
}

static struct tf_value *value_of(struct tf *t, const struct value *v, const char *name, struct err *e)
{
	if (v && v->kind == VALUE_TENSOR)
		return tf_value_from_tensor(t, v->tensor, e);
	err_set(e, ERR_UNSUPPORTED, "argument '%s' is not a tensor", name);
	return NULL;
}

/* Inputs go in the order of the definition. */
static void add_input(struct tf_op *op, const struct backend_argument *a, int is_list)
{
	struct tf_value **list;
	size_t n = a->kind == ARG_TENSORS ? a->n : 1;

	list = arena_array(op->c->tmp, n + 1, sizeof *list);
	if (!list) {
		err_nomem(op->c->err, "inputs", n * sizeof *list);
		return;
	}
	for (size_t i = 0; i < n && !tf_failed(op->c); i++)
		list[i] = value_of(op->t, a->kind == ARG_TENSORS ? a->tensors[i] : a->tensor, a->name, op->c->err);
	if (is_list)
		tf_op_in_list(op, list, (int)n);
	else
		tf_op_in(op, list[0]);
}

static void add_strings(struct tf_op *op, const struct backend_argument *a)
{
	size_t *lengths = arena_array(op->c->tmp, a->n + 1, sizeof *lengths);

	if (!lengths) {
		err_nomem(op->c->err, "strings", a->n * sizeof *lengths);
		return;
	}
	for (size_t i = 0; i < a->n; i++)
		lengths[i] = strlen(a->strings[i]);
	op->t->api.TFE_OpSetAttrStringList(op->eager, a->name, (const void *const *)a->strings, lengths, (int)a->n);
}

static void add_floats(struct tf_op *op, const struct backend_argument *a)
{
	float *x = arena_array(op->c->tmp, a->n + 1, sizeof *x);

	if (!x) {
		err_nomem(op->c->err, "numbers", a->n * sizeof *x);
		return;
	}
	for (size_t i = 0; i < a->n; i++)
		x[i] = (float)a->floats[i];
	op->t->api.TFE_OpSetAttrFloatList(op->eager, a->name, x, (int)a->n);
}

static void add_attribute(struct tf_op *op, const struct backend_argument *a)
{
	switch (a->kind) {
	case ARG_INT:
		tf_op_int(op, a->name, a->i);
		break;
	case ARG_FLOAT:
		tf_op_float(op, a->name, a->f);
		break;
	case ARG_STRING:
		tf_op_string(op, a->name, a->s);
		break;
	case ARG_BOOL:
		tf_op_bool(op, a->name, a->i != 0);
		break;
	case ARG_DTYPE:
		tf_op_type(op, a->name, dtype_from_code(a->i));
		break;
	case ARG_INTS:
		tf_op_ints(op, a->name, a->ints, (int)a->n);
		break;
	case ARG_FLOATS:
		add_floats(op, a);
		break;
	case ARG_STRINGS:
		add_strings(op, a);
		break;
	default:
		err_set(op->c->err, ERR_INPUT, "operation '%s' has no input '%s'", op->name, a->name);
	}
}

static int is_input(const struct tf_definition *d, const char *name)
{
	for (size_t i = 0; i < d->n_inputs; i++)
		if (!strcmp(d->inputs[i], name))
			return 1;
	return 0;
}

/* Runs the built operation; all its outputs become tensors. */
static int execute(struct tf_op *op, struct value **out, size_t *n, struct err *e)
{
	struct TFE_TensorHandle *h[TF_MAX_OUTPUTS] = {0};
	struct tf *t = op->t;
	int got = TF_MAX_OUTPUTS, rc;

	t->api.TFE_Execute(op->eager, h, &got, t->status);
	rc = tf_check(t, op->name, e);
	for (int i = 0; i < got && !rc; i++) {
		struct tf_value *v = tf_value_from_handle(t, h[i], e);
		struct tensor *packed = NULL;

		h[i] = NULL;
		rc = v ? tf_value_to_tensor(t, v, &packed, e) : e->code;
		if (!rc && !(out[*n] = value_tensor(packed, e)))
			rc = e->code;
		*n += !rc;
	}
	for (int i = 0; i < got; i++)
		if (h[i])
			t->api.TFE_DeleteTensorHandle(h[i]);
	while (rc && *n)
		value_unref(out[--*n]);
	return rc;
}

static int invoke(struct bind_call *c, const char *operation, const struct backend_argument *args, size_t n_args,
		  struct value **out, size_t *n_out)
{
	struct tf_definition d = {0};
	struct tf_op op;
	int rc = tf_definition(tf_of(c), operation, c->tmp, &d, c->err);

	if (rc)
		return rc;
	op = tf_op(c, operation);
	for (size_t i = 0; i < d.n_inputs && !tf_failed(c); i++) {
		const struct backend_argument *a = find_argument(args, n_args, d.inputs[i]);

		if (a)
			add_input(&op, a, d.is_list[i]);
		else
			err_set(c->err, ERR_INPUT, "operation '%s' needs an input '%s'", operation, d.inputs[i]);
	}
	for (size_t i = 0; i < n_args && !tf_failed(c); i++)
		if (!is_input(&d, args[i].name))
			add_attribute(&op, &args[i]);
	if (!tf_failed(c))
		execute(&op, out, n_out, c->err);
	if (op.eager)
		op.t->api.TFE_DeleteOp(op.eager);
	return c->err->code;
}

int tf_native_invoke(void *ctx, const char *operation, const struct backend_argument *args, size_t n_args, int gradient,
		     struct value ***out, size_t *n_out, struct tensor ***grads, size_t *n_grads, struct err *e)
{
	struct tf *t = ctx;
	struct arena tmp = ARENA_INIT;
	struct bind_call c = {.ctx = t, .tmp = &tmp, .err = e};
	struct value **values = mem_array(TF_MAX_OUTPUTS, sizeof *values);
	size_t n = 0;
	int rc;

	if (!values)
		return err_nomem(e, "outputs", 0);
	err_clear(e);
	t->in_call = 1;
	rc = gradient ? err_set(e, ERR_UNSUPPORTED, "gradients of single operations of tensorflow are not bound")
		      : invoke(&c, operation, args, n_args, values, &n);
	t->in_call = 0;
	while (t->temps.n)
		tf_value_release(t, t->temps.at[--t->temps.n]);
	arena_release(&tmp);
	if (rc) {
		mem_free(values);
		return rc;
	}
	*out = values;
	*n_out = n;
	*grads = NULL;
	*n_grads = 0;
	return 0;
}
