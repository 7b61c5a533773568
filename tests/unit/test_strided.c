/* Strided copies against an index computed axis by axis. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "ops/kit/strided.h"

#define ROOM 4096

/* Where element number `at` of the block lies. */
static void slow_index(const struct strided *s, size_t at, int64_t *dst, int64_t *src)
{
	*dst = s->dst;
	*src = s->src;
	for (int a = s->rank - 1; a >= 0; a--) {
		int64_t k = (int64_t)(at % (size_t)s->dims[a]);

		at /= (size_t)s->dims[a];
		*dst += k * s->dst_step[a];
		*src += k * s->src_step[a];
	}
}

static size_t block_count(const struct strided *s)
{
	size_t n = 1;

	for (int a = 0; a < s->rank; a++)
		n *= (size_t)s->dims[a];
	return n;
}

/* A block whose destination is dense under a random order of axes; the source may go backwards or stand still. */
static struct strided random_block(struct rng *r)
{
	struct strided s;
	int rank = (int)rng_below(r, 6);
	int64_t dst_step = 1, src_step = 1;

	strided_init(&s, 0, ROOM / 2);
	for (int a = 0; a < rank; a++)
		strided_axis(&s, rng_between(r, rng_below(r, 20) ? 1 : 0, rank < 3 ? 40 : 4), 0, 0);
	for (int a = rank - 1; a >= 0; a--) {
		int64_t turn = rng_between(r, -1, 1);

		s.dst_step[a] = dst_step;
		dst_step *= s.dims[a];
		s.src_step[a] = turn;
	}
	for (int k = 0; k < rank; k++) { /* sizes of the steps through the source, innermost axis anywhere */
		int a = (int)((k + (int)(dst_step % 3)) % rank);

		s.src_step[a] *= src_step;
		src_step *= s.dims[a];
	}
	return s;
}

static void fill(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (double)i + 0.5;
}

static void copy_is_elementwise(void **state)
{
	static double src[2 * ROOM], dst[ROOM];
	struct rng r;

	(void)state;
	rng_init(&r, 7);
	fill(src, 2 * ROOM);
	for (int round = 0; round < 2000; round++) {
		struct strided s = random_block(&r);
		size_t n = block_count(&s);

		assert_true(n <= ROOM);
		memset(dst, 0, sizeof dst);
		strided_copy(&s, sizeof *dst, dst, src);
		for (size_t i = 0; i < n; i++) {
			int64_t d, from;

			slow_index(&s, i, &d, &from);
			assert_true(dst[d] == src[from]);
		}
		for (size_t i = n; i < ROOM; i++)
			assert_true(dst[i] == 0);
	}
}

static void adding_back_is_the_adjoint(void **state)
{
	static double sum[2 * ROOM], want[2 * ROOM], dst[ROOM];
	struct rng r;

	(void)state;
	rng_init(&r, 8);
	fill(dst, ROOM);
	for (int round = 0; round < 500; round++) {
		struct strided s = random_block(&r);

		memset(sum, 0, sizeof sum);
		memset(want, 0, sizeof want);
		strided_add_back(&s, dst, sum);
		for (size_t i = 0; i < block_count(&s); i++) {
			int64_t d, from;

			slow_index(&s, i, &d, &from);
			want[from] += dst[d];
		}
		assert_memory_equal(sum, want, sizeof want);
	}
}

static int count_pairs(void *arg, size_t dst, size_t src)
{
	size_t *n = arg;

	(void)dst;
	(void)src;
	return ++*n == 5 ? -3 : 0;
}

static void a_walk_can_be_ended(void **state)
{
	struct strided s;
	size_t n = 0;

	(void)state;
	strided_init(&s, 0, 0);
	strided_axis(&s, 3, 3, 1);
	strided_axis(&s, 3, 1, 3);
	assert_int_equal(strided_each(&s, count_pairs, &n), -3);
	assert_int_equal(n, 5);
}

/* All sizes of elements that tensors and lanes have. */
static void sizes_of_elements(void **state)
{
	static char src[16 * 12], dst[16 * 12];

	(void)state;
	for (size_t i = 0; i < sizeof src; i++)
		src[i] = (char)i;
	for (size_t elem = 4; elem <= 16; elem *= 2) {
		struct strided s;

		strided_init(&s, 0, 0);
		strided_axis(&s, 4, 3, 1);
		strided_axis(&s, 3, 1, 4);
		strided_copy(&s, elem, dst, src);
		for (size_t i = 0; i < 4; i++)
			for (size_t j = 0; j < 3; j++)
				assert_memory_equal(dst + (i * 3 + j) * elem, src + (j * 4 + i) * elem, elem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copy_is_elementwise),
		cmocka_unit_test(adding_back_is_the_adjoint),
		cmocka_unit_test(a_walk_can_be_ended),
		cmocka_unit_test(sizes_of_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
