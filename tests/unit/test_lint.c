/* test_lint.c - models that break rules and that libraries run: what is said of them, and that they run here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "case/lint.h"
#include "model/build.h"
#include "reference/reference.h"

#define FILE_NAME "test_lint.onnx"

/* Relu → Neg of [2,3]; *middle is what lies between. */
static struct model *two_nodes(struct wire **middle)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct wire *x, *y;
	struct build b;

	build_begin(&b, 21, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 2, (int64_t[]){2, 3});
	*middle = build_op(&b, "Relu", "t", x, NULL);
	y = build_op(&b, "Neg", "y", *middle, NULL);
	build_output(&b, y);
	assert_int_equal(build_end(&b, &m), 0);
	type_set(&y->type, DT_FLOAT, 2, (int64_t[]){2, 3});
	return m;
}

/* Saves and frees it; what lint says, of one kind and with these words. */
static void expect(struct model *take, size_t lines, enum lint_kind kind, const char *words)
{
	struct err e = ERR_INIT;
	struct lint l;

	assert_int_equal(model_save(take, FILE_NAME, &e), 0);
	model_free(take);
	if (lint_file(FILE_NAME, &l, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(l.lines.n, lines);
	if (lines) {
		assert_int_equal(l.lines.at[0].kind, kind);
		assert_string_equal(l.lines.at[0].text, words);
	}
	lint_release(&l);
}

/* The file that expect() left is run all the same. */
static void expect_runs(void)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct ref *r = NULL;

	if (model_load(FILE_NAME, &m, &e) || ref_open(m, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(m->complaints.n, 1);
	assert_int_equal(m->graph->outputs.at[0]->type.rank, 2);
	ref_close(r);
	model_free(m);
}

static void test_nothing_to_say(void **state)
{
	struct wire *t;

	(void)state;
	expect(two_nodes(&t), 0, LINT_WRONG, "");
}

static void test_declared_shapes(void **state)
{
	struct model *m;
	struct wire *t;

	(void)state;
	m = two_nodes(&t);
	type_set(&m->graph->outputs.at[0]->type, DT_FLOAT, 3, (int64_t[]){2, 3, 1});
	expect(m, 1, LINT_WRONG, "'y' is declared as float32[2,3,1] but is float32[2,3]");
	expect_runs();
	m = two_nodes(&t);
	type_set(&m->graph->outputs.at[0]->type, DT_FLOAT, 2, (int64_t[]){2, 4});
	expect(m, 1, LINT_WRONG, "'y' is declared as float32[2,4] but is float32[2,3]");
	expect_runs();
	m = two_nodes(&t);
	type_set(&t->type, DT_FLOAT, 1, (int64_t[]){7});
	expect(m, 1, LINT_WRONG, "'t' is declared as float32[7] but is float32[2,3]");
	expect_runs();
}

/* Another element type is more than libraries forgive. */
static void test_declared_type(void **state)
{
	struct wire *t;
	struct model *m = two_nodes(&t);

	(void)state;
	type_set(&m->graph->outputs.at[0]->type, DT_INT64, 2, (int64_t[]){2, 3});
	expect(m, 1, LINT_INVALID, "node 'y' (Neg): output 'y' is declared as int64[2,3] but is float32[2,3]");
}

/* The writer imports what nodes need, so the import is made another one in the bytes: it has its name behind tag 1. */
static void spoil_import(void)
{
	static const char import[] = "\x0a\x0a"
				     "ai.onnx.ml";
	struct err e = ERR_INIT;
	struct buf b;
	char *at;

	buf_init(&b, 1 << 16);
	assert_int_equal(buf_read_file(&b, FILE_NAME, 1 << 16, &e), 0);
	at = memmem(b.data, b.len, import, sizeof import - 1);
	assert_non_null(at);
	memcpy(at + 2, "ai.example", 10);
	assert_int_equal(buf_write_file(b.data, b.len, FILE_NAME, &e), 0);
	buf_release(&b);
}

static void test_missing_import(void **state)
{
	struct wire *t;
	struct model *m = two_nodes(&t);
	struct err e = ERR_INIT;
	struct lint l;

	(void)state;
	m->graph->nodes.at[1]->op_type = "Normalizer";
	m->graph->nodes.at[1]->domain = "ai.onnx.ml";
	m->graph->nodes.at[1]->opset = 5;
	assert_int_equal(vec_push(&m->opsets, ((struct opset){"ai.onnx.ml", 5})), 0);
	expect(m, 0, LINT_WRONG, "");
	spoil_import();
	assert_int_equal(lint_file(FILE_NAME, &l, &e), 0);
	assert_string_equal(l.lines.at[0].text, "no opset of domain 'ai.onnx.ml' is imported; version 5 is assumed");
	lint_release(&l);
	expect_runs();
}

static void test_names_and_leftovers(void **state)
{
	struct model *m;
	struct wire *t;

	(void)state;
	m = two_nodes(&t);
	m->graph->nodes.at[1]->name = m->graph->nodes.at[0]->name;
	expect(m, 1, LINT_WRONG, "several nodes are named 't'");
	m = two_nodes(&t);
	assert_int_equal(vec_push(&m->opsets, ((struct opset){"com.microsoft", 1})), 0);
	expect(m, 1, LINT_USELESS, "no node is of domain 'com.microsoft', which is imported");
}

/* Not passed over in silence, and not called invalid: assay does not have every operator. */
static void test_unknown_operator(void **state)
{
	struct model *m;
	struct wire *t;

	(void)state;
	m = two_nodes(&t);
	m->graph->nodes.at[1]->op_type = "Negg";
	expect(m, 1, LINT_UNKNOWN, "node 'y': operator Negg of domain 'ai.onnx' is not known (did you mean 'Neg'?)");
}

static int clean_up(void **state)
{
	(void)state;
	unlink(FILE_NAME);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_to_say),      cmocka_unit_test(test_declared_shapes),
		cmocka_unit_test(test_declared_type),       cmocka_unit_test(test_missing_import),
		cmocka_unit_test(test_names_and_leftovers), cmocka_unit_test(test_unknown_operator),
	};

	return cmocka_run_group_tests(tests, NULL, clean_up);
}
