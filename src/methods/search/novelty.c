/* novelty.c - see novelty.h: all vectors that were new, one after the other. */
#include "methods/search/novelty.h"

#include <math.h>

#include "base/mem.h"

#define SHARE 0.1 /* d against the length of the first vector */

struct novelty_vector {
	float *at;
	size_t n;
};

static double squared(const struct novelty_vector *a, const struct tensor *b)
{
	double sum = 0;

	for (size_t i = 0; i < a->n; i++) {
		double d = (double)a->at[i] - tensor_get(b, i);

		sum += d * d;
	}
	return sum;
}

/* Vectors of another length are of a network with other outputs: nothing is near them. */
static int is_near(const struct novelty *c, const struct tensor *t)
{
	for (size_t i = 0; i < c->seen.n; i++)
		if (c->seen.at[i].n == t->count && squared(&c->seen.at[i], t) <= c->limit * c->limit)
			return 1;
	return 0;
}

static int add(struct novelty *c, const struct tensor *t, struct err *e)
{
	struct novelty_vector v = {mem_array(t->count + 1, sizeof *v.at), t->count};

	for (size_t i = 0; v.at && i < t->count; i++)
		v.at[i] = (float)tensor_get(t, i);
	if (!v.at || vec_push(&c->seen, v)) {
		mem_free(v.at);
		return err_nomem(e, "coverage", t->count * sizeof *v.at);
	}
	return 0;
}

int novelty_note(struct novelty *c, const struct tensor *t, int *is_new, struct err *e)
{
	double length = 0;

	*is_new = !c->seen.n || !is_near(c, t);
	if (!c->seen.n) {
		for (size_t i = 0; i < t->count; i++)
			length += tensor_get(t, i) * tensor_get(t, i);
		c->limit = SHARE * sqrt(length);
	}
	return *is_new ? add(c, t, e) : 0;
}

void novelty_release(struct novelty *c)
{
	for (size_t i = 0; i < c->seen.n; i++)
		mem_free(c->seen.at[i].at);
	vec_release(&c->seen);
}
