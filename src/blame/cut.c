/* cut.c - a set of nodes of a network as a case of its own.
 *
 * What the nodes read from others becomes inputs, fed with recorded tensors; what others read from them becomes
 * outputs.  Two kinds of wires are no inputs, because libraries want to know them when they load a model, and take
 * other paths when they do not: what depends on no input at all (weights that nodes make) comes along with the nodes
 * that make it, and what depends on shapes alone comes as an initializer. */
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"
#include "ops/op.h"

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

struct kinds_walk {
	const struct graph *g;
	unsigned char *kinds;
	unsigned char now; /* largest kind that the node at hand reads */
};

static int see_kind(struct wire *w, void *arg)
{
	struct kinds_walk *k = arg;

	if (w->graph == k->g && k->kinds[w->id] > k->now)
		k->now = k->kinds[w->id];
	return 0;
}

unsigned char *cut_kinds(const struct trial *t, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct kinds_walk k = {.g = g, .kinds = mem_array(g->wires.n, 1)};

	if (!k.kinds) {
		err_nomem(e, "kinds of wires", g->wires.n);
		return NULL;
	}
	for (size_t i = 0; i < g->inputs.n; i++)
		if (t->inputs[i])
			k.kinds[g->inputs.at[i]->id] = WIRE_DATA;
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		int flags = n->op ? n->op->flags : 0;

		k.now = WIRE_CONSTANT;
		node_for_each_read(n, see_kind, &k);
		if (flags & OP_SHAPE_ONLY && k.now == WIRE_DATA)
			k.now = WIRE_SHAPE;
		if (flags & OP_RANDOM)
			k.now = WIRE_DATA;
		for (int o = 0; o < n->n_out; o++)
			if (n->out[o])
				k.kinds[n->out[o]->id] = k.now;
	}
	return k.kinds;
}

/* ---- borders ----------------------------------------------------------------------------------------------------- */

enum { INSIDE = 1, LISTED = 2, READ_OUTSIDE = 4 };

struct cut_border {
	const struct trial *t;
	const unsigned char *kinds;
	int values;
	char *flags; /* by wire id: made by a chosen node, listed already, read by another node */
	struct cut *cut;
};

/* Initializers come along with the nodes, unless the case gives another value for them. */
static int comes_along(const struct cut_border *b, const struct wire *w)
{
	if (b->kinds[w->id] != WIRE_CONSTANT)
		return 0;
	return w->init || !b->values;
}

static int read_inside(struct wire *w, void *arg)
{
	struct cut_border *b = arg;

	if (w->graph != b->t->model->graph || b->flags[w->id] & (INSIDE | LISTED) || comes_along(b, w))
		return 0;
	b->flags[w->id] |= LISTED;
	b->cut->from[b->cut->n_from++] = w;
	return 0;
}

static int read_outside(struct wire *w, void *arg)
{
	struct cut_border *b = arg;

	if (w->graph == b->t->model->graph)
		b->flags[w->id] |= READ_OUTSIDE;
	return 0;
}

static void find_borders(struct cut_border *b, const char *chosen, struct node *const *nodes, size_t n)
{
	const struct graph *g = b->t->model->graph;

	for (size_t i = 0; i < n; i++)
		for (int o = 0; o < nodes[i]->n_out; o++)
			if (nodes[i]->out[o])
				b->flags[nodes[i]->out[o]->id] |= INSIDE;
	for (size_t i = 0; i < g->nodes.n; i++)
		node_for_each_read(g->nodes.at[i], chosen[i] ? read_inside : read_outside, b);
	for (size_t i = 0; i < g->outputs.n; i++)
		read_outside(g->outputs.at[i], b);
	for (size_t i = 0; i < n; i++)
		for (int o = 0; o < nodes[i]->n_out; o++) {
			struct wire *w = nodes[i]->out[o];

			if (w && b->flags[w->id] & READ_OUTSIDE)
				b->cut->to[b->cut->n_to++] = w;
		}
}

int cut_plan(const struct trial *t, const unsigned char *kinds, struct node *const *nodes, size_t n, int values,
	     struct cut *out, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct cut cut = {.from = mem_array(g->wires.n, sizeof *cut.from), .to = mem_array(g->wires.n, sizeof *cut.to)};
	struct cut_border b = {t, kinds, values, mem_array(g->wires.n, 1), &cut};
	char *chosen = mem_array(g->nodes.n, 1);
	int rc = cut.from && cut.to && b.flags && chosen ? 0 : err_nomem(e, "a cut", g->wires.n);

	for (size_t i = 0; i < n && !rc; i++)
		chosen[nodes[i]->index] = 1;
	if (!rc)
		find_borders(&b, chosen, nodes, n);
	mem_free(b.flags);
	mem_free(chosen);
	if (rc)
		cut_release(&cut);
	else
		*out = cut;
	return rc;
}

