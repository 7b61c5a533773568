/* single.c - one operation by a graph of its own: run by a session (mode graph, with or without the optimizers),
 * written as a GraphDef and read again before that (saved=1), or made a function that is mapped over a data set of one
 * element (mode=pipeline).
 *
 * Tensors are placeholders, so that a graph serves every call that differs in their values alone; it is kept. */
#include <stdio.h>
#include <string.h>

#include "backends/tf/native.h"
#include "base/mem.h"

#define MOST_KEPT 64
#define MAX_KEY ((size_t)1 << 20)

struct single {
	struct TF_Graph *graph;
	struct TF_Session *session; /* NULL: a function of the eager context */
	char function[32];
	struct TF_Output in[TF_MAX_OUTPUTS], out[TF_MAX_OUTPUTS];
	size_t n_in, n_out;
	struct TF_Operation *operation;
};

/* ---- building ---------------------------------------------------------------------------------------------------- */

static void single_free(struct tf *t, struct single *s)
{
	if (!s)
		return;
	tf_session_close(t, s->session);
	if (*s->function && t->eager)
		t->api.TFE_ContextRemoveFunction(t->eager, s->function, t->status);
	if (s->graph)
		t->api.TF_DeleteGraph(s->graph);
	mem_free(s);
}

void tf_single_forget(struct tf *t)
{
	for (const struct map_entry *it = map_first(&t->singles); it; it = map_next(it))
		single_free(t, map_value(it));
	map_release(&t->singles);
}

/* The operation in a graph of its own, over placeholders. */
static int build_graph(struct tf_native *k, struct single *s)
{
	struct tf *t = tf_of(k->c);
	struct tf_op op;

	s->graph = t->graph = t->api.TF_NewGraph();
	t->generation = ++t->generations;
	t->next_name = 0;
	op = tf_native_prepare(k);
	s->operation = op.graph ? t->api.TF_FinishOperation(op.graph, t->status) : NULL;
	if (!tf_failed(k->c))
		tf_check(t, k->asked->operation, k->c->err);
	for (size_t i = 0; i < k->n_tensors && !tf_failed(k->c); i++)
		tf_value_output(t, k->tensors[i], &s->in[s->n_in++], k->c->err);
	t->graph = NULL;
	if (tf_failed(k->c))
		return k->c->err->code;
	for (int i = 0; i < t->api.TF_OperationNumOutputs(s->operation) && i < TF_MAX_OUTPUTS; i++)
		s->out[s->n_out++] = (struct TF_Output){s->operation, i};
	return 0;
}

static void find_again(struct tf *t, struct TF_Graph *in, struct TF_Operation **op)
{
	*op = t->api.TF_GraphOperationByName(in, t->api.TF_OperationName(*op));
}

/* The graph that its GraphDef describes, in its place. */
static int save_and_load(struct tf *t, struct single *s, struct err *e)
{
	struct TF_Buffer *bytes = t->api.TF_NewBuffer();
	struct TF_ImportGraphDefOptions *o = t->api.TF_NewImportGraphDefOptions();
	struct TF_Graph *loaded = t->api.TF_NewGraph();
	int rc;

	t->api.TF_GraphToGraphDef(s->graph, bytes, t->status);
	rc = tf_check(t, "save a graph", e);
	if (!rc) {
		t->api.TF_GraphImportGraphDef(loaded, bytes, o, t->status);
		rc = tf_check(t, "load a graph", e);
	}
	if (!rc) {
		for (size_t i = 0; i < s->n_in; i++)
			find_again(t, loaded, &s->in[i].oper);
		for (size_t i = 0; i < s->n_out; i++)
			find_again(t, loaded, &s->out[i].oper);
		find_again(t, loaded, &s->operation);
	}
	t->api.TF_DeleteGraph(rc ? loaded : s->graph);
	if (!rc)
		s->graph = loaded;
	t->api.TF_DeleteImportGraphDefOptions(o);
	t->api.TF_DeleteBuffer(bytes);
	return rc;
}

static int make_function(struct tf *t, struct single *s, struct err *e)
{
	char name[sizeof s->function];
	struct TF_Function *f;
	int rc;

	snprintf(name, sizeof name, "single_%zu", t->generation);
	f = t->api.TF_GraphToFunction(s->graph, name, 0, -1, NULL, (int)s->n_in, s->in, (int)s->n_out, s->out, NULL,
				      NULL, "", t->status);
	rc = tf_check(t, "make a function", e);
	if (!rc) {
		t->api.TFE_ContextAddFunction(t->eager, f, t->status);
		rc = tf_check(t, "add a function", e);
	}
	if (f)
		t->api.TF_DeleteFunction(f);
	if (!rc)
		memcpy(s->function, name, sizeof name);
	return rc;
}

static int build(struct tf_native *k, struct single **out)
{
	struct tf *t = tf_of(k->c);
	struct single *s = mem_zalloc(sizeof *s);
	struct err *e = k->c->err;
	int rc = s ? build_graph(k, s) : err_nomem(e, "a graph", sizeof *s);

	if (!rc && t->saved)
		rc = save_and_load(t, s, e);
	if (!rc)
		rc = t->mode == TF_PIPELINE ? make_function(t, s, e)
					    : tf_session_start(t, s->graph, t->mode, &s->session, e);
	if (rc) {
		single_free(t, s);
		return rc;
	}
	*out = s;
	return 0;
}

/* ---- a session --------------------------------------------------------------------------------------------------- */

