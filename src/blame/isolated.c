/* isolated.c - every node alone on the library, fed with the reference's own tensors, judged by the rounding oracle.
 *
 * Hundreds of nodes are not tried one by one: a guilty case is cut into at most PIECES parts of neighbouring nodes,
 * each part is a case of its own (see cut.c), and only guilty parts are cut further.  A part has less rounding noise
 * than the whole, so what is beyond noise in the whole is so in the part that makes it.
 *
 * When no part of a guilty case is guilty, the nodes that make constants for it are tried, and after them the smallest
 * set of nodes that is guilty only together (together.c): so show bugs of a library's optimizer, which fuses nodes.
 * The same search finds what crashes, hangs or is refused. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"

#define PIECES 16

struct isolation {
	struct blaming *b;
	size_t found;     /* guilty nodes */
	size_t tried;     /* cases run */
	int in_constants; /* parts of nodes that make constants are tried */
};

/* ---- one node ---------------------------------------------------------------------------------------------------- */

static void say_alone(struct blaming *b, const struct node *n, const struct outcome *o, json_t *parameters)
{
	json_t *list = json_object_get(b->said, "alone");

	if (!list) {
		list = json_array();
		json_object_set_new(b->said, "alone", list);
	}
	json_array_append_new(list,
			      json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "node", n->name, "op", n->op_type, "verdict",
					verdict_name(o->verdict), "noise_ratio", json_number_or_null(blaming_ratio(o)),
					"reason", json_text(o->reason), "parameters", parameters));
}

/* `alone` is a case of one node, and guilty. */
static int accuse(struct isolation *s, struct trial *alone, const struct node *n, const struct outcome *o,
		  struct err *e)
{
	struct blaming *b = s->b;
	const struct node *origin = blame_origin(b->r->trial, n);
	struct guilty_parameters parameters = {.said = json_array()};
	struct suspect *suspect;
	int rc = 0;

	if (!origin)
		return err_set(e, ERR_INTERNAL, "node '%s' is not in the case", n->name);
	if (!s->found++ && !b->r->gradient) /* one is enough: the others are mostly of the same kind */
		rc = blame_parameters(b, alone, origin, 0, &parameters, e);
	say_alone(b, origin, o, parameters.said);
	suspect = rc ? NULL : blaming_suspect(b, origin, e);
	if (!suspect)
		return e->code;
	suspect->score = WEIGHT_ALONE;
	suspect->noise_ratio = blaming_ratio(o);
	if (parameters.n)
		suspect->parameter = blaming_parameters(b, &parameters, e);
	return suspect->parameter ? 0 : e->code;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static int isolate(struct isolation *s, struct trial *t, struct node *const *nodes, size_t n, struct err *e);

/* A part as a case; its nodes are those of `nodes` that it still has. */
static int look_into(struct isolation *s, struct trial *whole, struct trial *part, struct node *const *nodes, size_t n,
		     const struct outcome *o, struct err *e)
{
	const struct graph *g = part->model->graph;
	struct node **inside = mem_array(n, sizeof *inside);
	size_t count = 0;
	int rc = inside ? 0 : err_nomem(e, "nodes", n * sizeof *inside);

	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		const struct node *origin = blame_origin(whole, g->nodes.at[i]);

		for (size_t k = 0; k < n && count < n; k++)
			if (nodes[k] == origin) {
				inside[count++] = g->nodes.at[i];
				break;
			}
	}
	if (!rc && n == 1 && count == 1)
		rc = accuse(s, part, inside[0], o, e);
	else if (!rc && count)
		rc = isolate(s, part, inside, count, e);
	mem_free(inside);
	return rc;
}

/* Neighbouring nodes, and the cut around them. */
struct piece {
	struct node *const *nodes;
	size_t n;
	struct cut cut;
};

/* Runs one part; goes into it when it is guilty. */
static int try_part(struct isolation *s, struct trial *t, const unsigned char *kinds, const struct piece *p,
		    const struct states *states, int *guilty, struct err *e)
{
	struct trial part = {0};
	struct outcome o = {0};
	int rc = cut_trial(t, kinds, &p->cut, states, &part, e);

	*guilty = 0;
	blaming_tell(s->b, "localizing node", p->nodes[0]);
	if (!rc) {
		s->tried++;
		rc = blaming_judge(s->b, &part, &o, guilty, e);
	}
	if (!rc && *guilty)
		rc = look_into(s, t, &part, p->nodes, p->n, &o, e);
	outcome_release(&o);
	trial_release(&part);
	return rc;
}