void cut_release(struct cut *c)
{
	mem_free(c->from);
	mem_free(c->to);
	*c = (struct cut){0};
}

/* ---- the part as a case ------------------------------------------------------------------------------------------ */

/* Gives an input of the part its static type, or makes it an initializer. */
static int settle_input(struct model *part, const struct wire *w, unsigned char kind, struct value *v, struct err *e)
{
	struct wire *in = graph_wire(part->graph, w->name);

	if (!v || !in)
		return err_set(e, ERR_INTERNAL, "tensor '%s' was not recorded", w->name);
	if (v->kind != VALUE_TENSOR)
		return 0;
	if (kind != WIRE_DATA)
		return graph_set_init(in, tensor_ref(v->tensor), e);
	type_set(&in->type, v->tensor->dtype, v->tensor->rank, v->tensor->dims);
	return 0;
}

static struct value **inputs_of(const struct model *part, const struct graph *whole, const struct states *s,
				struct err *e)
{
	const struct graph *g = part->graph;
	struct value **in = mem_array(g->inputs.n, sizeof *in);

	if (!in)
		err_nomem(e, "inputs", g->inputs.n * sizeof *in);
	for (size_t i = 0; in && i < g->inputs.n; i++)
		in[i] = value_ref(s->at[graph_wire(whole, g->inputs.at[i]->name)->id]);
	return in;
}

static int seed_gradients(struct trial *part, const struct graph *whole, const struct states *s, struct err *e)
{
	const struct graph *g = part->model->graph;

	part->grad_seeds = mem_array(g->outputs.n, sizeof(struct tensor *));
	if (!part->grad_seeds)
		return err_nomem(e, "seeds of gradients", g->outputs.n);
	for (size_t i = 0; i < g->outputs.n; i++)
		part->grad_seeds[i] = tensor_ref(s->grads[graph_wire(whole, g->outputs.at[i]->name)->id]);
	return 0;
}

int cut_trial(struct trial *t, const unsigned char *kinds, const struct cut *c, const struct states *s,
	      struct trial *out, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct value **inputs = NULL;
	struct model *part = NULL;
	int rc = graph_extract(g, c->from, c->n_from, c->to, c->n_to, &part, e);

	for (size_t i = 0; i < c->n_from && !rc; i++)
		rc = settle_input(part, c->from[i], kinds[c->from[i]->id], s->at[c->from[i]->id], e);
	if (!rc)
		rc = ops_bind(part, e);
	if (!rc)
		rc = ops_infer(part, e);
	if (!rc && !(inputs = inputs_of(part, g, s, e)))
		rc = e->code;
	if (rc) {
		model_free(part);
		return rc;
	}
	rc = trial_init(out, part, inputs, t->seed, e);
	if (!rc && s->grads && (rc = seed_gradients(out, g, s, e)))
		trial_release(out);
	return rc;
}

int cut_once(struct trial *t, const unsigned char *kinds, const struct cut_nodes *nodes, struct trial *out, int *empty,
	     struct err *e)
{
	struct states s = {0};
	struct cut c = {0};
	int rc = cut_plan(t, kinds, nodes->at, nodes->n, nodes->values, &c, e);

	*empty = !rc && !c.n_to;
	if (!rc && !*empty)
		rc = states_init(&s, t, e);
	if (!rc && !*empty) {
		states_want(&s, &c, nodes->gradient);
		rc = states_take(&s, t, e);
	}
	if (!rc && !*empty)
		rc = cut_trial(t, kinds, &c, &s, out, e);
	states_release(&s);
	cut_release(&c);
	return rc;
}

/* ---- changed cases ----------------------------------------------------------------------------------------------- */

int blame_variant(const struct trial *t, int (*edit)(struct model *m, void *arg, struct err *e), void *arg,
		  struct value *const *inputs, struct trial *out, struct err *e)
{
	struct model *m = NULL;
	struct value **in = NULL;
	int rc = model_copy(t->model, &m, e);

	if (!rc && edit)
		rc = edit(m, arg, e);
	if (!rc && !(in = mem_array(m->graph->inputs.n, sizeof *in)))
		rc = err_nomem(e, "inputs", m->graph->inputs.n);
	if (rc) {
		model_free(m);
		return rc;
	}
	for (size_t i = 0; i < m->graph->inputs.n; i++) { /* an edit may have dropped some */
		size_t k = 0;

		while (strcmp(t->model->graph->inputs.at[k]->name, m->graph->inputs.at[i]->name) != 0)
			k++;
		in[i] = value_ref((inputs ? inputs : t->inputs)[k]);
	}
	return trial_init(out, m, in, t->seed, e);
}
