/* frame.c - what a model says of itself around its nodes (declared in fuzz.h): more outputs, initializers that are
 * inputs too, sizes of inputs that it does not tell. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "methods/fuzz/fuzz.h"

#define IR_ALL_ARE_INPUTS 3 /* up to this IR version an initializer is an input, and still a constant */
#define UNUSED_P 0.5        /* of outputs of nodes that nothing reads */
#define INNER_P 0.08        /* … and of those that something does */
#define DEFAULTS_P 0.12     /* of models */
#define OLD_IR_P 0.04
#define OPEN_P 0.25
#define CONSTANT_P 0.12 /* of models of one operator */

static int chance(struct rng *r, double p)
{
	return rng_unit(r) < p;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

static int note_read(struct wire *w, void *arg)
{
	unsigned char *read = arg;

	if (!w->graph->parent)
		read[w->id] = 1;
	return 0;
}

/* Of a rank that is known, as ONNX asks for; of other types few libraries give numbers away. */
static int can_be_output(const struct wire *w)
{
	return w && w->type.kind == VALUE_TENSOR && w->type.rank >= 0 && (MAKE_PLAIN & TM(w->type.dtype));
}

int frame_drop_unread(struct graph *g, struct err *e)
{
	unsigned char *read = mem_zalloc(g->wires.n + 1);
	int rc = read ? 0 : err_nomem(e, "a graph", g->wires.n);
	size_t kept = 0;

	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		rc = node_for_each_read(g->nodes.at[i], note_read, read);
	for (size_t i = 0; i < g->inputs.n && !rc; i++) {
		struct wire *w = g->inputs.at[i];

		if (read[w->id] || graph_has_output(g, w))
			g->inputs.at[kept++] = w;
		else
			w->is_input = 0;
	}
	if (!rc) {
		g->inputs.n = kept;
		rc = graph_remove_dead(g) < 0 ? err_nomem(e, "a graph", 0) : 0;
	}
	mem_free(read);
	return rc;
}

static int add_outputs(struct graph *g, struct rng *r, struct err *e)
{
	unsigned char *read = mem_zalloc(g->wires.n + 1);
	int rc = read ? 0 : err_nomem(e, "a graph", g->wires.n);

	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		rc = node_for_each_read(g->nodes.at[i], note_read, read);
	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		for (int k = 0; k < g->nodes.at[i]->n_out && !rc; k++) {
			struct wire *w = g->nodes.at[i]->out[k];

			if (can_be_output(w) && chance(r, read[w->id] ? INNER_P : UNUSED_P) && !graph_has_output(g, w))
				rc = graph_add_output(g, w, e);
		}
	mem_free(read);
	return rc;
}

/* ---- initializers ------------------------------------------------------------------------------------------------ */

/* Whether a node reads it as a setting: with an input in its place the shape of the result would be open. */
static int is_setting(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		const struct op_row *row = ops_find(n->domain, n->op_type);

		for (int k = 0; k < n->n_in; k++)
			if (n->in[k] == w &&
			    (!row || k >= OP_MAX_PORTS || (row->op->in[k].flags & (PORT_SETTING | PORT_UNTRAINED))))
				return 1;
	}
	return 0;
}

static int list_input(struct graph *g, struct wire *w, struct err *e)
{
	if (vec_push(&g->inputs, w))
		return err_nomem(e, "inputs", g->inputs.n);
	w->is_input = 1;
	return 0;
}

static int list_defaults(struct graph *g, struct rng *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++) {
		struct wire *w = g->wires.at[i];

		if (w->init && w->init->rank && dtype_is_float(w->init->dtype) && (MAKE_FLOATS & TM(w->init->dtype)) &&
		    !is_setting(g, w) && chance(r, 0.5))
			rc = list_input(g, w, e);
	}
	return rc;
}

/* As every model was before IR version 4; graphs in nodes had nothing to be listed in. */
static int list_all(struct model *m, struct err *e)
{
	struct graph *g = m->graph;
	int rc = 0;

	for (size_t i = 0; i < g->wires.n && !rc; i++)
		if (g->wires.at[i]->init)
			rc = list_input(g, g->wires.at[i], e);
	m->ir_version = IR_ALL_ARE_INPUTS;
	return rc;
}

int frame_widen(struct model *m, struct rng *r, struct err *e)
{
	int rc = add_outputs(m->graph, r, e);

	if (rc)
		return rc;
	if (m->graphs.n == 1 && chance(r, OLD_IR_P))
		return list_all(m, e);
	return chance(r, DEFAULTS_P) ? list_defaults(m->graph, r, e) : 0;
}

/* The input becomes a constant: those that follow it move up. */
static int make_constant(struct fuzz_case *c, size_t i, struct err *e)
{
	struct graph *g = c->model->graph;
	struct value *v = c->inputs[i];
	int rc = graph_set_init(g->inputs.at[i], tensor_ref(v->tensor), e);

	if (rc)
		return rc;
	value_unref(v);
	memmove(&c->inputs[i], &c->inputs[i + 1], (g->inputs.n - i) * sizeof *c->inputs);
	c->inputs[g->inputs.n] = NULL;
	return 0;
}

