/* alone.c - is a case whose numbers are explained by a lower precision, or by one quantization step, right in all of
 * its nodes?  (declared in blame.h)
 *
 * What a network is off by then is large, and a fault may hide in it.  A node alone, fed with right numbers, is off by
 * its own roundings only: there it shows. */
#include "base/clock.h"
#include "base/mem.h"
#include "blame/internal.h"
#include "judge/unjudged.h"

#define TOGETHER 16 /* parts that are recorded in one run of the reference */
#define PARTS 96    /* at most: larger networks are looked at by a few neighbouring nodes at a time */

struct part {
	struct node *const *nodes;
	size_t n;
	struct cut cut;
};

static int try_part(struct blaming *b, const unsigned char *kinds, const struct part *p, const struct states *states,
		    int *wrong, struct err *e)
{
	struct outcome o = {0};
	struct trial alone = {0};
	double start = clock_now(), before = b->out->seconds;
	int rc = cut_trial(b->r->trial, kinds, &p->cut, states, &alone, e);

	if (!rc)
		rc = blaming_judge(b, &alone, &o, wrong, e);
	outcome_release(&o);
	trial_release(&alone);
	b->out->seconds = before + clock_now() - start; /* the reference takes most of it */
	return rc;
}

/* Parts [0, n), up to the first that is wrong: *guilty. */
static int try_batch(struct blaming *b, const unsigned char *kinds, struct part *parts, size_t n,
		     const struct node **guilty, struct err *e)
{
	struct states states = {0};
	int rc = states_init(&states, b->r->trial, e), wrong = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		rc = cut_plan(b->r->trial, kinds, parts[i].nodes, parts[i].n, parts[i].n == 1, &parts[i].cut, e);
		if (!rc)
			states_want(&states, &parts[i].cut, 0);
	}
	if (!rc)
		rc = states_take(&states, b->r->trial, e);
	for (size_t i = 0; i < n && !rc && !*guilty && !blaming_is_over(b); i++) {
		wrong = 0;
		blaming_tell(b, "judging each node alone, node", parts[i].nodes[0]);
		if (parts[i].cut.n_to)
			rc = try_part(b, kinds, &parts[i], &states, &wrong, e);
		if (wrong)
			*guilty = parts[i].nodes[parts[i].n - 1];
	}
	for (size_t i = 0; i < n; i++)
		cut_release(&parts[i].cut);
	states_release(&states);
	return rc;
}

/* Nodes that depend on what is given. */
static size_t nodes_of_data(const struct graph *g, const unsigned char *kinds, struct node **out)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nodes.n; i++) {
		int data = 0;

		for (int k = 0; k < g->nodes.at[i]->n_out; k++)
			data |= g->nodes.at[i]->out[k] && kinds[g->nodes.at[i]->out[k]->id] == WIRE_DATA;
		if (data)
			out[n++] = g->nodes.at[i];
	}
	return n;
}

/* From small integers to real numbers: libraries take it and what follows for one operation on integers, and without it
 * they may compute in another precision than in the whole network. */
static int dequantizes(const struct node *n)
{
	const struct wire *in = n->n_in ? n->in[0] : NULL, *out = n->n_out ? n->out[0] : NULL;

	return in && out && dtype_wide(in->type.dtype) == WIDE_I64 && dtype_bits(in->type.dtype) <= 8 &&
	       dtype_is_float(out->type.dtype);
}

static int try_all(struct blaming *b, const unsigned char *kinds, struct node **nodes, const struct node **guilty,
		   struct err *e)
{
	size_t n = nodes_of_data(b->r->trial->model->graph, kinds, nodes), count = n < PARTS ? n : PARTS;
	int rc = 0;

	for (size_t first = 0; first < count && !rc && !*guilty; first += TOGETHER) {
		struct part parts[TOGETHER] = {{0}};
		size_t some = count - first < TOGETHER ? count - first : TOGETHER;

		for (size_t i = 0; i < some; i++) {
			size_t from = (first + i) * n / count, to = (first + i + 1) * n / count;

			while (from > 0 && dequantizes(nodes[from - 1]))
				from--;
			parts[i] = (struct part){.nodes = nodes + from, .n = to - from};
		}
		rc = try_batch(b, kinds, parts, some, guilty, e);
	}
	return rc;
}

int blame_alone(const struct blame_request *r, const struct node **guilty, struct err *e)
{
	const struct outcome wrong = {.verdict = VERDICT_WRONG};
	struct blame_request q = *r;
	struct blame out = {0};
	struct blaming b;
	struct node **nodes = mem_array(r->trial->model->graph->nodes.n + 1, sizeof *nodes);
	unsigned char *kinds = nodes ? cut_kinds(r->trial, e) : NULL;
	int rc;

	*guilty = NULL;
	if (!kinds) {
		rc = nodes ? e->code : err_nomem(e, "nodes", 0);
		mem_free(nodes);
		return rc;
	}
	q.outcome = &wrong;
	rc = blaming_begin(&b, &q, &out, e);
	if (!rc) {
		b.said = json_object();
		rc = try_all(&b, kinds, nodes, guilty, e);
		json_decref(b.said);
		b.said = NULL;
		blaming_end(&b);
	}
	blame_release(&out);
	mem_free(kinds);
	mem_free(nodes);
	return rc;
}

int blame_verdict_alone(const struct blame_request *r, const struct node *n, enum verdict *out, struct err *e)
{
	const struct cut_nodes one = {
		.at = &r->trial->model->graph->nodes.at[n->index], .n = 1, .values = 1, .gradient = r->gradient};
	unsigned char *kinds = cut_kinds(r->trial, e);
	struct trial part = {0};
	struct outcome alone = {0};
	int empty = 0, rc = kinds ? cut_once(r->trial, kinds, &one, &part, &empty, e) : e->code;

	if (!rc && !empty)
		rc = r->gradient ? trial_judge_gradients(&part, r->accused, r->options, &alone, e)
				 : trial_judge(&part, r->accused, r->options, &alone, e);
	if (r->gradient && unjudged_status(rc)) { /* nothing that has a gradient is left */
		err_clear(e);
		empty = 1;
		rc = 0;
	}
	*out = empty ? VERDICT_VACUOUS : alone.verdict;
	outcome_release(&alone);
	trial_release(&part);
	mem_free(kinds);
	return rc;
}
