/* test_proof_open.c - recorded calls whose results the documentation leaves open: what may be said of what follows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proof/proof.h"
#include "support/recorded.h"

static const char rows[] = "relu(x) = Relu(x)\n"
			   "sort(x) limit \"the order of equals is not said\"\n"
			   "whole(x) when beyond(x, @int32) limit \"a float beyond the type is open\"\n"
			   "whole(x) = Cast(Cast(x, to=@int32), to=@float32)\n"
			   "log(x) = Log(x)\n"
			   "log(x) = Sub(Add(Log(x), 256.0), 256.0) limit \"two eps of 256 are promised\"\n";

static void settle(struct recorded *r, enum proof_end end, struct proof *p)
{
	recorded_settle(r, rows, end, p);
}

/* v2 = relu([2, -4, 6]). */
static void record_relu(struct recorded *r)
{
	recorded_begin(r);
	recorded_vector(r, 1, 3, (double[]){2, -4, 6});
	recorded_line(r, "v2 = op(\"relu\", v1)");
	recorded_made(r, 2, 3, (double[]){2, 0, 6});
}

/* What follows from a result that the documentation leaves open is neither the library's fault nor ours. */
static void test_open_result(void **state)
{
	struct recorded r;
	struct proof p;

	(void)state;
	record_relu(&r);
	recorded_line(&r, "v3 = op(\"sort\", v2)");
	recorded_made(&r, 3, 3, (double[]){0, 2, 6});
	recorded_line(&r, "v4 = op(\"relu\", v3)");
	recorded_made(&r, 4, 3, (double[]){0, 2, 6});
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, PROOF_LIMIT);
	assert_int_equal(p.judged, 2);
	assert_string_equal(p.name, "sort");
	assert_string_equal(p.why, "the order of equals is not said");
	proof_release(&p);
}

/* A call that is wrong on an infinity which came of such a result is not what the case is about; one that is wrong on
 * numbers is. */
static void check_behind_open(double sorted, enum proof_result wanted)
{
	struct recorded r;
	struct proof p;

	record_relu(&r);
	recorded_line(&r, "v3 = op(\"sort\", v2)");
	recorded_made(&r, 3, 3, (double[]){0, 2, sorted});
	recorded_line(&r, "v4 = op(\"relu\", v3)");
	recorded_made(&r, 4, 3, (double[]){0, 2, 99});
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, wanted);
	proof_release(&p);
}

static void test_behind_open_result(void **state)
{
	(void)state;
	check_behind_open((double)INFINITY, PROOF_LIMIT);
	check_behind_open(6, PROOF_CALL);
}

/* A float that an integer type does not have may become anything; one that it has may not. */
static void check_whole(double x, enum proof_result wanted)
{
	struct recorded r;
	struct proof p;

	recorded_begin(&r);
	recorded_vector(&r, 0, 2, (double[]){1.5, x});
	recorded_line(&r, "v1 = op(\"whole\", v0)");
	recorded_made(&r, 1, 2, (double[]){1, -2147483648.0});
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, wanted);
	proof_release(&p);
}

static void test_beyond_a_type(void **state)
{
	(void)state;
	check_whole(3e9, PROOF_LIMIT);
	check_whole((double)NAN, PROOF_LIMIT);
	check_whole(3e8, PROOF_CALL);
}

/* A promise: where the result is what the call means it says nothing; up to it is a limit, beyond it is wrong. */
static void check_promise(double log_of_one, enum proof_result wanted)
{
	struct recorded r;
	struct proof p;

	recorded_begin(&r);
	recorded_vector(&r, 0, 2, (double[]){1, 7.389056205749512});
	recorded_line(&r, "v1 = op(\"log\", v0)");
	recorded_made(&r, 1, 2, (double[]){log_of_one, 2});
	settle(&r, PROOF_END_VALUES, &p);
	assert_int_equal(p.result, wanted);
	assert_int_equal(p.judged, 1);
	if (wanted == PROOF_LIMIT)
		assert_string_equal(p.why, "two eps of 256 are promised");
	proof_release(&p);
}

static void test_promise(void **state)
{
	(void)state;
	check_promise(0, PROOF_OURS);
	check_promise(2e-5, PROOF_LIMIT); /* more than any approximation is let off by */
	check_promise(1e-2, PROOF_CALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_result),
		cmocka_unit_test(test_behind_open_result),
		cmocka_unit_test(test_beyond_a_type),
		cmocka_unit_test(test_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
