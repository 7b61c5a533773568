/* build.c - operations, run at once or added to a graph; see tf.h. */
#include <stdio.h>
#include <string.h>

#include "backends/bind/record.h"
#include "backends/tf/tf.h"

struct record *tf_record(const struct tf *t)
{
	return t->graph ? NULL : t->record;
}

/* While an operation is built, op->eager or op->graph is set; when something failed, both are NULL. */
struct tf_op tf_op(struct bind_call *c, const char *name)
{
	struct tf *t = tf_of(c);
	struct tf_op op = {.c = c, .t = t, .name = name};
	char text[32];

	if (tf_failed(c))
		return op;
	op.name = name = tf_name_here(t, name);
	if (t->graph) {
		snprintf(text, sizeof text, "o%zu", t->next_name++);
		op.graph = t->api.TF_NewOperation(t->graph, name, text);
		return op;
	}
	op.eager = t->api.TFE_NewOp(t->eager, name, t->status);
	if (tf_check(t, name, c->err))
		op.eager = NULL;
	else
		record_op(t->record, name);
	return op;
}

/* Gives the operation up.  A description can only be freed by finishing it: the graph may keep a dead operation. */
static void drop(struct tf_op *op)
{
	if (op->eager)
		op->t->api.TFE_DeleteOp(op->eager);
	if (op->graph)
		op->t->api.TF_FinishOperation(op->graph, op->t->status);
	op->eager = NULL;
	op->graph = NULL;
}

static int building(struct tf_op *op)
{
	if (tf_failed(op->c))
		drop(op);
	return op->eager || op->graph;
}

void tf_op_in(struct tf_op *op, struct tf_value *v)
{
	struct TFE_TensorHandle *h;
	struct TF_Output o;

	if (!building(op))
		return;
	if (!v) {
		err_set(op->c->err, ERR_INTERNAL, "operation %s was given no input", op->name);
	} else if (op->graph) {
		if (!tf_value_output(op->t, v, &o, op->c->err))
			op->t->api.TF_AddInput(op->graph, o);
	} else {
		h = tf_value_handle(op->t, v, op->c->err);
		if (h) {
			op->t->api.TFE_OpAddInput(op->eager, h, op->t->status);
			tf_check(op->t, op->name, op->c->err);
			record_value(op->t->record, v);
		}
	}
}

void tf_op_in_list(struct tf_op *op, struct tf_value *const *v, int n)
{
	struct TFE_TensorHandle **h = arena_array(op->c->tmp, (size_t)n + 1, sizeof *h);
	struct TF_Output *o = arena_array(op->c->tmp, (size_t)n + 1, sizeof *o);

	if (!building(op))
		return;
	if (!h || !o) {
		err_nomem(op->c->err, "inputs", (size_t)n * sizeof *o);
		return;
	}
	for (int i = 0; i < n; i++) {
		if (op->graph && tf_value_output(op->t, v[i], &o[i], op->c->err))
			return;
		if (op->eager && !(h[i] = tf_value_handle(op->t, v[i], op->c->err)))
			return;
	}
	if (op->graph) {
		op->t->api.TF_AddInputList(op->graph, o, n);
	} else {
		op->t->api.TFE_OpAddInputList(op->eager, h, n, op->t->status);
		tf_check(op->t, op->name, op->c->err);
		record_values(op->t->record, (void *const *)v, (size_t)n);
	}
}

void tf_op_int(struct tf_op *op, const char *attr, int64_t x)
{
	if (!building(op))
		return;
	if (op->graph) {
		op->t->api.TF_SetAttrInt(op->graph, attr, x);
		return;
	}
	op->t->api.TFE_OpSetAttrInt(op->eager, attr, x);
	record_key(op->t->record, attr);
	record_word(op->t->record, "%lld", (long long)x);
}

void tf_op_float(struct tf_op *op, const char *attr, double x)
{
	if (!building(op))
		return;
	if (op->graph) {
		op->t->api.TF_SetAttrFloat(op->graph, attr, (float)x);
		return;
	}
	op->t->api.TFE_OpSetAttrFloat(op->eager, attr, (float)x);
	record_key(op->t->record, attr);
	record_float(op->t->record, (float)x);
}

