/* Conversions between types: limits, single rounding, text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ops/kit/convert.h"

static void floats_to_integers_truncate_and_wrap(void **state)
{
	(void)state;
	assert_int_equal(convert_float_to_int(-1.9), -1);
	assert_int_equal(convert_float_to_int((double)NAN), 0);
	assert_int_equal(convert_float_to_int((double)-INFINITY), 0);
	assert_int_equal(convert_float_to_int(9223372036854775808.0), INT64_MIN);
	assert_int_equal(convert_float_to_int(18446744073709551616.0 + 4096), 4096);
	assert_int_equal(convert_float_to_int(-9223372036854777856.0), INT64_MAX - 2047);
	assert_int_equal(convert_float_to(100.0, DT_INT4), 100);
	assert_int_equal(convert_float_to(-100.0, DT_UINT4), -100);
	assert_int_equal(convert_float_to(0.25, DT_BOOL), 1);
}

static void whole_parts_fit_or_not(void **state)
{
	(void)state;
	assert_true(convert_fits(127.9, DT_INT8));
	assert_false(convert_fits(128, DT_INT8));
	assert_true(convert_fits(-128.9, DT_INT8));
	assert_true(convert_fits(-0.9, DT_UINT8));
	assert_false(convert_fits(-1, DT_UINT8));
	assert_true(convert_fits(0x1p63, DT_UINT64));
	assert_false(convert_fits(0x1p63, DT_INT64));
	assert_true(convert_fits(-0x1p63, DT_INT64));
	assert_false(convert_fits((double)NAN, DT_INT32));
	assert_false(convert_fits((double)INFINITY, DT_UINT64));
}

static void integers_round_once(void **state)
{
	/* just above the middle of two floats; by way of double it would land in the middle and go down to even */
	int64_t above = (INT64_C(1) << 62) + (INT64_C(1) << 38) + 1;

	(void)state;
	assert_true(convert_int_to_float(DT_INT64, above, DT_FLOAT) == 0x1.000002p62);
	assert_true(convert_int_to_float(DT_INT64, -above, DT_FLOAT) == -0x1.000002p62);
	assert_true(convert_int_to_float(DT_INT64, above - 1, DT_FLOAT) == 0x1p62);
	assert_true(convert_int_to_float(DT_UINT64, -1, DT_FLOAT) == 0x1p64);
	assert_true(convert_int_to_float(DT_INT64, 100000, DT_FLOAT16) == (double)INFINITY);
	assert_true(convert_int_to_double(DT_UINT64, INT64_MIN) == 0x1p63);
}

static void only_narrower_types_round(void **state)
{
	(void)state;
	assert_true(convert_is_exact(DT_FLOAT16, DT_FLOAT));
	assert_true(convert_is_exact(DT_FLOAT, DT_DOUBLE));
	assert_true(convert_is_exact(DT_FLOAT8E5M2, DT_FLOAT16));
	assert_false(convert_is_exact(DT_FLOAT16, DT_BFLOAT16));
	assert_false(convert_is_exact(DT_BFLOAT16, DT_FLOAT16));
	assert_false(convert_is_exact(DT_DOUBLE, DT_FLOAT));
}

static void eight_bits_saturate_when_asked(void **state)
{
	(void)state;
	assert_true(convert_float((double)INFINITY, DT_FLOAT8E5M2, 1, CONVERT_UP) == 57344);
	assert_true(isinf(convert_float((double)INFINITY, DT_FLOAT8E5M2, 0, CONVERT_UP)));
	assert_true(convert_float(-1e6, DT_FLOAT8E4M3FN, 1, CONVERT_UP) == -448);
	assert_true(isnan(convert_float(1e6, DT_FLOAT8E4M3FN, 0, CONVERT_UP)));
	assert_true(isinf(convert_float(1e6, DT_FLOAT16, 1, CONVERT_UP)));
	assert_true(convert_float(100, DT_FLOAT4E2M1, 0, CONVERT_UP) == 6);
}

