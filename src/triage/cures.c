/* cures.c - see cures.h. */
#include "triage/cures.h"

#include <string.h>

#define MAKER_PAIRS 12 /* settings of which every pair is tried */

struct cure_search {
	cure_fn *ask;
	void *arg;
	struct cures *out;
};

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static struct cure everything(size_t n)
{
	struct cure all = {.n = n < CURE_ITEMS ? n : CURE_ITEMS};

	for (size_t i = 0; i < all.n; i++)
		all.at[i] = (unsigned char)i;
	return all;
}

static struct cure without(const struct cure *set, size_t from, size_t to)
{
	struct cure rest = {.n = set->n - (to - from)};

	memcpy(rest.at, set->at, from);
	memcpy(rest.at + from, set->at + to, set->n - to);
	return rest;
}

static void subtract(struct cure *set, const struct cure *other)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		if (!memchr(other->at, set->at[i], other->n))
			set->at[n++] = set->at[i];
	set->n = n;
}

static int comes_first(const struct cure *a, const struct cure *b)
{
	return a->n < b->n || (a->n == b->n && memcmp(a->at, b->at, a->n) < 0);
}

static void add(struct cures *c, const struct cure *set)
{
	size_t i = c->n;

	if (c->n == CURES_MAX)
		return;
	for (; i > 0 && comes_first(set, &c->at[i - 1]); i--)
		c->at[i] = c->at[i - 1];
	c->at[i] = *set;
	c->n++;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* Leaves members out, `size` neighbours at a time, where the rest is enough; *fewer: some were left out. */
static int thin_out(const struct cure_search *s, struct cure *set, size_t size, int *fewer, struct err *e)
{
	*fewer = 0;
	for (size_t from = 0; from < set->n && set->n > 1;) {
		size_t to = from + size < set->n ? from + size : set->n;
		struct cure rest = without(set, from, to);
		int gone = 0, rc = rest.n ? s->ask(s->arg, &rest, &gone, e) : 0;

		if (rc)
			return rc;
		if (gone) {
			*set = rest;
			*fewer = 1;
		} else {
			from = to;
		}
	}
	return 0;
}

/* Down to members that must all be there. */
static int cut_down(const struct cure_search *s, struct cure *set, struct err *e)
{
	size_t size = (set->n + 1) / 2;
	int rc = 0;

	while (!rc && set->n > 1) {
		size_t most = (set->n + 1) / 2, half = (size + 1) / 2;
		int fewer;

		rc = thin_out(s, set, size < most ? size : most, &fewer, e);
		if (size == 1 && !fewer)
			break;
		size = half;
	}
	return rc;
}

static int try_set(const struct cure_search *s, const struct cure *set, struct err *e)
{
	int gone = 0, rc = s->ask(s->arg, set, &gone, e);

	if (!rc && gone)
		add(s->out, set);
	return rc;
}

static int try_pairs(const struct cure_search *s, size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		for (size_t k = i + 1; k < n && !rc; k++) {
			const struct cure pair = {{(unsigned char)i, (unsigned char)k}, 2};

			rc = try_set(s, &pair, e);
		}
	return rc;
}

/* Sets that share nothing, from what is in *rest. */
static int try_rest(const struct cure_search *s, struct cure *rest, struct err *e)
{
	int gone = 1, rc = 0;

	while (!rc && gone && rest->n && s->out->n < CURES_MAX) {
		struct cure set = *rest;

		rc = s->ask(s->arg, &set, &gone, e);
		if (rc || !gone)
			break;
		rc = cut_down(s, &set, e);
		if (!rc)
			add(s->out, &set);
		subtract(rest, &set);
	}
	return rc;
}

int cures_of_many(size_t n, cure_fn *ask, void *arg, struct cures *out, struct err *e)
{
	const struct cure_search s = {ask, arg, out};
	struct cure all = everything(n);

	*out = (struct cures){.n = 0};
	return try_rest(&s, &all, e);
}

int cures_of_few(size_t n, cure_fn *ask, void *arg, struct cures *out, struct err *e)
{
	const struct cure_search s = {ask, arg, out};
	struct cure all = everything(n);
	int rc = 0;

	*out = (struct cures){.n = 0};
	for (size_t i = 0; i < all.n && !rc; i++) {
		const struct cure one = {{(unsigned char)i}, 1};

		rc = try_set(&s, &one, e);
	}
	if (!rc && !out->n)
		rc = try_pairs(&s, all.n, e);
	if (!rc && !out->n && all.n > 2)
		rc = try_rest(&s, &all, e);
	return rc;
}

/* ---- what makes it ----------------------------------------------------------------------------------------------- */

/* All members, each once, in ascending order. */
static struct cure members(const struct cures *c)
{
	struct cure all = {.n = 0};

	for (int item = 0; item < CURE_ITEMS; item++) {
		int there = 0;

		for (size_t i = 0; i < c->n && !there; i++)
			there = memchr(c->at[i].at, item, c->at[i].n) != NULL;
		if (there)
			all.at[all.n++] = (unsigned char)item;
	}
	return all;
}

/* The first set of one or two members that the search accepts; *found is empty without one. */
static int find_small(const struct cure_search *s, const struct cure *all, size_t size, struct cure *found,
		      struct err *e)
{
	int rc = 0, enough = 0;

	for (size_t i = 0; i < all->n && !rc && !enough; i++)
		for (size_t k = size == 2 ? i + 1 : i; k < all->n && !rc && !enough; k++) {
			const struct cure set = {{all->at[i], all->at[k]}, size};

			rc = s->ask(s->arg, &set, &enough, e);
			if (!rc && enough)
				*found = set;
			if (size == 1)
				break;
		}
	return rc;
}

int cures_maker(const struct cures *cures, maker_fn *ask, void *arg, struct cure *out, struct err *e)
{
	const struct cure_search s = {ask, arg, NULL};
	struct cure all = members(cures), found = {.n = 0};
	int there = 0, rc = all.n ? ask(arg, &all, &there, e) : 0;

	if (!rc && there)
		rc = find_small(&s, &all, 1, &found, e);
	if (!rc && there && !found.n && all.n <= MAKER_PAIRS)
		rc = find_small(&s, &all, 2, &found, e);
	if (!rc && there && !found.n) {
		found = all;
		rc = cut_down(&s, &found, e);
	}
	if (!rc)
		*out = found;
	return rc;
}
