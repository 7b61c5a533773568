/* plan.c - opening a reference: binding, inference, and when each value may be forgotten. */
#include <string.h>

#include "base/mem.h"
#include "reference/internal.h"

struct uses {
	struct ref_plan *plan;
	int node;
};

int ref_takes_packed(const struct node *n, int i)
{
	return i < OP_MAX_PORTS && n->op->in[i].flags & PORT_PACKED;
}

static void note_use(struct ref_plan *p, const struct wire *w, int node, int unpacked)
{
	if (w->graph != p->graph)
		return;
	if (p->last_use[w->id] != PLAN_KEEP)
		p->last_use[w->id] = node;
	p->unpacked[w->id] |= (char)unpacked;
}

static int note_capture(struct wire *w, void *arg)
{
	struct uses *u = arg;

	note_use(u->plan, w, u->node, 1);
	return 0;
}

static int note_subgraphs(struct ref_plan *p, const struct node *n)
{
	struct uses u = {p, n->index};
	int rc = 0;

	for (int i = 0; i < n->n_attrs && !rc; i++) {
		const struct attr *a = &n->attrs[i];

		if (a->type == ATTR_GRAPH)
			rc = graph_for_each_capture(a->g, note_capture, &u);
		for (size_t j = 0; a->type == ATTR_GRAPHS && j < a->n && !rc; j++)
			rc = graph_for_each_capture(a->graphs[j], note_capture, &u);
	}
	return rc;
}

/* Whether a node makes small integers of floats, or with the help of them: scales. */
static int quantizes(const struct node *n)
{
	const struct type *t = n->n_out && n->out[0] ? &n->out[0]->type : NULL;

	if (!t || t->kind != VALUE_TENSOR || !(TM(t->dtype) & (T_INT | T_INT4)) || dtype_bits(t->dtype) > 16)
		return 0;
	for (int i = 0; i < n->n_in; i++)
		if (n->in[i] && n->in[i]->type.kind == VALUE_TENSOR && dtype_is_float(n->in[i]->type.dtype))
			return 1;
	return 0;
}

static int is_quantized_later(const struct ref_plan *p, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && p->quantized[n->out[i]->id])
			return 1;
	return 0;
}

void ref_ties(const struct run *r, struct call *c)
{
	const struct ref_plan *p = r->frame->plan;

	c->near = r->o->near;
	c->ties = r->o->ties;
	if (c->ties > OP_TIES_CHANCE && !(p && is_quantized_later(p, c->node)))
		c->ties = OP_TIES_CHANCE;
}

/* From the last node to the first. */
static void plan_quantized(struct ref_plan *p)
{
	for (size_t i = p->graph->nodes.n; i-- > 0;) {
		const struct node *n = p->graph->nodes.at[i];
		int later = quantizes(n) || is_quantized_later(p, n);

		for (int j = 0; j < n->n_in && later; j++)
			if (n->in[j] && n->in[j]->graph == p->graph)
				p->quantized[n->in[j]->id] = 1;
	}
}

static int plan_graph(struct ref_plan *p, const struct graph *g, struct err *e)
{
	p->graph = g;
	p->last_use = mem_array(g->wires.n, sizeof *p->last_use);
	p->unpacked = mem_array(g->wires.n, sizeof *p->unpacked);
	p->quantized = mem_array(g->wires.n, sizeof *p->quantized);
	if (!p->last_use || !p->unpacked || !p->quantized)
		return err_nomem(e, "a plan", g->wires.n * sizeof *p->last_use);
	for (size_t i = 0; i < g->wires.n; i++)
		p->last_use[i] = PLAN_NEVER;
	for (size_t i = 0; i < g->outputs.n; i++)
		note_use(p, g->outputs.at[i], PLAN_KEEP, 1);
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		for (int j = 0; j < n->n_in; j++)
			if (n->in[j])
				note_use(p, n->in[j], n->index, !ref_takes_packed(n, j));
		if (note_subgraphs(p, n))
			return err_nomem(e, "a plan", 0);
	}
	plan_quantized(p);
	return 0;
}

int ref_open(struct model *m, struct ref **out, struct err *e)
{
	struct ref *r = mem_zalloc(sizeof *r);
	int rc;

	if (!r)
		return err_nomem(e, "a reference", sizeof *r);
	r->model = m;
	r->n_plans = m->graphs.n;
	r->plans = mem_array(r->n_plans, sizeof *r->plans);
	rc = r->plans ? ops_bind(m, e) : err_nomem(e, "plans", 0);
	if (!rc)
		rc = ops_require_bound(m, e);
	if (!rc)
		rc = ops_infer(m, e);
	for (size_t i = 0; i < r->n_plans && !rc; i++)
		rc = plan_graph(&r->plans[i], m->graphs.at[i], e);
	if (!rc)
		rc = constants_prepare(r, e);
	if (rc) {
		ref_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

void ref_close(struct ref *r)
{
	if (!r)
		return;
	for (size_t i = 0; r->plans && i < r->n_plans; i++) {
		mem_free(r->plans[i].last_use);
		mem_free(r->plans[i].unpacked);
		mem_free(r->plans[i].quantized);
	}
	constants_release(r);
	mem_free(r->plans);
	arena_release(&r->scratch);
	mem_free(r);
}

int ref_quantizes(const struct ref *r)
{
	const struct graph *g = r->model->graph;

	for (size_t i = 0; i < g->nodes.n; i++)
		if (quantizes(g->nodes.at[i]))
			return 1;
	return 0;
}

const struct ref_plan *ref_plan(const struct ref *ref, const struct graph *g)
{
	for (size_t i = 0; i < ref->n_plans; i++)
		if (ref->plans[i].graph == g)
			return &ref->plans[i];
	return NULL;
}
