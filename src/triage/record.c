/* record.c - parts of the graph as cases of their own.
 *
 * A part is fed with the tensors that the exact reference has at its border, so that what comes before need not be run
 * to get there: halving a network costs half of its time.  They are recorded when they are first asked for.  A run over
 * the whole graph keeps what is wanted, and everything else as long as it is small: a large network's intermediates
 * would not fit into memory. */
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"
#include "triage/reduction.h"

#define KEEP_BYTES ((size_t)256 << 20) /* recorded beyond what is wanted */

/* ---- constants --------------------------------------------------------------------------------------------------- */

struct constants {
	const struct graph *g;
	char *nodes; /* by index */
	char *fed;   /* by wire id: a value is given from outside */
};

/* 1 ends the walk: this wire changes with the inputs. */
static int varies(struct wire *w, void *arg)
{
	const struct constants *c = arg;

	if (w->graph != c->g)
		return 0;
	return w->producer ? !c->nodes[w->producer->index] : c->fed[w->id];
}

char *part_constant_nodes(const struct graph *g, struct value *const *inputs, struct err *e)
{
	struct constants c = {.g = g, .nodes = mem_array(g->nodes.n, 1), .fed = mem_array(g->wires.n, 1)};

	if (!c.nodes || !c.fed) {
		mem_free(c.nodes);
		mem_free(c.fed);
		err_nomem(e, "constants", g->nodes.n + g->wires.n);
		return NULL;
	}
	for (size_t i = 0; i < g->inputs.n; i++)
		c.fed[g->inputs.at[i]->id] = inputs[i] || !g->inputs.at[i]->init;
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		c.nodes[i] = !(n->op && n->op->flags & OP_RANDOM) && !node_for_each_read(n, varies, &c);
	}
	if (!memchr(c.nodes, 0, g->nodes.n)) /* a graph of constants alone is judged for what it computes */
		memset(c.nodes, 0, g->nodes.n);
	mem_free(c.fed);
	return c.nodes;
}

