/* Element types: every code of every small type there and back, every tie, and values known from elsewhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/dtype.h"

static const enum dtype small_floats[] = {DT_FLOAT16,    DT_BFLOAT16,       DT_FLOAT8E4M3FN, DT_FLOAT8E4M3FNUZ,
					  DT_FLOAT8E5M2, DT_FLOAT8E5M2FNUZ, DT_FLOAT4E2M1,   DT_FLOAT8E8M0,
					  DT_FLOAT6E2M3, DT_FLOAT6E3M2};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static double decode(enum dtype t, unsigned code)
{
	unsigned char packed[2] = {code & 0xff, code >> 8 & 0xff};
	double x;

	dtype_unpack(t, packed, 0, 1, &x);
	return x;
}

static unsigned encode(enum dtype t, double x)
{
	unsigned char packed[2] = {0, 0};

	dtype_pack(t, &x, 1, packed);
	return packed[0] | (unsigned)packed[1] << 8;
}

static void every_code_comes_back(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(small_floats); k++) {
		enum dtype t = small_floats[k];

		for (unsigned code = 0; code < 1u << dtype_bits(t); code++) {
			double x = decode(t, code);

			if (encode(t, x) != code)
				fail_msg("%s: code %#x gives %g, which gives %#x", dtype_name(t), code, x,
					 encode(t, x));
			if (!isnan(x))
				assert_true(dtype_round(t, x, 0) == x);
		}
	}
}

/* Codes of positive finite values are in the order of the values, so the neighbours of every tie are known. */
static void ties_go_to_even(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(small_floats); k++) {
		enum dtype t = small_floats[k];
		unsigned top = encode(t, dtype_max(t));

		for (unsigned code = 0; code < top; code++) {
			double lo = decode(t, code), hi = decode(t, code + 1), mid = lo + (hi - lo) / 2;
			/* a power of two is the even one of the two significands 1 and 2 */
			unsigned even = t == DT_FLOAT8E8M0 ? code + 1 : code + code % 2;

			assert_true(lo < hi);
			if (encode(t, mid) != even)
				fail_msg("%s: %g gives %#x, wanted %#x", dtype_name(t), mid, encode(t, mid), even);
			assert_int_equal(encode(t, nextafter(mid, 0)), code);
			assert_int_equal(encode(t, nextafter(mid, INFINITY)), code + 1);
			if (t != DT_FLOAT8E8M0 && encode(t, mid) != 0)
				assert_true(encode(t, -mid) == (even | 1u << (dtype_bits(t) - 1)));
		}
	}
}

struct known {
	enum dtype t;
	double x;
	unsigned code;
};

