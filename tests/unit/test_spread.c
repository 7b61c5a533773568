/* test_spread.c - noise of whole numbers so large that doubles next to them are far apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/build.h"
#include "reference/reference.h"

/* not(trunc(x * 9)) of x = 1/3: 3 or 2 is cut off, and 2^64 - 4 and 2^64 - 3 are one double. */
static void cut_off_and_turned(void **state)
{
	struct ref_options o = {.mode = REF_NOISY, .seed = 1};
	struct err e = ERR_INIT;
	struct ref_result result;
	struct model *m = NULL;
	struct wire *x;
	struct ref *r = NULL;
	struct build b;

	(void)state;
	build_begin(&b, 18, 0, &e);
	x = build_floats(&b, "x", 1, (int64_t[]){1}, (double[]){1.0 / 3});
	x = build_op(&b, "Mul", "t", x, build_floats(&b, "c", 1, (int64_t[]){1}, (double[]){9}), NULL);
	x = build_op(&b, "Cast", "u", x, NULL);
	build_int(&b, "to", DT_UINT64);
	build_output(&b, build_op(&b, "BitwiseNot", "y", x, NULL));
	if (build_end(&b, &m) || ref_open(m, &r, &e) || ref_run(r, NULL, 0, &o, &result, &e))
		fail_msg("%s", e.msg);
	assert_true(result.outputs[0].noise[0] > 0);
	ref_result_release(&result);
	ref_close(r);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cut_off_and_turned)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
