/* swap.c - verification: suspects are computed by the reference instead; the difference must go.
 *
 * The library runs the network up to what the first suspect reads; the reference computes the suspect from the
 * library's own tensors, rounding as the type does; the library goes on from there to the next suspect, and at last to
 * the outputs, which are judged as those of the whole case were.  Only the suspects have changed hands. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"

#define TRIES 3 /* single suspects that are tried */

struct exchange {
	struct blaming *b;
	struct trial *t;
	unsigned char *kinds;
	struct states known; /* inputs, and what has been computed so far */
};

/* ---- from known tensors to others -------------------------------------------------------------------------------- */

struct wanting {
	const struct exchange *x;
	char *wanted; /* by wire id */
};

static int want(struct wire *w, void *arg)
{
	struct wanting *a = arg;

	if (w->graph == a->x->t->model->graph)
		a->wanted[w->id] = 1;
	return 0;
}

static int is_needed(const struct wanting *a, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && a->wanted[n->out[i]->id] && !a->x->known.at[n->out[i]->id])
			return 1;
	return 0;
}

/* The cut from what is known to c->to: walks back until it stands on known wires. */
static int find_begin(const struct exchange *x, struct cut *c, struct err *e)
{
	const struct graph *g = x->t->model->graph;
	struct wanting a = {x, mem_array(g->wires.n, 1)};

	c->from = mem_array(g->wires.n, sizeof *c->from);
	if (!a.wanted || !c->from) {
		mem_free(a.wanted);
		return err_nomem(e, "a cut", g->wires.n);
	}
	for (size_t i = 0; i < c->n_to; i++)
		want(c->to[i], &a);
	for (size_t i = g->nodes.n; i-- > 0;)
		if (is_needed(&a, g->nodes.at[i]))
			node_for_each_read(g->nodes.at[i], want, &a);
	for (size_t i = 0; i < g->wires.n; i++)
		if (a.wanted[i] && x->known.at[i])
			c->from[c->n_from++] = g->wires.at[i];
	mem_free(a.wanted);
	return 0;
}

/* The library computes c->to.  *ok 0: it gave nothing. */
static int library_computes(struct exchange *x, struct cut *c, int *ok, struct err *e)
{
	struct trial part = {0};
	struct outcome o = {0};
	int rc = 0;

	*ok = 1;
	if (!c->n_to)
		return 0;
	rc = find_begin(x, c, e);
	if (!rc)
		rc = cut_trial(x->t, x->kinds, c, &x->known, &part, e);
	if (!rc)
		rc = blaming_run(x->b, x->b->party, &part, &o, e);
	*ok = !rc && o.values;
	for (size_t i = 0; *ok && i < c->n_to; i++)
		x->known.at[c->to[i]->id] = value_ref(o.values[i]);
	outcome_release(&o);
	trial_release(&part);
	return rc;
}

/* ---- one suspect after another ----------------------------------------------------------------------------------- */

struct swap_listing {
	const struct exchange *x;
	struct cut *cut;
};

static int list_unknown(struct wire *w, void *arg)
{
	struct swap_listing *l = arg;
	struct cut *c = l->cut;

	if (w->graph != l->x->t->model->graph || l->x->known.at[w->id] || l->x->kinds[w->id] == WIRE_CONSTANT)
		return 0;
	for (size_t i = 0; i < c->n_to; i++)
		if (c->to[i] == w)
			return 0;
	c->to[c->n_to++] = w;
	return 0;
}

/* What a node reads (NULL: the case's outputs), computed by the library. */
static int reach(struct exchange *x, const struct node *n, int *ok, struct err *e)
{
	const struct graph *g = x->t->model->graph;
	struct cut c = {.to = mem_array(g->wires.n, sizeof *c.to)};
	struct swap_listing l = {x, &c};
	int rc;

	if (!c.to)
		return err_nomem(e, "a cut", g->wires.n);
	if (n)
		node_for_each_read(n, list_unknown, &l);
	for (size_t i = 0; !n && i < g->outputs.n; i++)
		list_unknown(g->outputs.at[i], &l);
	rc = library_computes(x, &c, ok, e);
	cut_release(&c);
	return rc;
}

/* The reference computes a node from what is known. */
static int reference_computes(struct exchange *x, struct node *n, struct err *e)
{
	struct ref_options o = {.mode = REF_ROUNDED, .seed = x->t->seed};
	struct ref_result result = {0};
	struct trial part = {0};
	struct cut c = {0};
	int rc = cut_plan(x->t, x->kinds, &n, 1, 0, &c, e);

	if (!rc && c.n_to)
		rc = cut_trial(x->t, x->kinds, &c, &x->known, &part, e);
	if (!rc && c.n_to)
		rc = ref_open(part.model, &part.ref, e);
	if (!rc && c.n_to)
		rc = ref_run(part.ref, part.inputs, part.model->graph->inputs.n, &o, &result, e);
	for (size_t i = 0; i < result.n && !rc; i++)
		x->known.at[c.to[i]->id] = value_ref(result.outputs[i].value);
	ref_result_release(&result);
	trial_release(&part);
	cut_release(&c);
	return rc;
}

/* 1: all outputs are right, 0: one is wrong. */
static int judge_outputs(const struct exchange *x)
{
	const struct trial *t = x->t;
	double limit = judge_limit(&x->b->options);

	for (size_t i = 0; i < t->truth.n; i++) {
		const struct value *exact = t->truth.outputs[i].value;
		const struct value *got = x->known.at[t->model->graph->outputs.at[i]->id];
		struct judgement j;

		if (exact->kind != VALUE_TENSOR || !got || got->kind != VALUE_TENSOR)
			continue;
		judge_tensor(exact->tensor, t->truth.outputs[i].noise, got->tensor, limit, &j);
		if (verdict_is_finding(j.verdict))
			return 0;
	}
	return 1;
}

