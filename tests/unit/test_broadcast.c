/* Plans of broadcast operands, against an index computed the slow way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/kit/broadcast.h"

/* Index into an operand that output element `at` reads, axis by axis. */
static size_t slow_index(struct bcast_shape out, struct bcast_shape s, size_t at)
{
	size_t index = 0, step = 1;

	for (int axis = out.rank - 1; axis >= 0; axis--) {
		size_t pos = at % (size_t)out.dims[axis];
		int own = axis - (out.rank - s.rank);

		at /= (size_t)out.dims[axis];
		if (own < 0)
			continue;
		index += s.dims[own] == 1 ? 0 : pos * step;
		step *= (size_t)s.dims[own];
	}
	return index;
}

static size_t check_plan(struct bcast_shape out, const struct bcast_shape *in, int n)
{
	struct bcast b;
	size_t seen = 0, rows = 0, count = 1;

	for (int i = 0; i < out.rank; i++)
		count *= (size_t)out.dims[i];
	bcast_init(&b, out, in, n);
	while (bcast_next(&b)) {
		assert_int_equal(b.out, seen);
		for (size_t k = 0; k < b.inner; k++)
			for (int j = 0; j < n; j++)
				assert_int_equal(b.at[j] + k * b.stride[j], slow_index(out, in[j], b.out + k));
		seen += b.inner;
		rows++;
	}
	assert_int_equal(seen, count);
	return rows;
}

#define SHAPE(...)                                                                           \
	{                                                                                    \
		(int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) \
		{                                                                            \
			__VA_ARGS__                                                          \
		}                                                                            \
	}

static void equal_shapes_are_one_row(void **state)
{
	struct bcast_shape s = SHAPE(2, 3, 1, 4), in[] = {s, s, s};

	(void)state;
	assert_int_equal(check_plan(s, in, 3), 1);
}

static void scalars_are_one_row(void **state)
{
	struct bcast_shape out = SHAPE(5, 2), in[] = {SHAPE(5, 2), {0, NULL}, SHAPE(1, 1)};
	struct bcast_shape scalar = {0, NULL};

	(void)state;
	assert_int_equal(check_plan(out, in, 3), 1);
	assert_int_equal(check_plan(scalar, &scalar, 1), 1);
}

static void channels_merge_the_spatial_axes(void **state)
{
	struct bcast_shape out = SHAPE(2, 3, 4, 5), in[] = {SHAPE(2, 3, 4, 5), SHAPE(3, 1, 1)};

	(void)state;
	assert_int_equal(check_plan(out, in, 2), 6);
}

static void crossed_operands(void **state)
{
	struct bcast_shape out = SHAPE(2, 3, 4, 5);
	struct bcast_shape in[] = {SHAPE(2, 1, 4, 1), SHAPE(3, 1, 5), SHAPE(4, 5), SHAPE(2, 3, 1, 1)};

	(void)state;
	assert_int_equal(check_plan(out, in, 4), 24);
}

static void empty_outputs_have_no_rows(void **state)
{
	struct bcast_shape out = SHAPE(2, 0, 3), in[] = {SHAPE(2, 1, 3), SHAPE(0, 1)};
	struct bcast b;

	(void)state;
	bcast_init(&b, out, in, 2);
	assert_int_equal(bcast_next(&b), 0);
}

static void sums_go_back_to_the_operand(void **state)
{
	struct bcast_shape out = SHAPE(2, 3, 2), in = SHAPE(3, 1), whole = {0, NULL};
	double g[12], sum[3] = {100, 0, 0}, total = 0;

	(void)state;
	for (int i = 0; i < 12; i++)
		g[i] = i;
	bcast_sum_into(out, g, in, sum);
	assert_true(sum[0] == 100 + 0 + 1 + 6 + 7);
	assert_true(sum[1] == 2 + 3 + 8 + 9);
	assert_true(sum[2] == 4 + 5 + 10 + 11);
	bcast_sum_into(out, g, whole, &total);
	assert_true(total == 66);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_shapes_are_one_row),        cmocka_unit_test(scalars_are_one_row),
		cmocka_unit_test(channels_merge_the_spatial_axes), cmocka_unit_test(crossed_operands),
		cmocka_unit_test(empty_outputs_have_no_rows),      cmocka_unit_test(sums_go_back_to_the_operand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
