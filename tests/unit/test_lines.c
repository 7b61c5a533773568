/* Lines of tensors against an index computed axis by axis. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "ops/kit/lines.h"

#define ROOM 2048

static int64_t random_dims(struct rng *r, int rank, int64_t *dims)
{
	int64_t count = 1;

	for (int i = 0; i < rank; i++) {
		dims[i] = rng_between(r, 1, 4);
		count *= dims[i];
	}
	return count;
}

/* Which line, and which place in it, element `at` has. */
static void slow_place(int rank, const int64_t *dims, uint32_t axes, int64_t at, size_t *line, size_t *place)
{
	int64_t index[TENSOR_MAX_RANK];

	for (int i = rank - 1; i >= 0; i--) {
		index[i] = at % dims[i];
		at /= dims[i];
	}
	*line = *place = 0;
	for (int i = 0; i < rank; i++) {
		size_t *to = axes >> i & 1 ? place : line;

		*to = *to * (size_t)dims[i] + (size_t)index[i];
	}
}

static void check_shape(int rank, const int64_t *dims, uint32_t axes, int64_t count)
{
	double x[ROOM], y[ROOM] = {0}, sum[ROOM], buf[ROOM];
	struct lines l;

	for (int64_t i = 0; i < count; i++)
		sum[i] = x[i] = (double)i + 1;
	lines_init(&l, rank, dims, axes);
	assert_int_equal(l.count * l.length, count);
	for (size_t k = 0; k < l.count; k++) {
		const double *line = lines_read(&l, x, k, buf);

		lines_write(&l, y, k, line);
		lines_add(&l, sum, k, line);
		for (int64_t i = 0; i < count; i++) {
			size_t of, place;

			slow_place(rank, dims, axes, i, &of, &place);
			if (of == k)
				assert_true(line[place] == x[i]);
		}
	}
	for (int64_t i = 0; i < count; i++) {
		assert_true(y[i] == x[i]);
		assert_true(sum[i] == 2 * x[i]);
	}
}

static void test_every_set_of_axes(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 5);
	for (int rank = 0; rank <= 5; rank++)
		for (int repeat = 0; repeat < 4; repeat++) {
			int64_t dims[TENSOR_MAX_RANK], count = random_dims(&r, rank, dims);

			for (uint32_t axes = 0; axes < UINT32_C(1) << rank; axes++)
				check_shape(rank, dims, axes, count);
		}
}

static void test_neighbours_are_merged(void **state)
{
	const int64_t dims[] = {2, 3, 1, 4, 5};
	struct lines l;

	(void)state;
	lines_init(&l, 5, dims, 0x1e); /* all but axis 0: one run, with nothing to copy */
	assert_int_equal(l.count, 2);
	assert_int_equal(l.length, 60);
	assert_int_equal(l.n_along, 1);
	assert_int_equal(l.along[0].stride, 1);
	lines_init(&l, 5, dims, 0x0a);
	assert_int_equal(l.n_along, 1);
	assert_int_equal(l.along[0].stride, 5);
}

static void test_empty_lines(void **state)
{
	const int64_t dims[] = {3, 0, 2};
	struct lines l;
	double x = 0, buf = 0;

	(void)state;
	lines_init(&l, 3, dims, 2);
	assert_int_equal(l.count, 6);
	assert_int_equal(l.length, 0);
	for (size_t k = 0; k < l.count; k++)
		assert_non_null(lines_read(&l, &x, k, &buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_set_of_axes),
		cmocka_unit_test(test_neighbours_are_merged),
		cmocka_unit_test(test_empty_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