void tf_op_bool(struct tf_op *op, const char *attr, int x)
{
	if (!building(op))
		return;
	if (op->graph) {
		op->t->api.TF_SetAttrBool(op->graph, attr, x != 0);
		return;
	}
	op->t->api.TFE_OpSetAttrBool(op->eager, attr, x != 0);
	record_key(op->t->record, attr);
	record_word(op->t->record, x ? "True" : "False");
}

void tf_op_string(struct tf_op *op, const char *attr, const char *x)
{
	if (!building(op))
		return;
	if (op->graph) {
		op->t->api.TF_SetAttrString(op->graph, attr, x, strlen(x));
		return;
	}
	op->t->api.TFE_OpSetAttrString(op->eager, attr, x, strlen(x));
	record_key(op->t->record, attr);
	record_string(op->t->record, x);
}

void tf_op_type(struct tf_op *op, const char *attr, enum dtype x)
{
	unsigned code = tf_type_code(x);

	if (!building(op))
		return;
	if (!code || (code >= 22 && tf_before(op->t, 1, 5))) /* uint32 and later ones end the process there */ {
		bind_unsupported(op->c, "type %s is not bound to tensorflow", dtype_name(x));
	} else if (op->graph) {
		op->t->api.TF_SetAttrType(op->graph, attr, code);
	} else {
		op->t->api.TFE_OpSetAttrType(op->eager, attr, code);
		record_key(op->t->record, attr);
		record_word(op->t->record, "tf.%s", dtype_name(x));
	}
}

void tf_op_ints(struct tf_op *op, const char *attr, const int64_t *x, int n)
{
	if (!building(op))
		return;
	if (op->graph) {
		op->t->api.TF_SetAttrIntList(op->graph, attr, x, n);
		return;
	}
	op->t->api.TFE_OpSetAttrIntList(op->eager, attr, x, n);
	record_key(op->t->record, attr);
	record_ints(op->t->record, x, (size_t)n);
}

static void finish_graph(struct tf_op *op, struct tf_value **out, int n)
{
	struct TF_Operation *done = op->t->api.TF_FinishOperation(op->graph, op->t->status);

	op->graph = NULL;
	if (tf_check(op->t, op->name, op->c->err))
		return;
	if (op->t->api.TF_OperationNumOutputs(done) < n) {
		err_set(op->c->err, ERR_INTERNAL, "operation %s has fewer than %d outputs", op->name, n);
		return;
	}
	for (int i = 0; i < n && !tf_failed(op->c); i++)
		out[i] = tf_value_from_output(op->t, (struct TF_Output){done, i}, op->c->err);
}

static void run_eager(struct tf_op *op, struct tf_value **out, int n)
{
	struct TFE_TensorHandle *h[TF_MAX_OUTPUTS] = {0};
	int got = TF_MAX_OUTPUTS;

	record_run(op->t->record);
	op->t->api.TFE_Execute(op->eager, h, &got, op->t->status);
	if (tf_check(op->t, op->name, op->c->err))
		got = 0;
	else if (got < n)
		err_set(op->c->err, ERR_INTERNAL, "operation %s gave %d outputs, wanted %d", op->name, got, n);
	for (int i = 0; i < got; i++) {
		if (i < n && !tf_failed(op->c))
			out[i] = tf_value_from_handle(op->t, h[i], op->c->err);
		else
			op->t->api.TFE_DeleteTensorHandle(h[i]);
	}
	for (int i = 0; i < got && i < n; i++)
		if (got == 1)
			record_made(op->t->record, out[i]);
		else
			record_made_part(op->t->record, out[i], (size_t)i);
	drop(op);
}

void tf_op_run_many(struct tf_op *op, struct tf_value **out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = NULL;
	if (!building(op))
		return;
	if (n > TF_MAX_OUTPUTS) {
		bind_unsupported(op->c, "%d outputs: the binding takes at most %d", n, TF_MAX_OUTPUTS);
		drop(op);
	} else if (op->graph) {
		finish_graph(op, out, n);
	} else {
		run_eager(op, out, n);
	}
}

struct tf_value *tf_op_run(struct tf_op *op)
{
	struct tf_value *out = NULL;

	tf_op_run_many(op, &out, 1);
	return out;
}
