/* test_fuzz_patterns.c - patterns that are written down: each makes valid models in every opset that has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "methods/fuzz/fuzz.h"
#include "methods/fuzz/pattern.h"
#include "reference/reference.h"

#define LARGE "data/blocks-large.yaml"
#define DRAWN 12 /* models of each pattern and opset */

static struct corpus load(void)
{
	struct corpus c;
	struct err e = ERR_INIT;

	if (corpus_load(LARGE, 1, &c, &e))
		fail_msg("%s", e.msg);
	return c;
}

/* ---- every pattern ----------------------------------------------------------------------------------------------- */

static int has_special(const struct fuzz_case *c)
{
	for (size_t i = 0; i < c->model->graph->inputs.n; i++) {
		const struct tensor *t = c->inputs[i] ? c->inputs[i]->tensor : NULL; /* a default */

		for (size_t k = 0; t && k < t->count; k++)
			if (!(fabs(tensor_get(t, k)) <= 100))
				return 1;
	}
	return 0;
}

/* The reference computes with any type; whether the operator's version has it is another question. */
static void types_are_those_of_versions(const char *name, const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		const struct op_row *row = ops_find(n->domain, n->op_type);
		enum dtype t = n->n_in && n->in[0] ? n->in[0]->type.dtype : DT_UNDEFINED;

		if (row && t && !(ops_types(row, n->version) & TM(t)))
			fail_msg("%s: %s of opset %d has no %s", name, n->op_type, n->opset, dtype_name(t));
	}
}

/* The model is one of ONNX, and nothing in it is undefined. */
static void run(const char *name, struct fuzz_case *c)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result result;
	struct ref *ref;
	struct err e = ERR_INIT;

	if (ref_open(c->model, &ref, &e))
		fail_msg("%s: %s", name, e.msg);
	types_are_those_of_versions(name, c->model->graph);
	if (ref_run(ref, c->inputs, c->model->graph->inputs.n, &o, &result, &e))
		fail_msg("%s: %s", name, e.msg);
	for (size_t i = 0; i < result.n; i++) {
		const struct tensor *t = result.outputs[i].value->tensor;

		for (size_t k = 0; t && k < t->count; k++)
			if (!isfinite(tensor_get(t, k)) && !has_special(c))
				fail_msg("%s: output %zu has %g", name, i, tensor_get(t, k));
	}
	ref_result_release(&result);
	ref_close(ref);
}

static void draw(struct fuzz_op *op, int opset)
{
	struct corpus one = {.ops = op, .n_ops = 1};
	struct fuzz_options o = {.seed = 3, .opset = opset, .blocks = 1};
	struct fuzzer *f;
	struct err e = ERR_INIT;

	assert_int_equal(fuzzer_new(&one, &o, &f, &e), 0);
	for (int i = 0; i < DRAWN; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s in opset %d: %s", op->name, opset, e.msg);
		run(op->name, &made);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
}

static void patterns_are_valid(void **state)
{
	struct corpus c = load();
	int n = 0;

	(void)state;
	for (int i = 0; i < c.n_ops; i++) {
		if (!c.ops[i].pattern)
			continue;
		n++;
		assert_true(c.ops[i].opsets); /* one that no opset has would never be drawn */
		for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++)
			if (c.ops[i].at[opset])
				draw(&c.ops[i], opset);
	}
	assert_true(n > 100);
	corpus_release(&c);
}

/* ---- the language ------------------------------------------------------------------------------------------------ */

static int load_text(const char *text, struct corpus *c, struct err *e)
{
	char path[] = "/tmp/test_fuzz_patterns_XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(buf_write_file(text, strlen(text), path, e), 0);
	rc = corpus_load(path, 0, c, e);
	remove(path);
	return rc;
}

static void refuse(const char *pattern, const char *message)
{
	struct corpus c;
	struct err e = ERR_INIT;
	char text[512];

	snprintf(text, sizeof text, "operators:\n  - {name: A, pattern: '%s'}\n", pattern);
	assert_int_equal(load_text(text, &c, &e), ERR_INPUT);
	if (!strstr(e.msg, message))
		fail_msg("%s", e.msg);
}

static void bad_patterns(void **state)
{
	struct corpus c;
	struct err e = ERR_INIT;

	(void)state;
	refuse("Nonsense(x)", "no operator 'Nonsense'");
	refuse("nonsense(x)", "no part 'nonsense'");
	refuse("Add(x, row(x, 1))", "row() takes 1");
	refuse("Add(x", "bracket");
	refuse("t = Relu(x)", "ends with what it makes");
	refuse("Relu(any())", "nothing to choose from");
	assert_int_equal(load_text("parts:\n  - {name: act, pattern: 'Tanh(x)'}\n  - {name: act, pattern: 'act(x)'}\n"
				   "operators:\n  - {name: A, pattern: 'act(x)'}\n",
				   &c, &e),
			 ERR_INPUT);
	assert_non_null(strstr(e.msg, "part 'act' is there twice"));
	assert_int_equal(load_text("operators:\n  - {name: A, rank: 3, rank_max: 2, pattern: 'Relu(x)'}\n", &c, &e),
			 ERR_INPUT);
	assert_non_null(strstr(e.msg, "ranks"));
}

