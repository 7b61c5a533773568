/* rng.h - seeded random numbers that can be split.
 *
 * xoshiro256++ state filled by splitmix64.  rng_split() derives an independent stream from a stream's seed and a label,
 * without moving the parent: work item i gets rng_split(&root, i), so results do not depend on the number of jobs. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

#define RNG_STEP UINT64_C(0x9e3779b97f4a7c15) /* of splitmix64, from one number to the next */

struct rng {
	uint64_t s[4];
	uint64_t seed;
};

/* The output function of splitmix64: neighbouring numbers become unlike ones. */
static inline uint64_t rng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void rng_init(struct rng *r, uint64_t seed);
struct rng rng_split(const struct rng *r, uint64_t label);

static inline uint64_t rng_rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

static inline uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s, result = rng_rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotate(s[3], 45);
	return result;
}

/* Uniform in [0, n), unbiased; n > 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t x;

	do
		x = rng_u64(r);
	while (x < n && x < -n % n); /* 2^64 mod n values would be counted twice; the first test spares a division */
	return x % n;
}

int64_t rng_between(struct rng *r, int64_t lo, int64_t hi); /* uniform in [lo, hi] */
double rng_unit(struct rng *r);                             /* uniform in [0, 1), 53 bits */
double rng_uniform(struct rng *r, double lo, double hi);
double rng_normal(struct rng *r); /* mean 0, variance 1 */
void rng_shuffle(struct rng *r, size_t *items, size_t n);

#endif
