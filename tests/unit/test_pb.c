/* test_pb.c - TensorProto: every field of data, and files that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "onnx-ml.pb-c.h"
#include "support/wire.h"

/* A TensorProto with one dimension. */
static void start_tensor(struct buf *b, enum dtype t, int64_t count)
{
	buf_init(b, 1 << 20);
	wire_number(b, 1, (uint64_t)count);
	wire_number(b, 2, (uint64_t)t);
	wire_block(b, 8, "w", 1);
}

/* Parses b, a tensor, and wants the given elements. */
static void expect(struct buf *b, enum dtype t, const double *wanted, size_t n)
{
	struct err e = ERR_INIT;
	struct value *v;

	if (wire_parse(b, VALUE_TENSOR, &v, &e))
		fail_msg("%s: %s", dtype_name(t), e.msg);
	assert_int_equal(v->tensor->dtype, t);
	assert_int_equal(v->tensor->count, n);
	for (size_t i = 0; i < n; i++)
		if (tensor_get(v->tensor, i) != wanted[i])
			fail_msg("%s: element %zu is %g", dtype_name(t), i, tensor_get(v->tensor, i));
	value_unref(v);
}

static void expect_error(struct buf *b, int status, const char *text)
{
	struct err e = ERR_INIT;
	struct value *v = NULL;
	int rc = wire_parse(b, VALUE_TENSOR, &v, &e);

	if (rc != status || !strstr(e.msg, text))
		fail_msg("%s: %s; wanted '%s'", err_name(rc), e.msg, text);
	assert_null(v);
}

static void float_fields(void **state)
{
	const float f[] = {1.5f, -2};
	const double d[] = {1.5, -2};
	struct buf b;

	(void)state;
	start_tensor(&b, DT_FLOAT, 2);
	wire_block(&b, 4, f, sizeof f);
	expect(&b, DT_FLOAT, d, 2);
	start_tensor(&b, DT_FLOAT, 2);
	wire_block(&b, 9, f, sizeof f);
	expect(&b, DT_FLOAT, d, 2);
	start_tensor(&b, DT_DOUBLE, 2);
	wire_block(&b, 10, d, sizeof d);
	expect(&b, DT_DOUBLE, d, 2);
	start_tensor(&b, DT_COMPLEX64, 1);
	wire_block(&b, 4, f, sizeof f);
	expect(&b, DT_COMPLEX64, d, 1);
	start_tensor(&b, DT_COMPLEX128, 1);
	wire_block(&b, 10, d, sizeof d);
	expect(&b, DT_COMPLEX128, d, 1);
	/* not packed, one field for each value */
	start_tensor(&b, DT_FLOAT, 1);
	wire_varint(&b, 4 << 3 | 5);
	buf_add(&b, f, 4);
	expect(&b, DT_FLOAT, d, 1);
}