static void powers_of_two_round_as_told(void **state)
{
	(void)state;
	assert_true(convert_float(5, DT_FLOAT8E8M0, 1, CONVERT_UP) == 8);
	assert_true(convert_float(4, DT_FLOAT8E8M0, 1, CONVERT_UP) == 4);
	assert_true(convert_float(7, DT_FLOAT8E8M0, 1, CONVERT_DOWN) == 4);
	assert_true(convert_float(6, DT_FLOAT8E8M0, 1, CONVERT_NEAREST) == 8);
	assert_true(convert_float(5.9, DT_FLOAT8E8M0, 1, CONVERT_NEAREST) == 4);
	assert_true(convert_float(0, DT_FLOAT8E8M0, 1, CONVERT_UP) == 0x1p-127);
	assert_true(isnan(convert_float(0, DT_FLOAT8E8M0, 0, CONVERT_NEAREST)));
	assert_true(convert_float((double)INFINITY, DT_FLOAT8E8M0, 1, CONVERT_UP) == 0x1p127);
}

static const char *text_of(double x, enum dtype t)
{
	static char text[CONVERT_TEXT_SIZE];
	size_t n = convert_float_to_text(x, t, text, sizeof text);

	assert_int_equal(n, strlen(text));
	return text;
}

static void text_is_short_and_plain(void **state)
{
	char text[CONVERT_TEXT_SIZE];

	(void)state;
	assert_string_equal(text_of(314.15926, DT_DOUBLE), "314.15926");
	assert_string_equal(text_of((double)0.039187793f, DT_FLOAT), "0.039187793");
	assert_string_equal(text_of((double)0.1f, DT_FLOAT), "0.1");
	assert_string_equal(text_of(1, DT_FLOAT), "1");
	assert_string_equal(text_of(-1500000, DT_FLOAT), "-1500000");
	assert_string_equal(text_of(0, DT_FLOAT), "0");
	assert_string_equal(text_of((double)-INFINITY, DT_FLOAT), "-INF");
	assert_int_equal(strlen(text_of(0x1p-1074, DT_DOUBLE)), 326);
	assert_int_equal(strlen(text_of(-0x1.fffffffffffffp1023, DT_DOUBLE)), 310);
	convert_int_to_text(-1, DT_UINT64, text, sizeof text);
	assert_string_equal(text, "18446744073709551615");
}

static int number(const char *text, double *x)
{
	return convert_text_to_float((struct bytes){text, strlen(text)}, x);
}

static void text_is_read_strictly(void **state)
{
	double x = 0;
	int64_t i = 0;

	(void)state;
	assert_int_equal(number("1e-5", &x), 0);
	assert_true(x == 1e-5);
	assert_int_equal(number("+inf", &x), 0);
	assert_true(x == (double)INFINITY);
	assert_int_equal(number("NaN", &x), 0);
	assert_true(isnan(x));
	assert_int_not_equal(number("0x10", &x), 0);
	assert_int_not_equal(number(" 1", &x), 0);
	assert_int_not_equal(number("1 ", &x), 0);
	assert_int_not_equal(number("", &x), 0);
	assert_int_not_equal(number("Hello World!", &x), 0);
	assert_int_not_equal(convert_text_to_float((struct bytes){"1\0002", 3}, &x), 0);
	assert_int_equal(convert_text_to_int((struct bytes){"100.5", 5}, DT_INT32, &i), 0);
	assert_int_equal(i, 100);
	assert_int_equal(convert_text_to_int((struct bytes){"9007199254740993", 16}, DT_INT64, &i), 0);
	assert_int_equal(i, 9007199254740993);
	assert_int_equal(convert_text_to_int((struct bytes){"18446744073709551615", 20}, DT_UINT64, &i), 0);
	assert_int_equal(i, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floats_to_integers_truncate_and_wrap),
		cmocka_unit_test(whole_parts_fit_or_not),
		cmocka_unit_test(integers_round_once),
		cmocka_unit_test(only_narrower_types_round),
		cmocka_unit_test(eight_bits_saturate_when_asked),
		cmocka_unit_test(powers_of_two_round_as_told),
		cmocka_unit_test(text_is_short_and_plain),
		cmocka_unit_test(text_is_read_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