/* Cuts t into parts and tries each; *guilty says whether one of them was. */
static int try_parts(struct isolation *s, struct trial *t, const unsigned char *kinds, struct node *const *nodes,
		     size_t n, int *guilty, struct err *e)
{
	size_t count = n < PIECES ? n : PIECES;
	struct piece pieces[PIECES] = {{0}};
	struct states states = {0};
	int rc = states_init(&states, t, e);

	*guilty = 0;
	for (size_t i = 0; i < count && !rc; i++) {
		struct piece *p = &pieces[i];

		p->nodes = nodes + i * n / count;
		p->n = (i + 1) * n / count - i * n / count;
		rc = cut_plan(t, kinds, p->nodes, p->n, p->n == 1, &p->cut, e);
		if (!rc)
			states_want(&states, &p->cut, s->b->r->gradient);
	}
	if (!rc)
		rc = states_take(&states, t, e);
	for (size_t i = 0; i < count && !rc; i++) {
		int one = 0;

		if (!pieces[i].cut.n_to || s->found >= BLAME_ENOUGH || blaming_is_over(s->b))
			continue;
		rc = try_part(s, t, kinds, &pieces[i], &states, &one, e);
		*guilty |= one;
	}
	states_release(&states);
	for (size_t i = 0; i < count; i++)
		cut_release(&pieces[i].cut);
	return rc;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* Nodes of t that make constants or not. */
static struct node **nodes_of_kind(const struct trial *t, const unsigned char *kinds, int constant, size_t *n,
				   struct err *e)
{
	const struct graph *g = t->model->graph;
	struct node **list = mem_array(g->nodes.n, sizeof *list);

	*n = 0;
	if (!list)
		err_nomem(e, "nodes", g->nodes.n * sizeof *list);
	for (size_t i = 0; list && i < g->nodes.n; i++) {
		struct node *node = g->nodes.at[i];
		int made = 1;

		for (int k = 0; k < node->n_out; k++)
			made &= !node->out[k] || kinds[node->out[k]->id] == WIRE_CONSTANT;
		if (made == constant)
			list[(*n)++] = node;
	}
	return list;
}

/* A part of the constants computes all that they are made of: to try those again there would have no end. */
static int try_constants(struct isolation *s, struct trial *t, const unsigned char *kinds, int *guilty, struct err *e)
{
	struct node **nodes;
	size_t n;
	int rc = 0;

	*guilty = 0;
	if (s->b->r->gradient || s->in_constants)
		return 0;
	nodes = nodes_of_kind(t, kinds, 1, &n, e);
	if (!nodes)
		return e->code;
	s->in_constants = 1;
	if (n)
		rc = try_parts(s, t, kinds, nodes, n, guilty, e);
	s->in_constants = 0;
	mem_free(nodes);
	return rc;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static int isolate(struct isolation *s, struct trial *t, struct node *const *nodes, size_t n, struct err *e)
{
	unsigned char *kinds = cut_kinds(t, e);
	int guilty = 0, rc = kinds ? 0 : e->code;

	if (!rc)
		rc = try_parts(s, t, kinds, nodes, n, &guilty, e);
	if (!rc && !guilty && !blaming_is_over(s->b))
		rc = try_constants(s, t, kinds, &guilty, e);
	if (!rc && !guilty && !blaming_is_over(s->b))
		rc = blame_together(s->b, t, kinds, nodes, n, e);
	mem_free(kinds);
	return rc;
}

static int run(struct blaming *b, struct err *e)
{
	struct isolation s = {.b = b};
	struct trial *t = b->r->trial;
	unsigned char *kinds;
	struct node **nodes;
	size_t n;
	int rc = t->ref ? 0 : ref_open(t->model, &t->ref, e);

	if (rc)
		return rc;
	kinds = cut_kinds(t, e);
	nodes = kinds ? nodes_of_kind(t, kinds, 0, &n, e) : NULL;
	rc = nodes ? 0 : e->code;
	mem_free(kinds);
	if (!rc)
		rc = isolate(&s, t, nodes, n, e);
	mem_free(nodes);
	json_object_set_new(b->said, "cases", json_integer((json_int_t)s.tried));
	if (s.found >= BLAME_ENOUGH)
		json_object_set_new(b->said, "stopped_at", json_integer((json_int_t)s.found));
	return rc;
}

const struct blamer blamer_isolated = {
	.summary = "every node alone on the library, fed with the reference's tensors, judged by the rounding oracle",
	.run = run,
};