int part_list(const struct reduction *r, int **nodes, size_t *n, struct err *e)
{
	const struct graph *g = r->now.model->graph;
	char *constant = part_constant_nodes(g, r->now.inputs, e);
	int *list = constant ? mem_array(g->nodes.n, sizeof *list) : NULL;

	if (constant && !list)
		err_nomem(e, "a list of nodes", g->nodes.n * sizeof *list);
	*n = 0;
	for (size_t i = 0; list && i < g->nodes.n; i++)
		if (!constant[i])
			list[(*n)++] = (int)i;
	mem_free(constant);
	*nodes = list;
	return list ? 0 : ERR_MEMORY;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

struct part_recorder {
	struct reduction *r;
	const char *wanted; /* by wire id */
	size_t bytes;
	struct err *e;
};

static struct value *packed_value(const struct value *v, struct err *e)
{
	struct tensor *t = v->kind == VALUE_TENSOR ? tensor_pack(v->tensor, e) : NULL;

	/* Exact values of a wide float tensor are not of its type yet; packing rounds them. */
	return t ? value_tensor(t, e) : NULL;
}

static int record_value(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
			void *arg)
{
	struct part_recorder *x = arg;
	size_t bytes = v->kind == VALUE_TENSOR ? dtype_packed_size(v->tensor->dtype, v->tensor->count) : 0;

	(void)n;
	(void)out;
	(void)noise;
	if (v->kind != VALUE_TENSOR || x->r->recorded[w->id])
		return 0;
	if (!x->wanted[w->id] && bytes > KEEP_BYTES - x->bytes)
		return 0;
	x->r->recorded[w->id] = packed_value(v, x->e);
	if (!x->wanted[w->id])
		x->bytes += bytes;
	return x->r->recorded[w->id] ? 0 : x->e->code;
}

static int run_and_record(struct reduction *r, const char *wanted, struct err *e)
{
	struct part_recorder x = {.r = r, .wanted = wanted, .e = e};
	struct ref_options o = {.mode = REF_EXACT, .seed = r->now.seed, .observe = record_value, .observe_arg = &x};
	struct ref_result result = {.n = 0};
	struct ref *own = NULL;
	int rc = r->now.ref ? 0 : ref_open(r->now.model, &own, e);

	if (!rc)
		rc = ref_run(own ? own : r->now.ref, r->now.inputs, r->now.model->graph->inputs.n, &o, &result, e);
	ref_result_release(&result);
	ref_close(own);
	return rc;
}

/* Makes the values of wanted wires known; those that are no tensors stay unknown. */
static int record_wanted(struct reduction *r, const char *wanted, struct err *e)
{
	size_t n = r->now.model->graph->wires.n;
	int missing = 0;

	if (!r->recorded) {
		r->recorded = mem_array(n, sizeof(struct value *));
		if (!r->recorded)
			return err_nomem(e, "recorded values", n * sizeof(struct value *));
		r->n_recorded = n;
	}
	for (size_t i = 0; i < n; i++)
		missing |= wanted[i] && !r->recorded[i];
	return missing ? run_and_record(r, wanted, e) : 0;
}

void record_clear(struct reduction *r)
{
	for (size_t i = 0; i < r->n_recorded; i++)
		value_unref(r->recorded[i]);
	mem_free(r->recorded);
	r->recorded = NULL;
	r->n_recorded = 0;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

enum { USED_INSIDE = 1, USED_OUTSIDE = 2 };

struct part_border {
	const struct graph *g;
	const char *keep;
	const char *constant; /* by node index */
	int fold;
	char *used; /* by wire id */
	int mark;
	VEC(struct wire *) from, to;
	VEC(struct value *) given; /* values of the first of `from`: the case's own inputs */
	char *wanted;              /* by wire id: its value must be recorded */
};

static int mark_use(struct wire *w, void *arg)
{
	struct part_border *b = arg;

	if (w->graph == b->g)
		b->used[w->id] |= (char)b->mark;
	return 0;
}

/* A wire that a node makes: does it go in, does it come out?  Constant nodes come along where they are needed, unless
 * they are folded: then their values go in. */
static int place_wire(struct part_border *b, struct wire *w)
{
	int index = w->producer->index, outside = b->constant[index] ? b->fold : !b->keep[index], rc = 0;

	if (outside && b->used[w->id] & USED_INSIDE) {
		b->wanted[w->id] = 1;
		rc = vec_push(&b->from, w);
	}
	if (!rc && !b->constant[index] && b->keep[index] && b->used[w->id] & USED_OUTSIDE)
		rc = vec_push(&b->to, w);
	return rc;
}

static int find_border(struct part_border *b, struct value *const *inputs)
{
	const struct graph *g = b->g;
	int rc = 0;

	for (size_t i = 0; i < g->nodes.n; i++) {
		b->mark = b->keep[i] ? USED_INSIDE : USED_OUTSIDE;
		if (!b->constant[i])
			node_for_each_read(g->nodes.at[i], mark_use, b);
	}
	for (size_t i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i]->graph == g)
			b->used[g->outputs.at[i]->id] |= USED_OUTSIDE;
	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		if (inputs[i])
			rc = vec_push(&b->from, g->inputs.at[i]) || vec_push(&b->given, inputs[i]);
	for (size_t i = 0; i < g->wires.n && !rc; i++)
		if (g->wires.at[i]->producer)
			rc = place_wire(b, g->wires.at[i]);
	return rc;
}

/* Values for the inputs of the part: those of the case, then recorded ones. */
static int feed(struct reduction *r, const struct part_border *b, struct candidate *c, struct err *e)
{
	c->inputs = mem_array(b->from.n, sizeof *c->inputs);
	if (!c->inputs)
		return err_nomem(e, "inputs", b->from.n);
	for (size_t i = 0; i < b->from.n; i++) {
		const struct wire *w = b->from.at[i];
		struct value *v = i < b->given.n ? b->given.at[i] : r->recorded[w->id];

		if (!v)
			return err_set(e, ERR_UNSUPPORTED, "'%s' is not a tensor and cannot be recorded", w->name);
		c->inputs[i] = value_ref(v);
		if (i >= b->given.n)
			type_set(&c->model->graph->inputs.at[i]->type, v->tensor->dtype, v->tensor->rank,
				 v->tensor->dims);
	}
	return 0;
}

static int fold_constants(const struct part_border *b, struct candidate *c, struct err *e)
{
	int rc = 0;

	for (size_t i = b->from.n; i-- > b->given.n && !rc;)
		if (b->constant[b->from.at[i]->producer->index])
			rc = candidate_make_constant(c, i, e);
	return rc;
}

static int extract(struct reduction *r, struct part_border *b, struct candidate *out, struct err *e)
{
	struct candidate c = {0};
	int rc = find_border(b, r->now.inputs) ? err_nomem(e, "a part", 0) : 0;

	if (!rc && !b->to.n)
		rc = err_set(e, ERR_INPUT, "the part has no output");
	if (!rc)
		rc = record_wanted(r, b->wanted, e);
	if (!rc)
		rc = graph_extract(b->g, b->from.at, b->from.n, b->to.at, b->to.n, &c.model, e);
	if (!rc)
		rc = feed(r, b, &c, e);
	if (!rc)
		rc = fold_constants(b, &c, e);
	if (rc)
		candidate_release(&c);
	else
		*out = c;
	return rc;
}

int part_extract(struct reduction *r, const char *keep, int fold, struct candidate *out, struct err *e)
{
	const struct graph *g = r->now.model->graph;
	char *constant = part_constant_nodes(g, r->now.inputs, e);
	struct part_border b = {.g = g, .keep = keep, .constant = constant, .fold = fold};
	int rc;

	if (!constant)
		return ERR_MEMORY;
	b.used = mem_array(g->wires.n, 1);
	b.wanted = mem_array(g->wires.n, 1);
	rc = b.used && b.wanted ? extract(r, &b, out, e) : err_nomem(e, "a part", 2 * g->wires.n);
	mem_free(constant);
	mem_free(b.used);
	mem_free(b.wanted);
	vec_release(&b.from);
	vec_release(&b.to);
	vec_release(&b.given);
	return rc;
}