/* From the definitions of the formats, and as numpy and ml_dtypes encode them. */
static void known_codes(void **state)
{
	static const struct known rows[] = {
		{DT_FLOAT16, 1, 0x3c00},
		{DT_FLOAT16, -2, 0xc000},
		{DT_FLOAT16, 65504, 0x7bff},
		{DT_FLOAT16, 65519.99, 0x7bff},
		{DT_FLOAT16, 65520, 0x7c00},
		{DT_FLOAT16, -INFINITY, 0xfc00},
		{DT_FLOAT16, 0x1p-24, 1},
		{DT_FLOAT16, 0x1p-25, 0},
		{DT_FLOAT16, 0x1.8p-25, 1},
		{DT_FLOAT16, 1.0 / 3, 0x3555},
		{DT_BFLOAT16, 1, 0x3f80},
		{DT_BFLOAT16, 3.14159265, 0x4049},
		{DT_BFLOAT16, 1e39, 0x7f80},
		{DT_BFLOAT16, -0.0, 0x8000},
		{DT_FLOAT8E4M3FN, 1, 0x38},
		{DT_FLOAT8E4M3FN, 448, 0x7e},
		{DT_FLOAT8E4M3FN, 464, 0x7e},
		{DT_FLOAT8E4M3FN, 465, 0x7f},
		{DT_FLOAT8E4M3FN, -INFINITY, 0xff},
		{DT_FLOAT8E4M3FN, 0x1p-9, 1},
		{DT_FLOAT8E4M3FNUZ, 1, 0x40},
		{DT_FLOAT8E4M3FNUZ, 240, 0x7f},
		{DT_FLOAT8E4M3FNUZ, 1000, 0x80},
		{DT_FLOAT8E4M3FNUZ, -0.0, 0},
		{DT_FLOAT8E4M3FNUZ, -1e-30, 0},
		{DT_FLOAT8E5M2, 1.5, 0x3e},
		{DT_FLOAT8E5M2, 57344, 0x7b},
		{DT_FLOAT8E5M2, 61440, 0x7c},
		{DT_FLOAT8E5M2FNUZ, 12, 78},
		{DT_FLOAT8E5M2FNUZ, 57344, 0x7f},
		{DT_FLOAT8E5M2FNUZ, INFINITY, 0x80},
		{DT_FLOAT4E2M1, 6, 7},
		{DT_FLOAT4E2M1, 1e9, 7},
		{DT_FLOAT4E2M1, -INFINITY, 15},
		{DT_FLOAT4E2M1, 0.25, 0},
		{DT_FLOAT4E2M1, 0.75, 2},
		{DT_FLOAT4E2M1, NAN, 8},
		{DT_FLOAT6E2M3, 12, 31},
		{DT_FLOAT6E2M3, 1.5, 12},
		{DT_FLOAT6E3M2, 28, 31},
		{DT_FLOAT6E3M2, 12, 26},
		{DT_FLOAT8E8M0, 1, 127},
		{DT_FLOAT8E8M0, 1.5, 128},
		{DT_FLOAT8E8M0, 0x1p-127, 0},
		{DT_FLOAT8E8M0, 0, 255},
		{DT_FLOAT8E8M0, -1, 255},
		{DT_FLOAT8E8M0, INFINITY, 255},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (encode(rows[i].t, rows[i].x) != rows[i].code)
			fail_msg("%s: %.17g gives %#x, wanted %#x", dtype_name(rows[i].t), rows[i].x,
				 encode(rows[i].t, rows[i].x), rows[i].code);
}

/* 1 + 2^-11 is half way between two float16; 2^-40 more is lost in float32, so a detour would round down. */
static void rounds_once(void **state)
{
	(void)state;
	assert_int_equal(encode(DT_FLOAT16, 1 + 0x1p-11), 0x3c00);
	assert_int_equal(encode(DT_FLOAT16, 1 + 0x1p-11 + 0x1p-40), 0x3c01);
	assert_int_equal(encode(DT_BFLOAT16, 1 + 0x1p-8 + 0x1p-50), 0x3f81);
	assert_true(dtype_round(DT_FLOAT, 1 + 0x1p-24 + 0x1p-50, 0) == 1 + 0x1p-23);
}

static void saturation(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(small_floats); k++) {
		enum dtype t = small_floats[k];

		assert_true(dtype_round(t, INFINITY, 1) == dtype_max(t));
		assert_true(dtype_round(t, 1e300, 1) == dtype_max(t));
		if (t != DT_FLOAT8E8M0)
			assert_true(dtype_round(t, -1e300, 1) == dtype_lowest(t));
	}
	assert_true(dtype_round(DT_FLOAT8E8M0, 0, 1) == 0x1p-127);
	assert_true(dtype_round(DT_FLOAT, 1e39, 1) == dtype_max(DT_FLOAT));
	assert_true(isinf(dtype_round(DT_FLOAT, 1e39, 0)));
	assert_true(isnan(dtype_round(DT_FLOAT8E4M3FN, 1e39, 0)));
	assert_true(isnan(dtype_round(DT_FLOAT8E5M2, NAN, 1)));
}

static void limits(void **state)
{
	(void)state;
	assert_true(dtype_roundoff(DT_FLOAT) == 0x1p-24);
	assert_true(dtype_roundoff(DT_DOUBLE) == 0x1p-53);
	assert_true(dtype_roundoff(DT_BFLOAT16) == 0x1p-8);
	assert_true(dtype_roundoff(DT_INT8) == 0);
	assert_true(dtype_smallest(DT_FLOAT) == 0x1p-126);
	assert_true(dtype_smallest(DT_FLOAT16) == 0x1p-14);
	assert_true(dtype_max(DT_INT8) == 127 && dtype_lowest(DT_INT8) == -128);
	assert_true(dtype_max(DT_UINT2) == 3 && dtype_lowest(DT_UINT2) == 0);
	assert_true(dtype_lowest(DT_INT64) == -0x1p63);
	for (size_t k = 0; k < COUNT(small_floats); k++)
		assert_true(dtype_round(small_floats[k], dtype_max(small_floats[k]), 0) == dtype_max(small_floats[k]));
}

static void names_and_codes(void **state)
{
	(void)state;
	for (int t = 1; t < DT_COUNT; t++) {
		assert_int_equal(dtype_from_name(dtype_name((enum dtype)t)), t);
		assert_int_equal(dtype_from_code(t), t);
	}
	assert_int_equal(dtype_from_name("float"), DT_FLOAT);
	assert_int_equal(dtype_from_name("double"), DT_DOUBLE);
	assert_int_equal(dtype_from_name("quad"), DT_UNDEFINED);
	assert_int_equal(dtype_from_code(-1), DT_UNDEFINED);
	assert_int_equal(dtype_from_code(INT64_MAX), DT_UNDEFINED);
	assert_string_equal(dtype_name((enum dtype)1000), "undefined");
}

