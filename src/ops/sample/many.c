/* many.c - more inputs of one operator than a library has arguments for, or merges at once. */
#include "ops/sample/maker.h"

#define MANY 0.2 /* of operators whose parameters are from their whole range */

/* Limits stand at powers of two: 7 to 66, near one of them. */
static int draw_count(struct maker *m)
{
	return (8 << make_between(m, 0, 3)) + (int)make_between(m, -1, 2);
}

static struct wire *constant_like(struct maker *m, const struct type *t)
{
	double most = t->dtype == DT_BOOL ? 1 : 2;
	double least = t->dtype == DT_BOOL || dtype_is_unsigned(t->dtype) ? 0 : -most;

	return make_random(m, t->dtype, t->rank, t->dims, least, most);
}

int make_many(struct maker *m, struct wire **all, int n, size_t elements)
{
	int most;

	if (m->b.rc || !m->wide || make_count_of(all[0]) * MAKE_MANY > elements || !make_chance(m, MANY))
		return n;
	for (most = draw_count(m); n < most && !m->b.rc; n++)
		all[n] = constant_like(m, &all[0]->type);
	return n;
}