int frame_settle(struct fuzz_case *c, struct rng *r, struct err *e)
{
	const struct graph *g = c->model->graph;
	int some = chance(r, CONSTANT_P), all = chance(r, 0.5), rc = 0;

	for (size_t i = g->inputs.n; some && i-- > 0 && !rc;) {
		const struct wire *w = g->inputs.at[i];

		if (!w->init && c->inputs[i] && c->inputs[i]->kind == VALUE_TENSOR && (all || (i && chance(r, 0.5))))
			rc = make_constant(c, i, e);
	}
	return rc;
}

/* The same numbers in other places: they stay in the range that the node takes.  Only of vectors: rows of a matrix may
 * be regions or places, whose columns differ. */
static struct tensor *turned(const struct tensor *from, struct err *e)
{
	struct tensor *t = tensor_new_packed(from->dtype, from->rank, from->dims, e);
	size_t size = dtype_bits(from->dtype) / 8;

	if (t && from->count) {
		memcpy(t->data, (const char *)from->data + size, (from->count - 1) * size);
		memcpy((char *)t->data + (from->count - 1) * size, from->data, size);
	}
	return t;
}

int frame_value(const struct model *m, const struct wire *w, struct rng *r, struct value **out, struct err *e)
{
	struct tensor *t = NULL;

	*out = NULL;
	if (m->ir_version <= IR_ALL_ARE_INPUTS || w->init->rank > 1 || chance(r, 0.5))
		return 0;
	t = turned(w->init, e);
	*out = t ? value_tensor(t, e) : NULL;
	return *out ? 0 : e->code;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* What was said of wires before is forgotten, as far as it can be told anew. */
int fuzz_infer_again(struct model *m, struct err *e)
{
	struct graph *g = m->graph;
	struct type *before = mem_array(g->wires.n + 1, sizeof *before);
	struct err ignored = ERR_INIT;

	if (!before)
		return err_nomem(e, "types", g->wires.n);
	for (size_t i = 0; i < g->wires.n; i++) {
		before[i] = g->wires.at[i]->type;
		if (g->wires.at[i]->producer)
			g->wires.at[i]->type = (struct type)TYPE_INIT;
	}
	if (ops_bind(m, &ignored) || ops_infer(m, &ignored))
		for (size_t i = 0; i < g->wires.n; i++)
			g->wires.at[i]->type = before[i];
	mem_free(before);
	return 0;
}

/* Sizes that are equal may have one name. */
static int open_size(struct model *m, int64_t *d, int named, struct err *e)
{
	char name[32];
	int64_t k;

	if (!named) {
		*d = DIM_UNKNOWN;
		return 0;
	}
	snprintf(name, sizeof name, "n%d", (int)*d);
	k = model_symbol(m, name);
	if (k < 0)
		return err_nomem(e, "a symbol", sizeof name);
	*d = DIM_SYMBOL(k);
	return 0;
}

/* What is written down of a wire has a rank at least: ONNX asks for it. */
static void keep_rank(struct type *t, int rank)
{
	if (t->kind != VALUE_TENSOR || t->rank >= 0 || rank < 0)
		return;
	t->rank = rank;
	for (int i = 0; i < rank; i++)
		t->dims[i] = DIM_UNKNOWN;
}

static int infer_open(struct model *m, struct err *e)
{
	const struct graph *g = m->graph;
	int *ranks = mem_array(g->wires.n + 1, sizeof *ranks), rc;

	if (!ranks)
		return err_nomem(e, "types", g->wires.n);
	for (size_t i = 0; i < g->wires.n; i++)
		ranks[i] = g->wires.at[i]->type.rank;
	rc = fuzz_infer_again(m, e);
	for (size_t i = 0; i < g->wires.n; i++)
		keep_rank(&g->wires.at[i]->type, ranks[i]);
	mem_free(ranks);
	return rc;
}

/* A library's own operators may ask for sizes that are told. */
static int is_onnx(const struct model *m)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++) {
			const struct node *n = m->graphs.at[g]->nodes.at[i];
			const struct op_row *row = ops_find(n->domain, n->op_type);

			if (!row || ops_owner(row))
				return 0;
		}
	return 1;
}

int frame_open(struct model *m, struct rng *r, struct err *e)
{
	double share = chance(r, 0.3) ? 1 : 0.4;
	int first_only = chance(r, 0.3), rc = 0, any = 0;

	if (!chance(r, OPEN_P) || !is_onnx(m))
		return 0;
	for (size_t i = 0; i < m->graph->inputs.n && !rc; i++) {
		struct wire *w = m->graph->inputs.at[i];

		for (int k = 0; k < w->type.rank && !w->init && !rc; k++)
			if (first_only ? !k : chance(r, share)) {
				rc = open_size(m, &w->type.dims[k], first_only || chance(r, 0.5), e);
				any = 1;
			}
	}
	return any && !rc ? infer_open(m, e) : rc;
}
