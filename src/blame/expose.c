/* expose.c - of nodes that fail only together, the one that is computed wrong.
 *
 * All that the nodes make becomes an output.  Where the failure is gone then it hangs on what the library does with
 * them together (it fuses them, or gives them one buffer), and only the set can be blamed.  Where it stays, each node's
 * own answer can be held against the reference's for what the library itself gave the node: a node that passes on, or
 * makes larger, what came in is right by that, however far off it is.
 */
#include <math.h>

#include "base/mem.h"
#include "blame/internal.h"

/* Every tensor that a node makes becomes an output. */
static int expose(struct model *m, void *arg, struct err *e)
{
	struct graph *g = m->graph;

	(void)arg;
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_out; k++) {
			struct wire *w = g->nodes.at[i]->out[k];
			int rc = w && !graph_has_output(g, w) ? graph_add_output(g, w, e) : 0;

			if (rc)
				return rc;
		}
	return 0;
}

/* Whether one of the first n outputs is wrong. */
static int some_wrong(const struct outcome *o, size_t n)
{
	for (size_t i = 0; o->judged && i < n && i < o->n; i++)
		if (verdict_is_finding(o->judged[i].verdict))
			return 1;
	return 0;
}

/* What the library had on all wires. */
static int take_states(const struct trial *t, const struct outcome *o, struct states *s, struct err *e)
{
	const struct graph *g = t->model->graph;
	int rc = states_init(s, t, e);

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		s->at[g->inputs.at[i]->id] = value_ref(t->inputs[i]);
	for (size_t i = 0; i < g->outputs.n && i < o->n && !rc; i++)
		if (!s->at[g->outputs.at[i]->id])
			s->at[g->outputs.at[i]->id] = value_ref(o->values[i]);
	return rc;
}

/* *ratio: how far what the library made of its own inputs is from what the reference makes of them. */
static int measure_node(struct trial *t, const unsigned char *kinds, struct node *n, const struct states *s,
			double *ratio, struct err *e)
{
	struct trial alone = {0};
	struct cut c = {0};
	int rc = cut_plan(t, kinds, &n, 1, 1, &c, e);

	*ratio = 0;
	if (!rc && c.n_to)
		rc = cut_trial(t, kinds, &c, s, &alone, e);
	if (!rc && c.n_to)
		rc = trial_truth(&alone, e);
	for (size_t i = 0; i < alone.truth.n && !rc; i++) {
		struct judgement j = {.ratio = 0};

		judge_value(alone.truth.outputs[i].value, alone.truth.outputs[i].noise, s->at[c.to[i]->id], JUDGE_LIMIT,
			    &j);
		*ratio = fmax(*ratio, j.ratio);
	}
	trial_release(&alone);
	cut_release(&c);
	return rc;
}

static int measure_nodes(struct trial *t, const struct states *s, double limit, struct exposure *out, struct err *e)
{
	const struct graph *g = t->model->graph;
	unsigned char *kinds = cut_kinds(t, e);
	int rc = kinds ? 0 : e->code;

	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		double ratio;

		rc = measure_node(t, kinds, g->nodes.at[i], s, &ratio, e);
		if (!rc && ratio > limit && ratio > out->ratio) {
			out->index = (int)i;
			out->ratio = ratio;
		}
	}
	mem_free(kinds);
	return rc;
}

int blame_expose(struct blaming *b, struct trial *part, struct exposure *out, struct err *e)
{
	double limit = judge_limit(&b->options);
	struct trial seen = {0};
	struct outcome o = {0};
	struct states s = {0};
	int guilty, rc;

	*out = (struct exposure){.index = -1};
	if (blaming_is_process(b) || b->r->gradient || part->model->graph->nodes.n < 2)
		return 0;
	rc = blame_variant(part, expose, NULL, NULL, &seen, e);
	if (!rc)
		rc = blaming_judge(b, &seen, &o, &guilty, e);
	out->hides = !rc && o.values && !some_wrong(&o, part->model->graph->outputs.n);
	if (!rc && o.values && !out->hides)
		rc = take_states(&seen, &o, &s, e);
	if (!rc && s.n)
		rc = measure_nodes(&seen, &s, limit, out, e);
	states_release(&s);
	outcome_release(&o);
	trial_release(&seen);
	return rc;
}