static void int32_field(void **state)
{
	static const struct {
		enum dtype t;
		int64_t count;
		int32_t entries[3];
		size_t n;
		double wanted[5];
	} rows[] = {
		{DT_INT32, 2, {7, -7}, 2, {7, -7}},
		{DT_INT16, 2, {7, -7}, 2, {7, -7}},
		{DT_UINT16, 2, {7, 65535}, 2, {7, 65535}},
		{DT_INT8, 2, {-128, 127}, 2, {-128, 127}},
		{DT_UINT8, 2, {0, 255}, 2, {0, 255}},
		{DT_BOOL, 3, {0, 1, 256}, 3, {0, 1, 1}},
		{DT_FLOAT16, 2, {0x3c00, 0xc000}, 2, {1, -2}},
		{DT_BFLOAT16, 2, {0x3f80, 0xc000}, 2, {1, -2}},
		{DT_FLOAT8E4M3FN, 2, {0x38, 0xfe}, 2, {1, -448}},
		{DT_FLOAT8E8M0, 2, {127, 128}, 2, {1, 2}},
		{DT_INT4, 5, {0xe1, 0x07, 0x8}, 3, {1, -2, 7, 0, -8}},
		{DT_UINT4, 3, {0xe1, 0x07}, 2, {1, 14, 7}},
		{DT_UINT2, 5, {0x39, 0x01}, 2, {1, 2, 3, 0, 1}},
		{DT_INT2, 4, {0x39}, 1, {1, -2, -1, 0}},
		{DT_FLOAT4E2M1, 3, {0x71, 0x0a}, 2, {0.5, 6, -1}},
		{DT_FLOAT6E2M3, 3, {8, 12, 63}, 3, {1, 1.5, -7.5}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b;

		start_tensor(&b, rows[i].t, rows[i].count);
		for (size_t k = 0; k < rows[i].n; k++)
			wire_number(&b, 5, (uint64_t)(int64_t)rows[i].entries[k]);
		expect(&b, rows[i].t, rows[i].wanted, (size_t)rows[i].count);
	}
}

static void long_fields(void **state)
{
	struct buf b;

	(void)state;
	start_tensor(&b, DT_INT64, 2);
	wire_number(&b, 7, 5);
	wire_number(&b, 7, (uint64_t)-5);
	expect(&b, DT_INT64, (const double[]){5, -5}, 2);
	start_tensor(&b, DT_UINT64, 1);
	wire_number(&b, 11, UINT64_C(1) << 63);
	expect(&b, DT_UINT64, (const double[]){0x1p63}, 1);
	start_tensor(&b, DT_UINT32, 1);
	wire_number(&b, 11, UINT32_MAX);
	expect(&b, DT_UINT32, (const double[]){UINT32_MAX}, 1);
	start_tensor(&b, DT_FLOAT, 0);
	expect(&b, DT_FLOAT, NULL, 0);
}

static void strings_and_names(void **state)
{
	struct err e = ERR_INIT;
	struct value *v;
	struct buf b;
	char *name;

	(void)state;
	start_tensor(&b, DT_STRING, 2);
	wire_block(&b, 6, "a\0b", 3);
	wire_block(&b, 6, "", 0);
	assert_int_equal(pb_parse_value(b.data, b.len, VALUE_NONE, &v, &name, &e), 0);
	buf_release(&b);
	assert_string_equal(name, "w");
	assert_int_equal(v->tensor->s[0].n, 3);
	assert_memory_equal(v->tensor->s[0].p, "a\0b", 4);
	assert_int_equal(v->tensor->s[1].n, 0);
	mem_free(name);
	value_unref(v);
	buf_init(&b, 100);
	wire_number(&b, 2, DT_FLOAT);
	wire_block(&b, 9, "\0\0\0\0", 4);
	assert_int_equal(pb_parse_value(b.data, b.len, VALUE_TENSOR, &v, &name, &e), 0);
	buf_release(&b);
	assert_string_equal(name, "");
	assert_int_equal(v->tensor->rank, 0);
	mem_free(name);
	value_unref(v);
}

static void lies_about_counts(void **state)
{
	struct buf b;

	(void)state;
	start_tensor(&b, DT_FLOAT, 3);
	wire_block(&b, 4, "12345678", 8);
	expect_error(&b, ERR_INPUT, "tensor 'w' (float32[3]): 2 values in float_data, wanted 3");
	start_tensor(&b, DT_FLOAT, INT64_C(1) << 40);
	expect_error(&b, ERR_INPUT, "0 values in float_data, wanted 1099511627776");
	start_tensor(&b, DT_FLOAT, 1);
	wire_block(&b, 9, "12345678", 8);
	expect_error(&b, ERR_INPUT, "8 bytes in raw_data, wanted 4");
	start_tensor(&b, DT_INT4, 3);
	wire_number(&b, 5, 1);
	expect_error(&b, ERR_INPUT, "1 values in int32_data, wanted 2");
	start_tensor(&b, DT_COMPLEX64, INT64_C(1) << 62);
	expect_error(&b, ERR_LIMIT, "tensor 'w'");
	start_tensor(&b, DT_FLOAT, -1);
	expect_error(&b, ERR_LIMIT, "negative");
	start_tensor(&b, DT_STRING, 2);
	wire_block(&b, 6, "a", 1);
	expect_error(&b, ERR_INPUT, "1 values in string_data, wanted 2");
}

static void data_in_wrong_places(void **state)
{
	struct buf b;

	(void)state;
	start_tensor(&b, DT_FLOAT, 1);
	wire_number(&b, 7, 5);
	expect_error(&b, ERR_INPUT, "float32 data in int64_data, wanted float_data");
	start_tensor(&b, DT_FLOAT, 1);
	wire_block(&b, 9, "1234", 4);
	wire_block(&b, 4, "1234", 4);
	expect_error(&b, ERR_INPUT, "both in raw_data and in float_data");
	start_tensor(&b, DT_STRING, 1);
	wire_block(&b, 9, "1234", 4);
	expect_error(&b, ERR_INPUT, "strings in raw_data");
	start_tensor(&b, DT_INT8, 1);
	wire_number(&b, 5, 256);
	expect_error(&b, ERR_INPUT, "256 of int32_data does not fit int8");
	start_tensor(&b, DT_UINT32, 1);
	wire_number(&b, 11, UINT64_C(1) << 32);
	expect_error(&b, ERR_INPUT, "does not fit uint32");
}

static void heads_that_are_wrong(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	expect_error(&b, ERR_INPUT, "unknown data type 0");
	start_tensor(&b, (enum dtype)99, 1);
	expect_error(&b, ERR_UNSUPPORTED, "unknown data type 99");
	start_tensor(&b, DT_FLOAT, 1);
	wire_number(&b, 14, 1);
	expect_error(&b, ERR_UNSUPPORTED, "another file");
	start_tensor(&b, DT_FLOAT, 1);
	wire_block(&b, 3, "", 0);
	expect_error(&b, ERR_UNSUPPORTED, "segments");
	start_tensor(&b, DT_FLOAT, 1);
	wire_block(&b, 3, "", 0);
	wire_block(&b, 3, "", 0);
	expect_error(&b, ERR_INPUT, "'segment' of TensorProto is there twice");
	start_tensor(&b, DT_FLOAT, 1);
	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		wire_number(&b, 1, 1);
	expect_error(&b, ERR_LIMIT, "rank 33");
	start_tensor(&b, DT_FLOAT, 1);
	buf_add(&b, "\x4a\xff\xff\xff\xff\x0f", 6); /* raw_data of 4 GiB */
	expect_error(&b, ERR_INPUT, "cut off");
	start_tensor(&b, DT_FLOAT, 1);
	buf_add(&b, "\x7b", 1); /* a group */
	expect_error(&b, ERR_INPUT, "damaged");
	start_tensor(&b, DT_FLOAT, 1);
	wire_number(&b, 9, 1); /* raw_data as a number */
	expect_error(&b, ERR_INPUT, "not a valid TensorProto");
}

static int drops;

static void count_drop(void *owner)
{
	drops += *(int *)owner;
}

/* raw_data are borrowed and dropped with the last reference; other fields are copied and the owner let go at once. */
static void owners(void **state)
{
	struct Onnx__TensorProto p = ONNX__TENSOR_PROTO__INIT;
	float data[] = {1, 2};
	int64_t dims[] = {2};
	struct err e = ERR_INIT;
	struct tensor *t;
	int one = 1;

	(void)state;
	drops = 0;
	p.n_dims = 1;
	p.dims = dims;
	p.has_data_type = 1;
	p.data_type = DT_FLOAT;
	p.has_raw_data = 1;
	p.raw_data.data = (uint8_t *)data;
	p.raw_data.len = sizeof data;
	assert_int_equal(tensor_from_proto(&p, count_drop, &one, &t, &e), 0);
	assert_ptr_equal(t->data, data);
	assert_int_equal(drops, 0);
	tensor_unref(t);
	assert_int_equal(drops, 1);
	assert_int_equal(tensor_from_proto(&p, NULL, NULL, &t, &e), 0);
	assert_ptr_not_equal(t->data, data);
	tensor_unref(t);
	p.raw_data.len = 4;
	assert_int_equal(tensor_from_proto(&p, count_drop, &one, &t, &e), ERR_INPUT);
	assert_int_equal(drops, 1);
	p.has_raw_data = 0;
	p.n_float_data = 2;
	p.float_data = data;
	assert_int_equal(tensor_from_proto(&p, count_drop, &one, &t, &e), 0);
	assert_int_equal(drops, 2);
	tensor_unref(t);
	assert_int_equal(drops, 2);
}

static void saving(void **state)
{
	const int64_t dims[] = {3};
	const char *folder = getenv("TMPDIR");
	char path[256], *name;

	(void)state;
	snprintf(path, sizeof path, "%s/assay-test-%ld.pb", folder ? folder : "/tmp", (long)getpid());
	for (int t = 1; t < DT_COUNT; t++) {
		struct err e = ERR_INIT;
		struct tensor *a = tensor_zeros((enum dtype)t, 1, dims, &e);
		struct value *v;

		if (t == DT_STRING)
			assert_int_equal(tensor_set_string(a, 1, "abc", 3, &e), 0);
		else if (dtype_wide((enum dtype)t) == WIDE_I64)
			a->i[1] = 1;
		else
			a->f[1] = 1;
		if (t == DT_FLOAT8E8M0)
			a->f[0] = a->f[2] = 2;
		assert_int_equal(pb_save_tensor(a, "x", path, &e), 0);
		assert_int_equal(pb_load_value(path, VALUE_TENSOR, &v, &name, &e), 0);
		assert_string_equal(name, "x");
		assert_int_equal(v->tensor->dtype, t);
		for (size_t i = 0; i < 3; i++)
			if (t == DT_STRING)
				assert_string_equal(v->tensor->s[i].p, a->s[i].p);
			else
				assert_true(tensor_get(v->tensor, i) == tensor_get(a, i));
		mem_free(name);
		value_unref(v);
		tensor_unref(a);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(float_fields, wire_nothing_is_live),
		cmocka_unit_test_teardown(int32_field, wire_nothing_is_live),
		cmocka_unit_test_teardown(long_fields, wire_nothing_is_live),
		cmocka_unit_test_teardown(strings_and_names, wire_nothing_is_live),
		cmocka_unit_test_teardown(lies_about_counts, wire_nothing_is_live),
		cmocka_unit_test_teardown(data_in_wrong_places, wire_nothing_is_live),
		cmocka_unit_test_teardown(heads_that_are_wrong, wire_nothing_is_live),
		cmocka_unit_test_teardown(owners, wire_nothing_is_live),
		cmocka_unit_test_teardown(saving, wire_nothing_is_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