/* What can be read and not drawn: types that are none of numbers, and what is no shape. */
static void misfits(void **state)
{
	static const char *const patterns[] = {
		"ConstantOfShape(Shape(x), as=shape(x), value=tensor(@string, 3))",
		"ConstantOfShape(Shape(x), as=shape(x), value=tensor(9999, 3))",
		"ConstantOfShape(Shape(x), as=shape(x), value=tensor(x, 3))",
		"Gemm(x, square(x), zeros(x, -1, @string))",
		"ConstantOfShape(Shape(x), as=2)",
		"ConstantOfShape(Shape(x), as=shape(x), outs=0)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct fuzz_options o = {.seed = 1, .blocks = 1, .opset = 18, .no_mutations = 1};
		struct fuzz_case made = {0};
		struct corpus c;
		struct fuzzer *f;
		struct err e = ERR_INIT;
		char text[512];

		snprintf(text, sizeof text, "operators:\n  - {name: A, rank: 2, pattern: '%s'}\n", patterns[i]);
		assert_int_equal(load_text(text, &c, &e), 0);
		assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
		if (fuzzer_next(f, &made, &e) != ERR_INPUT)
			fail_msg("%s: %s", patterns[i], e.code ? e.msg : "drawn");
		fuzz_case_release(&made);
		fuzzer_free(f);
		corpus_release(&c);
	}
}

static int is_not_tanh(const struct op_row *row, void *arg)
{
	*(int *)arg += 1;
	return strcmp(row->name, "Tanh") != 0;
}

/* A library that lacks one operator lacks the pattern, also where a part has it. */
static void patterns_tell_their_operators(void **state)
{
	struct corpus c;
	struct err e = ERR_INIT;
	int asked = 0;

	(void)state;
	assert_int_equal(load_text("parts:\n  - {name: act, pattern: 'any(Relu(x), Tanh(x))'}\n"
				   "operators:\n  - {name: A, pattern: 'act(Abs(x))'}\n"
				   "  - {name: B, pattern: 'Mul(Abs(x), c(2))'}\n",
				   &c, &e),
			 0);
	assert_false(pattern_all(c.ops[0].pattern, is_not_tanh, &asked));
	asked = 0;
	assert_true(pattern_all(c.ops[1].pattern, is_not_tanh, &asked));
	assert_int_equal(asked, 2);
	corpus_release(&c);
}

