/* together.c - the smallest set of nodes that is guilty only together.
 *
 * A library's optimizer replaces groups of nodes; its bugs show in no node alone.  The set is found in three steps: the
 * shortest beginning of the case that is guilty, of it the shortest end, and of that what remains when nodes are left
 * out one at a time.  Each try is a case of its own, cut at the reference's tensors.  Of the set the node is named that
 * is computed wrong where it can be looked at (expose.c); else the set is what the library has fused, and no node of
 * it. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"

#define MAX_SINGLE_TRIES 24 /* larger sets are not thinned out node by node */

struct together_search {
	struct blaming *b;
	struct trial *t;
	const unsigned char *kinds;
	double ratio; /* of the smallest guilty set so far */
	size_t tried;
};

static int is_guilty(struct together_search *s, struct node *const *nodes, size_t n, int *guilty, struct err *e)
{
	const struct cut_nodes cut = {.at = nodes, .n = n, .values = n == 1, .gradient = s->b->r->gradient};
	struct trial part = {0};
	struct outcome o = {0};
	int empty = 0, rc;

	*guilty = 0;
	if (!n || blaming_is_over(s->b))
		return 0;
	rc = cut_once(s->t, s->kinds, &cut, &part, &empty, e);
	if (rc || empty)
		return rc;
	s->tried++;
	rc = blaming_judge(s->b, &part, &o, guilty, e);
	if (!rc && *guilty)
		s->ratio = blaming_ratio(&o);
	outcome_release(&o);
	trial_release(&part);
	return rc;
}

/* The fewest nodes, counted from one end, that are guilty: *n of them.  All are. */
static int shorten(struct together_search *s, struct node *const *nodes, size_t *n, int from_front, struct err *e)
{
	size_t good = 0, bad = *n; /* so many are not enough; so many are */
	int rc = 0;

	while (bad - good > 1 && !rc) {
		size_t half = good + (bad - good) / 2;
		int guilty;

		rc = is_guilty(s, from_front ? nodes : nodes + *n - half, half, &guilty, e);
		if (!rc && guilty)
			bad = half;
		else
			good = half;
	}
	*n = bad;
	return rc;
}

/* Leaves out what is not needed, the last node first. */
static int thin_out(struct together_search *s, struct node **set, size_t *n, struct err *e)
{
	int rc = 0;

	for (size_t i = *n; i-- > 0 && *n > 1 && *n <= MAX_SINGLE_TRIES && !rc;) {
		struct node *left_out = set[i];
		int guilty;

		memmove(set + i, set + i + 1, (*n - i - 1) * sizeof *set);
		rc = is_guilty(s, set, *n - 1, &guilty, e);
		if (!rc && guilty) {
			--*n;
			continue;
		}
		memmove(set + i + 1, set + i, (*n - i - 1) * sizeof *set);
		set[i] = left_out;
	}
	return rc;
}

/* A set as it is seen when it is cut out. */
struct together_look {
	struct exposure seen;
	const char *wrong; /* name of the node of the set that is computed wrong; NULL: none can be told */
	json_t *ops;       /* operators of all nodes, with those that make constants for them */
};

/* Looks at all that the nodes of the set make; a set that cannot be cut out is not looked at. */
static int look(struct together_search *s, struct node *const *set, size_t n, struct together_look *out, struct err *e)
{
	const struct cut_nodes cut = {.at = set, .n = n, .gradient = s->b->r->gradient};
	struct trial part = {0};
	int empty = 0, rc = cut_once(s->t, s->kinds, &cut, &part, &empty, e);

	*out = (struct together_look){.seen = {.index = -1}, .ops = json_array()};
	for (size_t i = 0; !rc && !empty && i < part.model->graph->nodes.n; i++)
		json_array_append_new(out->ops, json_string(part.model->graph->nodes.at[i]->op_type));
	if (!rc && !empty && !blaming_is_over(s->b))
		rc = blame_expose(s->b, &part, &out->seen, e);
	for (size_t i = 0; i < n && !rc && out->seen.index >= 0; i++)
		if (blame_origin(s->t, part.model->graph->nodes.at[out->seen.index]) == set[i])
			out->wrong = set[i]->name;
	trial_release(&part);
	if (rc == ERR_UNSUPPORTED || rc == ERR_INPUT || rc == ERR_LIMIT) {
		err_clear(e);
		rc = 0;
	}
	return rc;
}

/* The entry of the set in the evidence, to which names of nodes are added. */
static json_t *say_set(struct together_search *s, const struct together_look *l)
{
	json_t *list = json_object_get(s->b->said, "only_together"), *names = json_array();
	json_t *entry =
		json_pack("{s:o, s:o, s:o, s:i, s:b}", "nodes", names, "ops", l->ops, "noise_ratio",
			  json_number_or_null(s->ratio), "cases", (int)s->tried, "exposing_hides", l->seen.hides);

	if (!list) {
		list = json_array();
		json_object_set_new(s->b->said, "only_together", list);
	}
	if (l->wrong)
		json_object_set_new(entry, "wrong", json_text(l->wrong));
	json_array_append_new(list, entry);
	return names;
}

static int accuse(struct together_search *s, struct node *const *set, size_t n, struct err *e)
{
	struct blaming *b = s->b;
	struct together_look l;
	int rc = look(s, set, n, &l, e), alone = json_array_size(l.ops) == 1;
	json_t *names = say_set(s, &l);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct node *origin = blame_origin(b->r->trial, set[i]);
		struct suspect *suspect = origin ? blaming_suspect(b, origin, e) : NULL;
		int named = alone || (l.wrong && !strcmp(l.wrong, set[i]->name));

		if (!suspect)
			return origin ? e->code : err_set(e, ERR_INTERNAL, "'%s' is not in the case", set[i]->name);
		json_array_append_new(names, json_string(origin->name));
		/* the last one is where the set's failure shows, which does not make it guilty */
		suspect->score = WEIGHT_TOGETHER + (named ? WEIGHT_EXPOSED : i + 1 == n ? 0.25 : 0);
		suspect->noise_ratio = l.wrong && named ? l.seen.ratio : s->ratio;
		suspect->together = !named;
	}
	return rc;
}

int blame_together(struct blaming *b, struct trial *t, const unsigned char *kinds, struct node *const *nodes, size_t n,
		   struct err *e)
{
	struct together_search s = {.b = b, .t = t, .kinds = kinds, .ratio = NAN};
	struct node **set = mem_array(n, sizeof *set);
	size_t front = n, count;
	int guilty, rc = set ? 0 : err_nomem(e, "nodes", n * sizeof *set);

	if (!rc)
		rc = shorten(&s, nodes, &front, 1, e);
	count = front;
	if (!rc)
		rc = shorten(&s, nodes, &count, 0, e);
	if (!rc) {
		memcpy(set, nodes + front - count, count * sizeof *set);
		rc = thin_out(&s, set, &count, e);
	}
	if (!rc && isnan(s.ratio)) /* nothing smaller is guilty: how far off is the whole? */
		rc = is_guilty(&s, set, count, &guilty, e);
	if (!rc)
		rc = accuse(&s, set, count, e);
	mem_free(set);
	return rc;
}
