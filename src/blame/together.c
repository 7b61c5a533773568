/* together.c - the smallest set of nodes that is guilty only together.
 *
 * A library's optimizer replaces groups of nodes; its bugs show in no node alone.  The set is found in three steps: the
 * shortest beginning of the case that is guilty, of it the shortest end, and of that what remains when nodes are left
 * out one at a time.  Each try is a case of its own, cut at the reference's tensors. */
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

static int accuse(struct together_search *s, struct node *const *set, size_t n, struct err *e)
{
	struct blaming *b = s->b;
	json_t *names = json_array(), *list = json_object_get(b->said, "only_together");

	if (!list) {
		list = json_array();
		json_object_set_new(b->said, "only_together", list);
	}
	json_array_append_new(list, json_pack("{s:o, s:o, s:i}", "nodes", names, "noise_ratio",
					      json_number_or_null(s->ratio), "cases", (int)s->tried));
	for (size_t i = 0; i < n; i++) {
		const struct node *origin = blame_origin(b->r->trial, set[i]);
		struct suspect *suspect = origin ? blaming_suspect(b, origin, e) : NULL;

		if (!suspect)
			return origin ? e->code : err_set(e, ERR_INTERNAL, "'%s' is not in the case", set[i]->name);
		json_array_append_new(names, json_string(origin->name));
		/* the last one is where the set's failure shows */
		suspect->score = WEIGHT_TOGETHER + (i + 1 == n ? 0.25 : 0);
		suspect->noise_ratio = s->ratio;
		suspect->together = 1;
	}
	return 0;
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