static void count_ops(const char *text, int models, const char *op, int *with, int *without)
{
	struct corpus c;
	struct fuzz_options o = {.seed = 1, .blocks = 1};
	struct fuzzer *f;
	struct err e = ERR_INIT;

	*with = *without = 0;
	if (load_text(text, &c, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < models; i++) {
		struct fuzz_case made = {0};
		int found = 0;

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		for (size_t k = 0; k < made.model->graph->nodes.n; k++)
			found |= !strcmp(made.model->graph->nodes.at[k]->op_type, op);
		*(found ? with : without) += 1;
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&c);
}

/* The usual comes most of the time, a near miss now and then; a rule stands for what it says. */
static void near_misses(void **state)
{
	int with, without;

	(void)state;
	count_ops("operators:\n  - {name: A, pattern: 'or(Tanh(x), Sigmoid(x))'}\n", 200, "Sigmoid", &with, &without);
	assert_in_range(with, 10, 80);
	count_ops("operators:\n  - {name: A, pattern: 'any(Tanh(x), Sigmoid(x))'}\n", 200, "Sigmoid", &with, &without);
	assert_in_range(with, 60, 140);
	count_ops("parts:\n  - {name: act, pattern: 'Tanh(x)'}\n"
		  "operators:\n  - {name: A, pattern: 't = Abs(x); act(t)'}\n",
		  20, "Tanh", &with, &without);
	assert_int_equal(without, 0);
}

/* Constants that broadcast have any rank up to that of what they go with. */
static void constants_have_ranks(void **state)
{
	struct corpus c;
	struct fuzz_options o = {.seed = 1, .blocks = 1};
	struct fuzzer *f;
	struct err e = ERR_INIT;
	int ranks[TENSOR_MAX_RANK + 1] = {0}, others = 0;

	(void)state;
	assert_int_equal(load_text("operators:\n  - {name: A, rank: 4, pattern: 'Add(x, c(0.75))'}\n", &c, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 200; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		for (size_t k = 0; k < made.model->graph->nodes.n; k++) {
			const struct node *n = made.model->graph->nodes.at[k];

			if (strcmp(n->op_type, "Add") != 0)
				continue;
			ranks[n->in[1]->init->rank]++;
			others += tensor_get(n->in[1]->init, 0) != 0.75;
		}
		fuzz_case_release(&made);
	}
	for (int i = 0; i <= 4; i++)
		assert_true(ranks[i] > 0);
	assert_in_range(others, 10, 90);
	fuzzer_free(f);
	corpus_release(&c);
}

/* The initializer that the first node of this operator reads in this place; NULL: there is none. */
static const struct tensor *reads(const struct fuzz_case *c, const char *op, int port)
{
	for (size_t k = 0; k < c->model->graph->nodes.n; k++) {
		const struct node *n = c->model->graph->nodes.at[k];

		if (!strcmp(n->op_type, op) && port < n->n_in && n->in[port])
			return n->in[port]->init;
	}
	return NULL;
}

static void look(const char *pattern, void (*check)(const struct fuzz_case *c))
{
	struct corpus c;
	struct fuzz_options o = {.seed = 1, .blocks = 1, .opset = 18, .no_mutations = 1};
	struct fuzzer *f;
	struct err e = ERR_INIT;
	char text[512];

	snprintf(text, sizeof text, "operators:\n  - {name: A, rank: 2, pattern: '%s'}\n", pattern);
	if (load_text(text, &c, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 20; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		check(&made);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&c);
}

static void check_places(const struct fuzz_case *c)
{
	const struct tensor *t = reads(c, "ScatterND", 1);

	assert_non_null(t);
	assert_int_equal(t->rank, 2);
	assert_int_equal(t->dims[1], 1);
	for (size_t i = 0; i < t->count; i++)
		assert_true(tensor_get(t, i) == (double)i);
}

static void check_backwards(const struct fuzz_case *c)
{
	const struct tensor *t = reads(c, "ScatterND", 1);

	for (size_t i = 0; i < t->count; i++)
		assert_true(tensor_get(t, i) == (double)(t->count - 1 - i));
}

static void check_zeros(const struct fuzz_case *c)
{
	const struct tensor *t = reads(c, "Gemm", 2);

	assert_non_null(t);
	assert_int_equal(t->rank, 1);
	for (size_t i = 0; i < t->count; i++)
		assert_true(tensor_get(t, i) == 0);
}

/* A tensor as an attribute, a shape that hangs on a value, and "to the end". */
static void check_filled(const struct fuzz_case *c)
{
	const struct tensor *ends = reads(c, "Slice", 2);
	int found = 0;

	for (size_t k = 0; k < c->model->graph->nodes.n; k++) {
		const struct node *n = c->model->graph->nodes.at[k];

		if (strcmp(n->op_type, "ConstantOfShape") != 0)
			continue;
		found = 1;
		assert_int_equal(n->n_attrs, 1);
		assert_int_equal(n->attrs[0].type, ATTR_TENSOR);
		assert_int_equal(n->attrs[0].t->dtype, DT_INT32);
		assert_true(tensor_get(n->attrs[0].t, 0) == 3);
		assert_int_equal(n->out[0]->type.rank, 2);
	}
	assert_true(found);
	assert_non_null(ends);
	assert_true(tensor_get(ends, 0) >= 0x1p62);
}

static void parts_draw_what_they_say(void **state)
{
	(void)state;
	look("ScatterND(x, places(x, 1), full(x))", check_places);
	look("ScatterND(x, places(x, -1), full(x))", check_backwards);
	look("w = matrix(x); Gemm(x, w, zeros(w, 1, @float32))", check_zeros);
	look("s = ConstantOfShape(Shape(x), as=shape(x), value=tensor(@int32, 3)); "
	     "Slice(s, [0], [9223372036854775807], [0])",
	     check_filled);
}

/* Weights for the places of the last axis are a row mostly; a fusion that looks for one meets other shapes, too. */
static void rows_have_other_shapes(void **state)
{
	struct corpus c;
	struct fuzz_options o = {.seed = 1, .blocks = 1};
	struct fuzzer *f;
	struct err e = ERR_INIT;
	int rows = 0, others = 0;

	(void)state;
	assert_int_equal(load_text("operators:\n  - {name: A, rank: 3, pattern: 'Mul(x, row(x))'}\n", &c, &e), 0);
	assert_int_equal(fuzzer_new(&c, &o, &f, &e), 0);
	for (int i = 0; i < 200; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		for (size_t k = 0; k < made.model->graph->nodes.n; k++) {
			const struct node *n = made.model->graph->nodes.at[k];

			if (strcmp(n->op_type, "Mul") != 0)
				continue;
			rows += n->in[1]->type.rank == 1;
			others += n->in[1]->type.rank != 1;
		}
		fuzz_case_release(&made);
	}
	assert_in_range(others, 10, 60);
	assert_true(rows > others);
	fuzzer_free(f);
	corpus_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_are_valid),
		cmocka_unit_test(bad_patterns),
		cmocka_unit_test(misfits),
		cmocka_unit_test(patterns_tell_their_operators),
		cmocka_unit_test(near_misses),
		cmocka_unit_test(constants_have_ranks),
		cmocka_unit_test(rows_have_other_shapes),
		cmocka_unit_test(parts_draw_what_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
