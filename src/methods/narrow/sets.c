/* sets.c - the smallest set of nodes that has to stay in float32, as far as it is found.
 *
 * Nodes by their effect, as many of the worst as are needed; or all from one end of the network; then what can be left
 * out again, many at once, at last one by one.  Each set that is accepted was run on all the data. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "methods/narrow/internal.h"

struct sets_search {
	struct narrow_job *j;
	size_t *order; /* of able[], first those to keep */
	size_t *best;  /* the order that led to the smallest set */
	char *kept;    /* by able */
	char *tried;   /* by able: with some left out */
	unsigned char *low;
	struct narrow_reach reach;
	size_t done;
};

/* The share of a node in what its group does. */
static double share_of(const struct narrow_job *j, size_t i)
{
	return j->together[i] ? j->effect[i] / (double)j->together[i] : 0;
}

struct sets_key {
	double share;
	size_t at;
};

static int worse_first(const void *a, const void *b)
{
	const struct sets_key *x = a, *y = b;

	if (x->share > y->share || x->share < y->share)
		return x->share > y->share ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int order_by_effect(struct sets_search *s, struct err *e)
{
	size_t n = s->j->n_able;
	struct sets_key *keys = mem_array(n + 1, sizeof *keys);

	if (!keys)
		return err_nomem(e, "an order", n * sizeof *keys);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sets_key){share_of(s->j, i), i};
	qsort(keys, n, sizeof *keys, worse_first);
	for (size_t i = 0; i < n; i++)
		s->order[i] = keys[i].at;
	mem_free(keys);
	return 0;
}

/* Errors that grow on their way have their cause at one end. */
static int order_from_front(struct sets_search *s, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < s->j->n_able; i++)
		s->order[i] = i;
	return 0;
}

static int order_from_back(struct sets_search *s, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < s->j->n_able; i++)
		s->order[i] = s->j->n_able - 1 - i;
	return 0;
}

/* Is the target met with these nodes in float32?  On all the data; *met then stands in s->reach as well. */
static int try_set(struct sets_search *s, const char *kept, int *met, struct err *e)
{
	struct narrow_job *j = s->j;
	struct narrow_reach reach = {.error = 0};
	int rc;

	memset(s->low, 0, j->g->nodes.n);
	for (size_t i = 0; i < j->n_able; i++)
		s->low[j->able[i]->index] = kept[i] ? 0 : passes_mark(j);
	passes_tell(j->o, "sets", s->done++, 0);
	rc = passes_reach(j, s->low, j->o->target.limit, &reach, e);
	*met = !rc && reach.error <= j->o->target.limit;
	if (*met)
		s->reach = reach;
	return rc;
}

static void keep_first(const struct sets_search *s, size_t n, char *kept)
{
	memset(kept, 0, s->j->n_able);
	for (size_t i = 0; i < n; i++)
		kept[s->order[i]] = 1;
}

/* How many of the first in order have to stay: none does not do, *enough of them do. */
static int find_prefix(struct sets_search *s, size_t *enough, struct err *e)
{
	size_t too_few = 0, all = *enough;
	int rc = 0, met;

	while (*enough - too_few > 1 && !rc) {
		size_t middle = too_few + (*enough - too_few) / 2;

		if (*enough == all && 2 * too_few < middle) /* few nodes do most of the harm as a rule: look there */
			middle = too_few ? 2 * too_few : 1;
		keep_first(s, middle, s->tried);
		rc = try_set(s, s->tried, &met, e);
		if (met)
			*enough = middle;
		else
			too_few = middle;
	}
	return rc;
}

/* The order in which the fewest do. */
static int choose_order(struct sets_search *s, struct err *e)
{
	static int (*const orders[])(struct sets_search * s, struct err * e) = {order_by_effect, order_from_front,
										order_from_back};
	size_t n = s->j->n_able, fewest = n, bytes = n * sizeof *s->order;
	int rc = 0;

	for (size_t i = 0; i < sizeof orders / sizeof *orders && !rc; i++) {
		size_t enough = fewest;

		rc = orders[i](s, e);
		if (!rc)
			rc = find_prefix(s, &enough, e);
		if (!rc && (!i || enough < fewest)) {
			memcpy(s->best, s->order, bytes);
			fewest = enough;
		}
	}
	memcpy(s->order, s->best, bytes);
	keep_first(s, fewest, s->kept);
	return rc;
}

static size_t count_kept(const struct sets_search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->j->n_able; i++)
		n += s->kept[i] != 0;
	return n;
}

/* One pass over the set, from the least to the worst, leaving `size` of them out at a time; *left: some were. */
static int leave_out(struct sets_search *s, size_t size, int *left, struct err *e)
{
	size_t at = s->j->n_able;
	int rc = 0;

	while (at && !rc && s->done < passes_most(s->j)) {
		size_t out = 0;
		int met = 0;

		memcpy(s->tried, s->kept, s->j->n_able);
		while (at && out < size) {
			size_t i = s->order[--at];

			out += s->tried[i] != 0;
			s->tried[i] = 0;
		}
		if (out)
			rc = try_set(s, s->tried, &met, e);
		if (met) {
			memcpy(s->kept, s->tried, s->j->n_able);
			*left = 1;
		}
	}
	return rc;
}

/* Until none can be left out, or enough was tried. */
static int prune(struct sets_search *s, struct err *e)
{
	size_t size = count_kept(s) / 2;
	int rc = 0, left = 1;

	for (; size > 1 && !rc; size /= 2)
		rc = leave_out(s, size, &left, e);
	left = count_kept(s) > 1;
	while (left && !rc && s->done < passes_most(s->j)) {
		left = 0;
		rc = leave_out(s, 1, &left, e);
	}
	s->j->out->minimal = !left && s->done < passes_most(s->j);
	return rc;
}

static int take_set(struct sets_search *s, struct err *e)
{
	struct narrow_job *j = s->j;
	struct narrow_result *r = j->out;

	r->kept = mem_array(j->n_able + 1, sizeof *r->kept);
	if (!r->kept)
		return err_nomem(e, "a set", j->n_able * sizeof *r->kept);
	for (size_t i = 0; i < j->n_able; i++)
		if (s->kept[s->order[i]])
			r->kept[r->n_kept++] = j->able[s->order[i]];
	r->answer = r->n_kept == j->n_able ? NARROW_NONE : NARROW_SOME;
	r->mixed = s->reach;
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->n_kept; k++)
			r->rows[i].kept |= r->rows[i].node == r->kept[k];
	return 0;
}

int sets_smallest(struct narrow_job *j, struct err *e)
{
	struct sets_search s = {.j = j,
				.order = mem_array(j->n_able + 1, sizeof *s.order),
				.best = mem_array(j->n_able + 1, sizeof *s.best),
				.kept = mem_array(j->n_able + 1, 1),
				.tried = mem_array(j->n_able + 1, 1),
				.low = mem_array(j->g->nodes.n + 1, 1),
				.reach = j->out->wide};
	int rc = s.order && s.best && s.kept && s.tried && s.low ? choose_order(&s, e)
								 : err_nomem(e, "a set", j->n_able);

	if (!rc)
		rc = prune(&s, e);
	if (!rc)
		rc = take_set(&s, e);
	mem_free(s.order);
	mem_free(s.best);
	mem_free(s.kept);
	mem_free(s.tried);
	mem_free(s.low);
	return rc;
}