static void wrapping(void **state)
{
	(void)state;
	assert_int_equal(dtype_wrap(DT_INT8, 200), -56);
	assert_int_equal(dtype_wrap(DT_UINT8, -1), 255);
	assert_int_equal(dtype_wrap(DT_INT4, 8), -8);
	assert_int_equal(dtype_wrap(DT_UINT2, 7), 3);
	assert_int_equal(dtype_wrap(DT_INT32, INT64_C(0x180000000)), INT32_MIN);
	assert_int_equal(dtype_wrap(DT_INT64, INT64_MIN), INT64_MIN);
	assert_int_equal(dtype_wrap(DT_BOOL, 256), 1);
}

static void ints_come_back(void **state)
{
	static const int64_t values[] = {0,     1,      -1,    127,       -128,      255,
					 32767, -32768, 65535, INT32_MIN, INT64_MIN, INT64_MAX};
	unsigned char packed[8 * COUNT(values)];
	int64_t back[COUNT(values)];

	(void)state;
	for (int t = 1; t < DT_COUNT; t++) {
		if (dtype_wide((enum dtype)t) != WIDE_I64)
			continue;
		dtype_pack((enum dtype)t, values, COUNT(values), packed);
		dtype_unpack((enum dtype)t, packed, 0, COUNT(values), back);
		for (size_t i = 0; i < COUNT(values); i++)
			assert_int_equal(back[i], dtype_wrap((enum dtype)t, values[i]));
		dtype_unpack((enum dtype)t, packed, 5, 3, back);
		assert_int_equal(back[1], dtype_wrap((enum dtype)t, values[6]));
	}
}

static void low_bits_first(void **state)
{
	const int64_t nibbles[] = {1, -2, 7}, pairs[] = {1, 2, 3, 0, 1};
	const double sixes[] = {1, 1.5, 2, -7.5, 0.125};
	unsigned char packed[4] = {0xff, 0xff, 0xff, 0xff};
	double back[2];

	(void)state;
	dtype_pack(DT_INT4, nibbles, 3, packed);
	assert_int_equal(packed[0], 0xe1);
	assert_int_equal(packed[1], 0x07);
	dtype_pack(DT_UINT2, pairs, 5, packed);
	assert_int_equal(packed[0], 1 | 2 << 2 | 3 << 4);
	assert_int_equal(packed[1], 1);
	/* codes 8, 12, 16, 63, 1, as one stream of 6-bit groups */
	dtype_pack(DT_FLOAT6E2M3, sixes, 5, packed);
	assert_int_equal(packed[0], 8 | (12 & 3) << 6);
	assert_int_equal(packed[1], 12 >> 2 | (16 & 15) << 4);
	assert_int_equal(packed[2], 16 >> 4 | 63 << 2);
	assert_int_equal(packed[3], 1);
	dtype_unpack(DT_FLOAT6E2M3, packed, 3, 2, back);
	assert_true(back[0] == -7.5 && back[1] == 0.125);
}

static void sizes(void **state)
{
	(void)state;
	assert_int_equal(dtype_packed_size(DT_FLOAT, 3), 12);
	assert_int_equal(dtype_packed_size(DT_INT4, 3), 2);
	assert_int_equal(dtype_packed_size(DT_UINT2, 5), 2);
	assert_int_equal(dtype_packed_size(DT_FLOAT6E3M2, 5), 4);
	assert_int_equal(dtype_packed_size(DT_COMPLEX128, 2), 32);
	assert_true(dtype_packed_size(DT_DOUBLE, SIZE_MAX / 2) == SIZE_MAX);
}

static void wide_floats_and_complex(void **state)
{
	const double values[] = {0.1, -1e300, 3, INFINITY};
	unsigned char packed[64];
	double back[4];

	(void)state;
	dtype_pack(DT_DOUBLE, values, 4, packed);
	dtype_unpack(DT_DOUBLE, packed, 0, 4, back);
	assert_memory_equal(back, values, sizeof back);
	dtype_pack(DT_COMPLEX64, values, 2, packed + 1); /* any address will do */
	dtype_unpack(DT_COMPLEX64, packed + 1, 1, 1, back);
	assert_true(back[0] == 3 && isinf(back[1]));
	dtype_unpack(DT_FLOAT, packed + 1, 0, 1, back);
	assert_true(back[0] == (double)0.1f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_comes_back),
		cmocka_unit_test(ties_go_to_even),
		cmocka_unit_test(known_codes),
		cmocka_unit_test(rounds_once),
		cmocka_unit_test(saturation),
		cmocka_unit_test(limits),
		cmocka_unit_test(names_and_codes),
		cmocka_unit_test(wrapping),
		cmocka_unit_test(ints_come_back),
		cmocka_unit_test(low_bits_first),
		cmocka_unit_test(sizes),
		cmocka_unit_test(wide_floats_and_complex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
