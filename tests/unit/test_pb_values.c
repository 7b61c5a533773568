/* test_pb_values.c - SequenceProto and OptionalProto: items, nesting, and memory that runs out. */
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
#include "tensor/proto_check.h"

static void add_scalar(struct buf *b, enum dtype t)
{
	struct buf inner;

	buf_init(&inner, 100);
	wire_number(&inner, 2, (uint64_t)t);
	wire_block(&inner, 9, "\0\0\0\0", 4);
	wire_block(b, 3, inner.data, inner.len);
	buf_release(&inner);
}

/* An optional that holds a sequence of two tensors, or an empty one. */
static struct value *make_nested(size_t n, struct err *e)
{
	struct value *items[2] = {NULL};

	for (size_t i = 0; i < n; i++)
		items[i] = value_tensor(tensor_scalar_f(DT_FLOAT, 1.5 + (double)i, e), e);
	return value_optional(value_sequence(DT_FLOAT, items, n, e), e);
}

static void saving_sequences(void **state)
{
	const char *folder = getenv("TMPDIR");
	char path[256], *name;

	(void)state;
	snprintf(path, sizeof path, "%s/assay-test-%ld.pb", folder ? folder : "/tmp", (long)getpid());
	for (size_t n = 0; n <= 2; n += 2) {
		struct err e = ERR_INIT;
		struct value *v = make_nested(n, &e), *back;

		assert_int_equal(pb_save_value(v, "held", path, &e), 0);
		assert_int_equal(pb_load_value(path, VALUE_OPTIONAL, &back, &name, &e), 0);
		assert_string_equal(name, "held");
		assert_int_equal(back->n, 1);
		assert_int_equal(back->items[0]->kind, VALUE_SEQUENCE);
		assert_int_equal(back->items[0]->n, n);
		for (size_t i = 0; i < n; i++)
			assert_true(tensor_get(back->items[0]->items[i]->tensor, 0) == 1.5 + (double)i);
		mem_free(name);
		value_unref(back);
		value_unref(v);
	}
	unlink(path);
}

static void sequences(void **state)
{
	struct err e = ERR_INIT;
	struct value *v;
	struct buf b, outer;

	(void)state;
	buf_init(&b, 1000);
	wire_block(&b, 1, "seq", 3);
	wire_number(&b, 2, 1);
	add_scalar(&b, DT_FLOAT);
	add_scalar(&b, DT_FLOAT);
	buf_init(&outer, 1000);
	wire_number(&outer, 2, 3);
	wire_block(&outer, 5, b.data, b.len);
	assert_int_equal(wire_parse(&outer, VALUE_OPTIONAL, &v, &e), 0);
	assert_int_equal(v->kind, VALUE_OPTIONAL);
	assert_int_equal(v->items[0]->n, 2);
	assert_int_equal(v->dtype, DT_FLOAT);
	value_unref(v);
	assert_int_equal(pb_parse_value(b.data, b.len, VALUE_OPTIONAL, &v, NULL, &e), ERR_INPUT);
	assert_int_equal(pb_parse_value(b.data, b.len, VALUE_MAP, &v, NULL, &e), ERR_UNSUPPORTED);
	add_scalar(&b, DT_INT32);
	assert_int_equal(pb_parse_value(b.data, b.len, VALUE_SEQUENCE, &v, NULL, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "item 2 is of int32"));
	buf_release(&b);
	buf_init(&b, 100);
	assert_int_equal(wire_parse(&b, VALUE_SEQUENCE, &v, &e), 0);
	assert_int_equal(v->n, 0);
	value_unref(v);
	buf_init(&b, 100);
	wire_number(&b, 2, 3);
	add_scalar(&b, DT_FLOAT);
	assert_int_equal(wire_parse(&b, VALUE_SEQUENCE, &v, &e), ERR_INPUT);
	buf_init(&b, 100);
	wire_block(&b, 6, "", 0);
	assert_int_equal(wire_parse(&b, VALUE_SEQUENCE, &v, &e), ERR_UNSUPPORTED);
}

static void nesting_ends(void **state)
{
	struct err e = ERR_INIT;
	struct value *v;
	struct buf a, b;

	(void)state;
	buf_init(&a, 1 << 20);
	for (int depth = 0; depth < 5000; depth++) {
		buf_init(&b, 1 << 20);
		wire_block(&b, 5, a.data, a.len);
		buf_release(&a);
		a = b;
	}
	assert_int_equal(wire_parse(&a, VALUE_SEQUENCE, &v, &e), ERR_LIMIT);
}

/* A graph in an attribute of a node of a graph …: what protobuf-c would follow to the end of the stack. */
static void proto_nesting_ends(void **state)
{
	struct err e = ERR_INIT;
	struct buf a, b;

	(void)state;
	buf_init(&a, 1 << 20);
	for (int depth = 0; depth < 3000; depth++) {
		static const unsigned fields[] = {6, 5, 1}; /* AttributeProto.g, NodeProto.attribute, GraphProto.node */

		buf_init(&b, 1 << 20);
		wire_block(&b, fields[depth % 3], a.data, a.len);
		buf_release(&a);
		a = b;
	}
	assert_int_equal(proto_check(&onnx__graph_proto__descriptor, a.data, a.len, 100, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "100 levels"));
	assert_int_equal(proto_check(&onnx__graph_proto__descriptor, a.data, a.len, 4000, &e), 0);
	buf_release(&a);
}

static void memory_runs_out(void **state)
{
	struct buf b;
	size_t k = 0;
	int rc;

	(void)state;
	buf_init(&b, 1000);
	wire_block(&b, 1, "seq", 3);
	add_scalar(&b, DT_FLOAT);
	add_scalar(&b, DT_FLOAT);
	do {
		struct err e = ERR_INIT;
		struct value *v = NULL;
		char *name = NULL;

		mem_fail_after(++k, 0);
		rc = pb_parse_value(b.data, b.len, VALUE_SEQUENCE, &v, &name, &e);
		mem_fail_after(0, 0);
		assert_true(!rc || (rc == ERR_MEMORY && e.code == ERR_MEMORY && !v && !name));
		value_unref(v);
		mem_free(name);
		assert_int_equal(tensor_memory_live(), 0);
	} while (rc);
	assert_true(k > 10);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(saving_sequences, wire_nothing_is_live),
		cmocka_unit_test_teardown(sequences, wire_nothing_is_live),
		cmocka_unit_test_teardown(nesting_ends, wire_nothing_is_live),
		cmocka_unit_test_teardown(proto_nesting_ends, wire_nothing_is_live),
		cmocka_unit_test_teardown(memory_runs_out, wire_nothing_is_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