/* *effect: what becomes of the failure when the nodes (in topological order) are computed by the reference. */
static int exchange(struct blaming *b, struct node *const *nodes, size_t n, enum swap_effect *effect, struct err *e)
{
	struct trial *t = b->r->trial;
	struct exchange x = {.b = b, .t = t, .kinds = cut_kinds(t, e)};
	int ok = 1, rc = x.kinds ? states_init(&x.known, t, e) : e->code;

	for (size_t i = 0; !rc && i < t->model->graph->inputs.n; i++)
		x.known.at[t->model->graph->inputs.at[i]->id] = value_ref(t->inputs[i]);
	for (size_t i = 0; i < n && !rc && ok; i++) {
		rc = reach(&x, nodes[i], &ok, e);
		if (!rc && ok)
			rc = reference_computes(&x, nodes[i], e);
	}
	if (!rc && ok)
		rc = reach(&x, NULL, &ok, e);
	if (!rc)
		*effect = ok && judge_outputs(&x) ? SWAP_GOES : SWAP_STAYS;
	states_release(&x.known);
	mem_free(x.kinds);
	return rc;
}

/* ---- whom to try ------------------------------------------------------------------------------------------------- */

struct swap_group {
	size_t *at; /* suspects, by node */
	size_t n;
};

/* Suspects with the strongest evidence there is; without any, those with the highest rates. */
static int choose(const struct blame *b, struct swap_group *g, double *best, struct err *e)
{
	*best = 0;
	g->n = 0;
	g->at = mem_array(b->n + 1, sizeof *g->at);
	if (!g->at)
		return err_nomem(e, "suspects", b->n);
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].score > *best)
			*best = b->at[i].score;
	for (size_t i = 0; i < b->n; i++) /* a set that is guilty together has one of a little more weight */
		if (b->at[i].score + 0.5 > *best)
			g->at[g->n++] = i;
	return 0;
}

static int try_nodes(struct blaming *b, const size_t *at, size_t n, struct err *e)
{
	struct node **nodes = mem_array(n, sizeof *nodes);
	json_t *names = json_array(), *list = json_object_get(b->said, "swapped");
	enum swap_effect effect = SWAP_UNTRIED;
	int rc = nodes ? 0 : err_nomem(e, "nodes", n);

	for (size_t i = 0; i < n && !rc; i++) { /* insertion by position in the network */
		const struct node *node = b->out->at[at[i]].node;
		size_t k = i;

		for (; k > 0 && nodes[k - 1]->index > node->index; k--)
			nodes[k] = nodes[k - 1];
		nodes[k] = node->graph->nodes.at[node->index];
		json_array_append_new(names, json_string(node->name));
	}
	if (!rc)
		rc = exchange(b, nodes, n, &effect, e);
	mem_free(nodes);
	json_array_append_new(
		list,
		json_pack("{s:o, s:o}", "nodes", names, "difference",
			  effect == SWAP_UNTRIED ? json_null() : json_string(effect == SWAP_GOES ? "gone" : "stays")));
	for (size_t i = 0; i < n && !rc; i++) {
		struct suspect *s = &b->out->at[at[i]];

		s->effect = effect;
		s->blamers |= effect == SWAP_GOES ? b->bit : 0;
	}
	return rc;
}

/* The first few one by one, until one is enough. */
static int try_singles(struct blaming *b, const struct swap_group *g, struct err *e)
{
	int rc = 0, verified = 0;

	for (size_t i = 0; i < g->n && i < TRIES && !verified && !rc && !blaming_is_over(b); i++) {
		blaming_tell(b, "verifying node", b->out->at[g->at[i]].node);
		rc = try_nodes(b, &g->at[i], 1, e);
		verified = b->out->at[g->at[i]].effect == SWAP_GOES;
	}
	return rc;
}

/* Nodes that are known to be guilty must make the failure go when all of them are swapped; of several that are guilty
 * alone, one may be enough. */
static int try_guilty(struct blaming *b, const struct swap_group *g, double best, struct err *e)
{
	int rc;

	if (blaming_is_over(b))
		return 0;
	if (best >= WEIGHT_ALONE &&
	    g->n >= BLAME_ENOUGH) { /* there may be others: a failure that stays proves nothing */
		json_object_set_new(b->said, "too_many", json_integer((json_int_t)g->n));
		return 0;
	}
	rc = try_nodes(b, g->at, g->n, e);
	if (rc || g->n == 1 || g->n > TRIES || best < WEIGHT_ALONE || b->out->at[g->at[0]].effect != SWAP_GOES)
		return rc;
	return try_singles(b, g, e);
}

static int run(struct blaming *b, struct err *e)
{
	struct swap_group g = {0};
	double best;
	int rc;

	json_object_set_new(b->said, "swapped", json_array());
	if (b->r->gradient)
		return err_set(e, ERR_UNSUPPORTED, "gradients are not swapped");
	if (!b->r->trial->truth.n && !blaming_is_process(b) && (rc = trial_truth(b->r->trial, e)))
		return rc;
	rc = choose(b->out, &g, &best, e);
	if (!rc && best >= WEIGHT_TOGETHER && g.n)
		rc = try_guilty(b, &g, best, e);
	else if (!rc)
		rc = try_singles(b, &g, e);
	mem_free(g.at);
	return rc;
}

const struct blamer blamer_swap = {
	.summary = "verification: the difference is gone when the reference computes the suspect",
	.run = run,
};
