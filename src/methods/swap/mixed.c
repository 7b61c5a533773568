/* mixed.c - see mixed.h: bindings, segments, and the sessions that are kept of them. */
#include "methods/swap/mixed.h"

#include "base/mem.h"
#include "judge/session.h"
#include "methods/swap/internal.h"

/* Sessions beyond the plan that are kept, and the bytes of models in all sessions above which they are not. */
#define KEEP_SEGMENTS 32
#define KEEP_BYTES ((size_t)256 << 20)

/* ---- one segment ------------------------------------------------------------------------------------------------- */

static void segment_free(struct mixed *m, struct segment *s)
{
	if (s->loaded)
		session_unload(m->parties[s->party], s->session);
	cut_release(&s->cut);
	trial_release(&s->part);
	mem_free(s->grads_of);
	mem_free(s);
}

/* The gradients that the way back needs of a segment: of what it reads from others, and of parameters. */
static int list_gradients(const struct mixed *m, struct segment *s, struct err *e)
{
	const struct graph *whole = m->t->model->graph, *g = s->part.model->graph;
	struct trial *p = &s->part;
	size_t n = 0;

	p->grad_wires = mem_array(g->wires.n, sizeof *p->grad_wires);
	p->grads = mem_array(g->wires.n, sizeof *p->grads);
	p->grad_noise = mem_array(g->wires.n, sizeof *p->grad_noise);
	s->grads_of = mem_array(g->wires.n, sizeof *s->grads_of);
	if (!p->grad_seeds)
		p->grad_seeds = mem_array(g->outputs.n, sizeof *p->grad_seeds);
	if (!p->grad_wires || !p->grads || !p->grad_noise || !s->grads_of || !p->grad_seeds)
		return err_nomem(e, "gradients", g->wires.n);
	for (size_t i = 0; i < g->wires.n; i++) {
		struct wire *w = g->wires.at[i], *there = graph_wire(whole, w->name);

		if (w->producer || !there || !m->flow[there->id])
			continue;
		p->grad_wires[n] = w;
		s->grads_of[n++] = there;
	}
	p->n_grads = n;
	return 0;
}

