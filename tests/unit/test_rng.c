/* Random numbers: the same on every machine, split streams apart, ranges kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/rng.h"

/* First outputs of xoshiro256++ from the state splitmix64 gives for seed 0, computed with exact integers apart from
 * this program: a change would break every stored seed. */
static void known_values(void **state)
{
	static const uint64_t want[] = {UINT64_C(0x53175d61490b23df), UINT64_C(0x61da6f3dc380d507),
					UINT64_C(0x5c0fdf91ec9a7bfc), UINT64_C(0x02eebf8c3bbe5e1a)};
	struct rng r;

	(void)state;
	rng_init(&r, 0);
	for (int i = 0; i < 4; i++)
		assert_true(rng_u64(&r) == want[i]);
}

static void split_does_not_move_the_parent(void **state)
{
	struct rng a, b, c, d;

	(void)state;
	rng_init(&a, 42);
	b = a;
	c = rng_split(&a, 1);
	d = rng_split(&a, 2);
	assert_true(rng_u64(&a) == rng_u64(&b));
	assert_true(rng_u64(&c) != rng_u64(&d));
	c = rng_split(&b, 1); /* the label and the seed decide, not how far the parent has moved */
	d = rng_split(&a, 1);
	assert_true(rng_u64(&c) == rng_u64(&d));
}

static void ranges(void **state)
{
	int seen[3] = {0};
	struct rng r;

	(void)state;
	rng_init(&r, 7);
	for (int i = 0; i < 3000; i++) {
		int64_t n = rng_between(&r, -1, 1);
		double u = rng_unit(&r), x = rng_uniform(&r, -2, 3);

		assert_in_range(n + 1, 0, 2);
		seen[n + 1]++;
		assert_true(u >= 0 && u < 1);
		assert_true(x >= -2 && x < 3);
		assert_int_equal(rng_below(&r, 1), 0);
		assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
	}
	for (int i = 0; i < 3; i++)
		assert_in_range(seen[i], 850, 1150); /* 1000 +- 5.8 standard deviations */
	assert_int_equal(rng_between(&r, INT64_MAX, INT64_MAX), INT64_MAX);
	rng_between(&r, INT64_MIN, INT64_MAX); /* the whole range: the span is 2^64 */
}

static void normal_moments(void **state)
{
	double sum = 0, squares = 0, n = 40000;
	struct rng r;

	(void)state;
	rng_init(&r, 3);
	for (int i = 0; i < (int)n; i++) {
		double x = rng_normal(&r);

		assert_true(isfinite(x));
		sum += x;
		squares += x * x;
	}
	assert_true(fabs(sum / n) < 0.025); /* five standard deviations of the mean */
	assert_true(fabs(squares / n - 1) < 0.036);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(split_does_not_move_the_parent),
		cmocka_unit_test(ranges),
		cmocka_unit_test(normal_moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
