/* rng.c - see rng.h. */
#include "base/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
	return rng_mix(*x += RNG_STEP);
}

void rng_init(struct rng *r, uint64_t seed)
{
	uint64_t x = seed;

	r->seed = seed;
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix(&x);
}

struct rng rng_split(const struct rng *r, uint64_t label)
{
	uint64_t a = r->seed, b = label ^ 0x6a09e667f3bcc909u;
	struct rng child;

	rng_init(&child, splitmix(&a) ^ splitmix(&b) * 3);
	return child;
}

int64_t rng_between(struct rng *r, int64_t lo, int64_t hi)
{
	uint64_t span = (uint64_t)hi - (uint64_t)lo + 1;

	return (int64_t)((uint64_t)lo + (span ? rng_below(r, span) : rng_u64(r)));
}

double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

double rng_uniform(struct rng *r, double lo, double hi)
{
	return lo + (hi - lo) * rng_unit(r);
}

double rng_normal(struct rng *r)
{
	double u = 1.0 - rng_unit(r); /* (0, 1]: the logarithm is finite */

	return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * rng_unit(r));
}

/* Fisher and Yates. */
void rng_shuffle(struct rng *r, size_t *items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rng_below(r, i), kept = items[i - 1];

		items[i - 1] = items[j];
		items[j] = kept;
	}
}