static int segment_make(struct mixed *m, size_t party, size_t first, size_t n, struct segment **out, struct err *e)
{
	struct node *const *nodes = &m->t->model->graph->nodes.at[first];
	struct segment *s = mem_array(1, sizeof *s);
	int rc;

	if (!s)
		return err_nomem(e, "a segment", sizeof *s);
	*s = (struct segment){.party = party, .first = first, .n = n};
	rc = cut_plan(m->t, m->kinds, nodes, n, 1, &s->cut, e);
	if (!rc && s->cut.n_to)
		rc = cut_trial(m->t, m->kinds, &s->cut, &m->known, &s->part, e);
	if (!rc && s->cut.n_to && m->gradients)
		rc = list_gradients(m, s, e);
	if (rc)
		segment_free(m, s);
	else
		*out = s;
	return rc;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static struct segment *find(const struct mixed *m, size_t party, size_t first, size_t n)
{
	for (size_t i = 0; i < m->cache.n; i++) {
		struct segment *s = m->cache.at[i];

		if (s->party == party && s->first == first && s->n == n)
			return s;
	}
	return NULL;
}

/* Gives back the sessions that were not used for longest; those of the plan have just been. */
static void forget_oldest(struct mixed *m)
{
	for (;;) {
		size_t bytes = 0, oldest = 0;

		for (size_t i = 0; i < m->cache.n; i++) {
			bytes += m->cache.at[i]->part.bytes.len;
			if (m->cache.at[i]->used < m->cache.at[oldest]->used)
				oldest = i;
		}
		if (m->cache.n <= m->plan.n || m->cache.at[oldest]->used == m->clock)
			return;
		if (m->cache.n <= m->plan.n + KEEP_SEGMENTS && bytes <= KEEP_BYTES)
			return;
		segment_free(m, m->cache.at[oldest]);
		m->cache.at[oldest] = m->cache.at[--m->cache.n];
	}
}

static int plan_segment(struct mixed *m, size_t first, size_t n, struct err *e)
{
	size_t party = m->binding[first];
	struct segment *s = find(m, party, first, n);
	int rc = s ? 0 : segment_make(m, party, first, n, &s, e);

	if (rc)
		return rc;
	if (!find(m, party, first, n) && vec_push(&m->cache, s)) {
		segment_free(m, s);
		return err_nomem(e, "segments", m->cache.n);
	}
	s->used = m->clock;
	return vec_push(&m->plan, s) ? err_nomem(e, "segments", m->plan.n) : 0;
}

int mixed_plan(struct mixed *m, struct err *e)
{
	size_t total = m->t->model->graph->nodes.n, next;
	int rc = 0;

	if (m->planned)
		return 0;
	m->plan.n = 0;
	m->clock++;
	for (size_t first = 0; first < total && !rc; first = next) {
		for (next = first + 1; next < total && m->binding[next] == m->binding[first];)
			next++;
		rc = plan_segment(m, first, next - first, e);
	}
	if (rc)
		return rc;
	forget_oldest(m);
	m->planned = 1;
	return 0;
}

void mixed_rebind(struct mixed *m, const struct node *n, size_t party)
{
	if (m->binding[n->index] == party)
		return;
	m->binding[n->index] = party;
	m->planned = 0;
}

size_t mixed_binding(const struct mixed *m, const struct node *n)
{
	return m->binding[n->index];
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

struct mixed_reading {
	const struct mixed *m;
	int any;
};

static int see_flow(struct wire *w, void *arg)
{
	struct mixed_reading *r = arg;

	r->any |= w->graph == r->m->t->model->graph && r->m->flow[w->id] & 2;
	return 0;
}

/* Gradients flow where an output depends on a wire (bit 0) and the wire on an input or parameter (bit 1). */
static int find_flow(struct mixed *m, struct err *e)
{
	const struct graph *g = m->t->model->graph;

	m->flow = trial_gradient_flow(m->t, e);
	if (!m->flow)
		return e->code;
	for (size_t i = 0; i < m->t->n_grads; i++)
		m->flow[m->t->grad_wires[i]->id] |= 2;
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct mixed_reading r = {m, 0};

		node_for_each_read(g->nodes.at[i], see_flow, &r);
		for (int o = 0; r.any && o < g->nodes.at[i]->n_out; o++)
			if (g->nodes.at[i]->out[o])
				m->flow[g->nodes.at[i]->out[o]->id] |= 2;
	}
	for (size_t i = 0; i < g->wires.n; i++) {
		m->flow[i] = m->flow[i] == 3;
		if (m->flow[i] && g->wires.at[i]->producer)
			m->kinds[i] = WIRE_DATA; /* a weight that nodes make: its gradient goes on to them */
	}
	return 0;
}

static int open_gradients(struct mixed *m, struct err *e)
{
	int rc = m->t->grad_seeds ? 0 : trial_seed_gradients(m->t, e);

	if (!rc)
		rc = trial_truth_gradients(m->t, e);
	return rc ? rc : find_flow(m, e);
}

static int open_mixed(struct mixed *m, const size_t *binding, struct err *e)
{
	const struct graph *g = m->t->model->graph;
	int rc = trial_truth(m->t, e);

	if (!rc && m->t->invalid)
		return err_set(e, ERR_INPUT, "the model is not valid: %.800s", m->t->why.msg);
	m->binding = mem_array(g->nodes.n + 1, sizeof *m->binding);
	m->values = mem_array(g->wires.n + 1, sizeof *m->values);
	m->sums = mem_array(g->wires.n + 1, sizeof *m->sums);
	if (!rc && (!m->binding || !m->values || !m->sums))
		rc = err_nomem(e, "a mixed network", g->wires.n);
	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		m->binding[i] = binding[i];
	if (!rc && !(m->kinds = cut_kinds(m->t, e)))
		rc = e->code;
	if (!rc && m->gradients)
		rc = open_gradients(m, e);
	if (!rc)
		rc = states_init(&m->known, m->t, e);
	if (rc)
		return rc;
	states_want_all(&m->known, m->gradients);
	return states_take(&m->known, m->t, e);
}

int mixed_open(struct trial *t, struct party *const *parties, size_t n, const size_t *binding, int gradients,
	       struct mixed **out, struct err *e)
{
	struct mixed *m = mem_array(1, sizeof *m);
	int rc;

	if (!m)
		return err_nomem(e, "a mixed network", sizeof *m);
	*m = (struct mixed){.t = t, .parties = parties, .n_parties = n, .gradients = gradients};
	rc = open_mixed(m, binding, e);
	if (rc)
		mixed_close(m);
	else
		*out = m;
	return rc;
}

void mixed_close(struct mixed *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->cache.n; i++)
		segment_free(m, m->cache.at[i]);
	vec_release(&m->cache);
	vec_release(&m->plan);
	for (size_t i = 0; i < m->t->model->graph->wires.n; i++) {
		if (m->values)
			value_unref(m->values[i]);
		if (m->sums)
			tensor_unref(m->sums[i]);
	}
	states_release(&m->known);
	mem_free(m->binding);
	mem_free(m->kinds);
	mem_free(m->flow);
	mem_free(m->values);
	mem_free(m->sums);
	mem_free(m);
}

int mixed_part(struct mixed *m, size_t first, size_t n, struct trial *out, int *empty, struct err *e)
{
	struct cut c = {0};
	int rc = cut_plan(m->t, m->kinds, &m->t->model->graph->nodes.at[first], n, 1, &c, e);

	*empty = !rc && !c.n_to;
	if (!rc && !*empty)
		rc = cut_trial(m->t, m->kinds, &c, &m->known, out, e);
	cut_release(&c);
	return rc;
}

int mixed_segment(struct mixed *m, size_t i, size_t *first, size_t *n, size_t *party)
{
	if (!m->planned || i >= m->plan.n)
		return 0;
	*first = m->plan.at[i]->first;
	*n = m->plan.at[i]->n;
	*party = m->plan.at[i]->party;
	return 1;
}