static int run_session(struct tf_native *k, struct single *s, struct value **out, size_t *n_out)
{
	struct tf *t = tf_of(k->c);
	struct TF_Tensor *fed[TF_MAX_OUTPUTS], *got[TF_MAX_OUTPUTS] = {NULL};
	const struct TF_Operation *target = s->operation;
	int rc;

	for (size_t i = 0; i < s->n_in; i++)
		fed[i] = k->tensors[i]->literal;
	t->api.TF_SessionRun(s->session, NULL, s->in, fed, (int)s->n_in, s->out, got, (int)s->n_out, &target, 1, NULL,
			     t->status);
	rc = tf_check(t, k->asked->operation, k->c->err);
	for (size_t i = 0; i < s->n_out && !rc; i++) {
		struct tensor *packed;

		rc = tf_tensor_from_literal(t, got[i], &packed, k->c->err);
		if (!rc && !(out[*n_out] = value_tensor(packed, k->c->err)))
			rc = k->c->err->code;
		*n_out += !rc;
	}
	for (size_t i = 0; i < s->n_out; i++)
		if (got[i])
			t->api.TF_DeleteTensor(got[i]);
	while (rc && *n_out)
		value_unref(out[--*n_out]);
	return rc;
}

/* ---- a data set -------------------------------------------------------------------------------------------------- */

/* A data-set operation: what elements are made of is said by two attributes; ranks are left open. */
static struct tf_op dataset_op(struct tf_native *k, const char *name, const char *types_name,
			       const struct TF_Output *elements, size_t n)
{
	struct tf_op op = tf_op(k->c, name);
	struct tf *t = op.t;
	unsigned types[TF_MAX_OUTPUTS];
	const int64_t *dims[TF_MAX_OUTPUTS] = {NULL};
	int ranks[TF_MAX_OUTPUTS];

	for (size_t i = 0; i < n; i++) {
		types[i] = t->api.TF_OperationOutputType(elements[i]);
		ranks[i] = -1;
	}
	if (tf_failed(k->c))
		return op;
	t->api.TFE_OpSetAttrTypeList(op.eager, types_name, types, (int)n);
	t->api.TFE_OpSetAttrShapeList(op.eager, "output_shapes", dims, ranks, (int)n, t->status);
	tf_check(t, name, k->c->err);
	return op;
}

/* The one handle that a data-set operation gives. */
static struct TFE_TensorHandle *dataset_run(struct tf_native *k, struct tf_op *op)
{
	struct TFE_TensorHandle *h = NULL;
	int n = 1;

	if (!tf_failed(k->c)) {
		op->t->api.TFE_Execute(op->eager, &h, &n, op->t->status);
		tf_check(op->t, op->name, k->c->err);
	}
	if (op->eager)
		op->t->api.TFE_DeleteOp(op->eager);
	return tf_failed(k->c) ? NULL : h;
}

static struct TFE_TensorHandle *tensor_dataset(struct tf_native *k, const struct single *s)
{
	struct tf_op op = dataset_op(k, "TensorDataset", "Toutput_types", s->in, s->n_in);

	tf_op_in_list(&op, k->tensors, (int)k->n_tensors);
	return dataset_run(k, &op);
}

static struct TFE_TensorHandle *map_dataset(struct tf_native *k, const struct single *s, struct TFE_TensorHandle *from)
{
	struct tf_op op = dataset_op(k, "MapDataset", "output_types", s->out, s->n_out);
	struct tf *t = op.t;

	if (!tf_failed(k->c)) {
		t->api.TFE_OpAddInput(op.eager, from, t->status);
		t->api.TFE_OpAddInputList(op.eager, NULL, 0, t->status);
		t->api.TFE_OpSetAttrTypeList(op.eager, "Targuments", NULL, 0);
		t->api.TFE_OpSetAttrFunctionName(op.eager, "f", s->function, strlen(s->function));
	}
	return dataset_run(k, &op);
}

static int run_pipeline(struct tf_native *k, const struct single *s, struct value **out, size_t *n_out)
{
	struct tf *t = tf_of(k->c);
	struct TFE_TensorHandle *set = tensor_dataset(k, s), *mapped = set ? map_dataset(k, s, set) : NULL;
	struct tf_op op = {0};

	if (!tf_failed(k->c))
		op = dataset_op(k, "DatasetToSingleElement", "output_types", s->out, s->n_out);
	if (!tf_failed(k->c)) {
		t->api.TFE_OpAddInput(op.eager, mapped, t->status);
		tf_native_execute(&op, out, n_out, k->c->err);
	}
	if (op.eager)
		t->api.TFE_DeleteOp(op.eager);
	if (mapped)
		t->api.TFE_DeleteTensorHandle(mapped);
	if (set)
		t->api.TFE_DeleteTensorHandle(set);
	return k->c->err->code;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static int find_or_build(struct tf_native *k, struct single **out)
{
	struct tf *t = tf_of(k->c);
	struct buf key;
	int rc;

	buf_init(&key, MAX_KEY);
	backend_call_key(k->asked, &key);
	rc = buf_check(&key, k->c->err);
	*out = rc ? NULL : map_get(&t->singles, key.data);
	if (!rc && !*out) {
		if (map_count(&t->singles) >= MOST_KEPT)
			tf_single_forget(t);
		rc = build(k, out);
		if (!rc && map_put(&t->singles, key.data, *out)) {
			single_free(t, *out);
			rc = err_nomem(k->c->err, "a graph", 0);
		}
	}
	buf_release(&key);
	return rc;
}

int tf_single_run(struct tf_native *k, struct value **out, size_t *n_out)
{
	struct single *s;
	int rc = tf_native_gather(k, 1);

	if (!rc)
		rc = find_or_build(k, &s);
	if (rc)
		return rc;
	return s->session ? run_session(k, s, out, n_out) : run_pipeline(k, s, out, n_out);
}
