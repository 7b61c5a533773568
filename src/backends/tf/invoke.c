/* invoke.c - one operation of TensorFlow by its own name, with its own attributes; see native.h. */
#include <string.h>

#include "backends/tf/native.h"
#include "base/mem.h"

static const struct backend_argument *find_argument(const struct backend_call *c, const char *name)
{
	for (size_t i = 0; i < c->n_args; i++)
		if (!strcmp(c->args[i].name, name))
			return &c->args[i];
	return NULL;
}

static struct tf_value *value_of(struct tf *t, const struct value *v, const char *name, struct err *e)
{
	if (v && v->kind == VALUE_TENSOR)
		return tf_value_from_tensor(t, v->tensor, e);
	err_set(e, ERR_UNSUPPORTED, "argument '%s' is not a tensor", name);
	return NULL;
}

static size_t count_of(const struct backend_argument *a)
{
	return a->kind == ARG_TENSORS ? a->n : 1;
}

int tf_native_gather(struct tf_native *k, int as_inputs)
{
	struct bind_call *c = k->c;
	struct tf *t = tf_of(c);

	k->n_tensors = 0;
	if (tf_definition(t, k->asked->operation, &k->definition, c->err))
		return c->err->code;
	for (size_t i = 0; i < k->definition->n_inputs && !tf_failed(c); i++) {
		const struct backend_argument *a = find_argument(k->asked, k->definition->inputs[i]);

		if (!a)
			return err_set(c->err, ERR_INPUT, "operation '%s' needs an input '%s'", k->asked->operation,
				       k->definition->inputs[i]);
		if (count_of(a) > TF_MAX_OUTPUTS - k->n_tensors)
			return bind_unsupported(c, "more than %d tensors", TF_MAX_OUTPUTS);
		for (size_t j = 0; j < count_of(a) && !tf_failed(c); j++) {
			struct tf_value *v =
				value_of(t, a->kind == ARG_TENSORS ? a->tensors[j] : a->tensor, a->name, c->err);

			if (v)
				v->is_input = as_inputs;
			k->tensors[k->n_tensors++] = v;
		}
	}
	return c->err->code;
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
	if (op->graph)
		op->t->api.TF_SetAttrStringList(op->graph, a->name, (const void *const *)a->strings, lengths,
						(int)a->n);
	else
		op->t->api.TFE_OpSetAttrStringList(op->eager, a->name, (const void *const *)a->strings, lengths,
						   (int)a->n);
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
	if (op->graph)
		op->t->api.TF_SetAttrFloatList(op->graph, a->name, x, (int)a->n);
	else
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

int tf_native_execute(struct tf_op *op, struct value **out, size_t *n, struct err *e)
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

struct tf_op tf_native_prepare(struct tf_native *k)
{
	struct bind_call *c = k->c;
	const struct tf_definition *d = k->definition;
	struct tf_op op = tf_op(c, k->asked->operation);
	size_t at = 0;

	for (size_t i = 0; i < d->n_inputs && !tf_failed(c); i++) {
		const struct backend_argument *a = find_argument(k->asked, d->inputs[i]);

		if (d->is_list[i])
			tf_op_in_list(&op, k->tensors + at, (int)count_of(a));
		else
			tf_op_in(&op, k->tensors[at]);
		at += count_of(a);
	}
	for (size_t i = 0; i < k->asked->n_args && !tf_failed(c); i++)
		if (!is_input(d, k->asked->args[i].name))
			add_attribute(&op, &k->asked->args[i]);
	return op;
}

/* The Python package always runs an operation as a function of it alone, which oneDNN's kernels may enter. */
static void run_as_python(struct tf *t, struct err *e)
{
	if (t->as_python || !t->api.TFE_ContextSetRunEagerOpAsFunction)
		return;
	t->api.TFE_ContextSetRunEagerOpAsFunction(t->eager, 1, t->status);
	t->as_python = !tf_check(t, "configure", e);
}

static int forward(struct tf_native *k, struct value **out, size_t *n_out)
{
	struct tf_op op = {0};

	if (tf_of(k->c)->mode != TF_EAGER)
		return tf_single_run(k, out, n_out);
	run_as_python(tf_of(k->c), k->c->err);
	if (!tf_native_gather(k, 0))
		op = tf_native_prepare(k);
	if (!tf_failed(k->c))
		tf_native_execute(&op, out, n_out, k->c->err);
	if (op.eager)
		op.t->api.TFE_DeleteOp(op.eager);
	return k->c->err->code;
}

/* An output that is derived, with its heads; `value` is what it is. */
static void add_derived(struct tf_native *k, struct tf_derived *to, struct TF_Output y, const struct value *value)
{
	const struct tensor *like = value->tensor;
	struct err *e = k->c->err;
	struct tensor *heads = backend_heads(k->asked->heads, like->dtype, like->rank, like->dims, e);
	struct tf_value *given = heads ? tf_value_from_tensor(tf_of(k->c), heads, e) : NULL;

	tensor_unref(heads);
	if (!given || tf_value_output(tf_of(k->c), given, &to->dy[to->n], e))
		return;
	to->y[to->n++] = y;
}

/* Adds the operation to t->graph and derives its float outputs by its float inputs; those that they do not depend on,
 * and whole numbers, get zeros.  `values`: the outputs. */
static int derive(struct tf_native *k, struct value *const *values, size_t n_values, struct tensor **grads)
{
	struct tf *t = tf_of(k->c);
	struct err *e = k->c->err;
	struct TF_Output x[TF_MAX_OUTPUTS];
	struct tf_derived of = {.n = 0};
	struct tensor *got[TF_MAX_OUTPUTS] = {NULL};
	struct tf_op op = tf_native_gather(k, 0) ? (struct tf_op){0} : tf_native_prepare(k);
	struct TF_Operation *done = op.graph ? t->api.TF_FinishOperation(op.graph, t->status) : NULL;
	size_t n_x = 0, at = 0;

	if (!tf_failed(k->c))
		tf_check(t, k->asked->operation, e);
	for (int i = 0; !tf_failed(k->c) && i < t->api.TF_OperationNumOutputs(done) && (size_t)i < n_values; i++) {
		struct TF_Output o = {done, i};

		if (dtype_is_float(tf_type_from_code(t->api.TF_OperationOutputType(o))))
			add_derived(k, &of, o, values[i]);
	}
	for (size_t i = 0; !tf_failed(k->c) && i < k->n_tensors; i++)
		if (dtype_is_float(k->tensors[i]->dtype))
			tf_value_output(t, k->tensors[i], &x[n_x++], e);
	if (!tf_failed(k->c) && n_x && of.n)
		tf_graph_derive(t, &of, x, n_x, got, e);
	for (size_t i = 0; i < k->n_tensors && !tf_failed(k->c); i++) {
		struct tf_value *v = k->tensors[i];
		struct tensor *zero;

		grads[i] = dtype_is_float(v->dtype) ? got[at++] : NULL;
		if (grads[i])
			continue;
		zero = tensor_zeros(v->dtype, v->rank, v->dims, e);
		grads[i] = zero ? tensor_pack(zero, e) : NULL;
		tensor_unref(zero);
	}
	return e->code;
}

static int gradients(struct tf_native *k, struct value *const *values, size_t n, struct tensor **grads)
{
	struct tf *t = tf_of(k->c);
	int rc;

	t->graph = t->api.TF_NewGraph();
	t->generation = ++t->generations;
	rc = derive(k, values, n, grads);
	t->api.TF_DeleteGraph(t->graph);
	t->graph = NULL;
	return rc;
}

int tf_native_invoke(void *ctx, const struct backend_call *asked, struct backend_answer *out, struct err *e)
{
	struct tf *t = ctx;
	struct arena tmp = ARENA_INIT;
	struct bind_call c = {.ctx = t, .tmp = &tmp, .err = e};
	struct tf_native k = {.c = &c, .asked = asked};
	struct value **values = mem_array(TF_MAX_OUTPUTS, sizeof *values);
	struct tensor **derived = mem_array(TF_MAX_OUTPUTS, sizeof *derived);
	size_t n = 0;
	int rc;

	err_clear(e);
	t->in_call = 1;
	rc = values && derived ? forward(&k, values, &n) : err_nomem(e, "outputs", 0);
	if (!rc && asked->gradient)
		rc = gradients(&k, values, n, derived);
	t->in_call = 0;
	while (t->temps.n)
		tf_value_release(t, t->temps.at[--t->temps.n]);
	arena_release(&tmp);
	for (size_t i = 0; rc && derived && i < k.n_tensors; i++)
		tensor_unref(derived[i]);
	if (rc || !asked->gradient)
		mem_free(derived);
	if (rc) {
		while (n)
			value_unref(values[--n]);
		mem_free(values);
		return rc;
	}
	*out = (struct backend_answer){.out = values, .n_out = n};
	if (asked->gradient) {
		out->grads = derived;
		out->n_grads = k.n_tensors;
	}
	return 0;
}
