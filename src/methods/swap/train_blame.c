/* train_blame.c - the operator behind a gradient that is wrong at some step (declared in train.h). */
#include "base/mem.h"
#include "methods/swap/train.h"

struct train_marks {
	const struct graph *g;
	char *at; /* by wire id: depends on the parameter */
	int seen;
};

static int see(struct wire *w, void *arg)
{
	struct train_marks *m = arg;

	m->seen |= w->graph == m->g && m->at[w->id];
	return 0;
}

static void mark(struct train_marks *m)
{
	for (size_t i = 0; i < m->g->nodes.n; i++) {
		const struct node *n = m->g->nodes.at[i];

		m->seen = 0;
		node_for_each_read(n, see, m);
		for (int k = 0; k < n->n_out && m->seen; k++)
			if (n->out[k])
				m->at[n->out[k]->id] = 1;
	}
}

/* The operator of the first rank that is wrong and on the way from the parameter to the outputs, since a gradient comes
 * by no other; *out is left where there is none. */
static int find_culprit(const struct graph *g, const struct swap_result *r, const char *parameter,
			const struct swap_op **out, struct err *e)
{
	struct train_marks m = {g, mem_array(g->wires.n, 1), 0};

	if (!m.at)
		return err_nomem(e, "a network", g->wires.n);
	m.at[graph_wire(g, parameter)->id] = 1;
	mark(&m);
	for (size_t i = 0; i < r->n && !*out; i++) {
		m.seen = 0;
		node_for_each_read(r->ops[i].node, see, &m);
		if (m.seen && verdict_is_finding(r->ops[i].verdict))
			*out = &r->ops[i];
	}
	mem_free(m.at);
	return 0;
}

int train_blame(struct train_result *r, const struct train_request *q, struct err *e)
{
	const char *parameter = r->steps[r->parted - 1].gradient.parameter->name;
	int rc = 0;

	if (r->parted == 1 && q->before)
		rc = find_culprit(q->trial->model->graph, q->before, parameter, &r->culprit, e);
	if (rc || r->culprit)
		return rc;
	rc = swap_run(&r->trial, q->base, q->test, q->swap, &r->blame, e);
	return rc ? rc : find_culprit(r->trial.model->graph, &r->blame, parameter, &r->culprit, e);
}
