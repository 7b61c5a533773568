/* test_backend_tract.c - tract in its worker, against the reference.  Skipped where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/backend.h"

static void test_operators(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
		"MatMul-13 f32[2,3] f32[3,4]",
		"Add-14 i64[2,3] i64[3]",
		"TopK-11 f32[3,5] i64{2} -> 2",
		"Split-13 f32[4,2] -> 2",
		"Shape-13 f32[0,3]", /* a shape is no int64 inside of the library */
		"ReduceSum-13 f32[2,3] i64{0,1} keepdims=0",
		"Add-14 f32{1.5}[] f32{2}[]",
	};

	(void)state;
	BACKEND_CHECK_LINES(lines);
}

static void test_dtypes(void **state)
{
	static const struct {
		const char *name;
		int code;
	} types[] = {
		{"u8", DT_UINT8},  {"i8", DT_INT8},    {"u16", DT_UINT16}, {"i16", DT_INT16},  {"i32", DT_INT32},
		{"i64", DT_INT64}, {"u32", DT_UINT32}, {"u64", DT_UINT64}, {"f64", DT_DOUBLE}, {"f16", DT_FLOAT16},
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		snprintf(line, sizeof line, "Cast-13 f32{0,1,2,3,5,7} to=%d", types[i].code);
		backend_check(line);
		snprintf(line, sizeof line, "Cast-13 %s[2,3]@0:7 to=1", types[i].name);
		backend_check(line);
	}
	backend_check("Greater-13 f32[2,3] f32[3]");
}

static void test_statuses(void **state)
{
	struct worker_report report;

	(void)state;
	assert_int_equal(backend_try("Det-22 f32[2,2]", &report), WORKER_UNSUPPORTED);
	assert_null(strchr(report.message, '\n'));
	assert_int_equal(backend_try("Relu-14 bf16[2,2]", &report), WORKER_UNSUPPORTED);
	assert_int_equal(backend_try("Cast-25 f32[2,2]@0:1 to=26", &report), WORKER_UNSUPPORTED); /* int2 */
	assert_int_equal(backend_try("ReduceSum-13 f32[2,3] i64[1]@0:1", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "constant")); /* axes that are computed */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_dtypes),
		BACKEND_COMMON_TESTS,
		cmocka_unit_test(backend_test_rejections),
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(backend_test_invoke),
		cmocka_unit_test(backend_test_list),
	};

	return BACKEND_TEST_RUN("tract", tests);
}
