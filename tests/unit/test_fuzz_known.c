/* test_fuzz_known.c - which findings of fuzz look alike (known.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/fuzz/known.h"
#include "model/build.h"
#include "model/case.h"

struct looks {
	char own[KNOWN_KEY], close[KNOWN_KEY];
};

/* Of an answer to the model of a line; with_default: its first input has a default, too. */
static struct looks look_at(const char *line, const struct outcome *o, int with_default)
{
	static char name[] = "a";
	struct party p = {.spec = {.name = name}};
	struct err e = ERR_INIT;
	struct looks out;
	struct op_case c;
	struct trial t;

	if (case_parse(line, 3, &c, &e) || trial_init(&t, c.model, c.inputs, 3, &e))
		fail_msg("%s: %s", line, e.msg);
	if (with_default)
		t.model->graph->inputs.at[0]->init = t.inputs[0]->tensor;
	known_look(&t, &p, o, out.own);
	known_look_closely(&t, &p, o, out.close);
	t.model->graph->inputs.at[0]->init = NULL;
	trial_release(&t);
	return out;
}

/* Of a wrong one. */
static struct looks look(const char *line)
{
	return look_at(line, &(struct outcome){.verdict = VERDICT_WRONG}, 0);
}

static struct looks refused(const char *line, const char *message)
{
	struct outcome o = {.verdict = VERDICT_REJECTED};

	snprintf(o.report.message, sizeof o.report.message, "%s", message);
	return look_at(line, &o, 0);
}

/* An operator may have a bug for one type, and another one with one of its attributes. */
static void types_and_attributes_count(void **state)
{
	struct looks plain = look("Mod-13 i32[2]@1:5 i32[2]@1:5"), wide = look("Mod-13 i64[2]@1:5 i64[2]@1:5"),
		     fmod = look("Mod-13 i32[2]@1:5 i32[2]@1:5 fmod=1"),
		     larger = look("Mod-13 i32[3,2]@1:5 i32[2]@1:5");

	(void)state;
	assert_string_equal(plain.own, wide.own);
	assert_string_equal(plain.own, fmod.own);
	assert_string_not_equal(plain.close, wide.close);
	assert_string_not_equal(plain.close, fmod.close);
	assert_string_equal(plain.close, larger.close); /* sizes do not */
}

static void operators_count(void **state)
{
	struct looks add = look("Add-14 f32[2] f32[2]"), sub = look("Sub-14 f32[2] f32[2]");

	(void)state;
	assert_string_not_equal(add.own, sub.own);
	assert_string_not_equal(add.close, sub.close);
}

static void operators_that_a_refusal_names_count(void **state)
{
	const char *output = "output 'y0' is made by no node", *nothing = "there is no such file";
	struct looks add = refused("Add-14 f32[2] f32[2]", output), sub = refused("Sub-14 f32[2] f32[2]", output);

	(void)state;
	assert_string_equal(add.own, sub.own);
	assert_string_not_equal(add.close, sub.close);
	assert_string_equal(add.close, refused("Add-14 f32[3] f32[3]", output).close);
	assert_string_equal(refused("Add-14 f32[2] f32[2]", nothing).close,
			    refused("Sub-14 f32[2] f32[2]", nothing).close);
}

/* A library that takes it for a constant is wrong at any operator: that is one bug. */
static void given_defaults_are_one_kind(void **state)
{
	const struct outcome wrong = {.verdict = VERDICT_WRONG};
	struct looks add = look_at("Add-14 f32[2] f32[2]", &wrong, 1), sub = look_at("Sub-14 f32[2] f32[2]", &wrong, 1);

	(void)state;
	assert_string_not_equal(add.own, sub.own);
	assert_string_equal(add.close, sub.close);
	assert_string_not_equal(add.close, look("Add-14 f32[2] f32[2]").close);
}

/* However many look like it come while it waits. */
static void what_waited_is_not_counted_again(void **state)
{
	static char name[] = "a";
	struct party p = {.spec = {.name = name}};
	struct known k = {.kinds = {.doubling = 1}};
	struct outcome o = {.verdict = VERDICT_REJECTED};
	struct err e = ERR_INIT;
	uint64_t first = 0, other = 0;
	struct op_case c;
	struct trial t;
	int take = 0;

	(void)state;
	assert_int_equal(case_parse("Add-14 f32[2] f32[2]", 3, &c, &e), 0);
	assert_int_equal(trial_init(&t, c.model, c.inputs, 3, &e), 0);
	snprintf(o.report.message, sizeof o.report.message, "there is no such file");
	assert_int_equal(known_take(&k, &t, &p, &o, &first, &take, &e), 0);
	assert_true(take && first);
	for (int i = 2; i <= 6; i++, other = 0) {
		assert_int_equal(known_take(&k, &t, &p, &o, &other, &take, &e), 0);
		assert_int_equal(take, i == 2 || i == 4);
	}
	assert_int_equal(known_take(&k, &t, &p, &o, &first, &take, &e), 0);
	assert_true(take);
	known_release(&k);
	trial_release(&t);
}

/* ---- the paper's rule -------------------------------------------------------------------------------------------- */

#define MOST 6

/* One node: what it reads by number, 0 the input of the model, k what node k - 1 makes; b < 0: it reads one. */
struct row {
	const char *op;
	int a, b;
};

static void build_rows(const struct row *rows, struct trial *t)
{
	struct value **inputs = mem_array(1, sizeof *inputs);
	struct wire *wires[MOST + 1], *last;
	struct err e = ERR_INIT;
	struct model *m;
	struct build b;
	int n = 0;

	build_begin(&b, 21, 0, &e);
	last = wires[0] = build_input(&b, "x", DT_FLOAT, 1, (const int64_t[]){2});
	for (; n < MOST && rows[n].op; n++) {
		char name[16];

		snprintf(name, sizeof name, "v%d", n);
		last = build_op(&b, rows[n].op, name, wires[rows[n].a], rows[n].b < 0 ? NULL : wires[rows[n].b], NULL);
		wires[n + 1] = last;
	}
	last->type = wires[0]->type;
	build_output(&b, last);
	assert_int_equal(build_end(&b, &m), 0);
	assert_non_null(inputs);
	inputs[0] = NULL;
	if (trial_init(t, m, inputs, 0, &e))
		fail_msg("%s", e.msg);
}

/* The key by the paper's rule, and ours. */
static void paper_look(const struct row *rows, const char *refusal, char *paper, char *own, char *op)
{
	static char name[] = "a";
	struct party p = {.spec = {.name = name}};
	struct value *values[1] = {NULL};
	struct outcome o = {.verdict = refusal ? VERDICT_REJECTED : VERDICT_WRONG, .values = values, .n = 1};
	struct trial t;

	build_rows(rows, &t);
	snprintf(o.report.message, sizeof o.report.message, "%s", refusal ? refusal : "");
	known_paper(&t, &p, &o, paper, op);
	known_look(&t, &p, &o, own);
	trial_release(&t);
}

/* All operators and edges, not the last three operators alone; not the order of the nodes. */
static void the_paper_compares_structures(void **state)
{
	static const struct row relu[] = {{"Relu", 0, -1}, {"Abs", 1, -1}, {"Abs", 2, -1}, {"Neg", 3, -1}, {0}},
				tanh_[] = {{"Tanh", 0, -1}, {"Abs", 1, -1}, {"Abs", 2, -1}, {"Neg", 3, -1}, {0}},
				one[] = {{"Relu", 0, -1}, {"Tanh", 0, -1}, {"Add", 1, 2}, {0}},
				other[] = {{"Tanh", 0, -1}, {"Relu", 0, -1}, {"Add", 2, 1}, {0}},
				edge[] = {{"Relu", 0, -1}, {"Tanh", 1, -1}, {"Add", 1, 2}, {0}};
	char paper[2][KNOWN_KEY], own[2][KNOWN_KEY], op[KNOWN_OP];

	(void)state;
	paper_look(relu, NULL, paper[0], own[0], op);
	assert_string_equal(op, "Neg");
	paper_look(tanh_, NULL, paper[1], own[1], op);
	assert_string_equal(own[0], own[1]);
	assert_string_not_equal(paper[0], paper[1]);
	paper_look(one, NULL, paper[0], own[0], op);
	paper_look(other, NULL, paper[1], own[1], op);
	assert_string_equal(paper[0], paper[1]);
	paper_look(edge, NULL, paper[1], own[1], op);
	assert_string_equal(own[0], own[1]);
	assert_string_not_equal(paper[0], paper[1]);
}

/* The same words of another operator are another error. */
static void the_paper_compares_errors(void **state)
{
	static const struct row rows[] = {{"Relu", 0, -1}, {"Tanh", 1, -1}, {0}};
	char paper[2][KNOWN_KEY], own[2][KNOWN_KEY], op[KNOWN_OP];

	(void)state;
	paper_look(rows, "cannot make v0", paper[0], own[0], op);
	assert_string_equal(op, "Relu");
	paper_look(rows, "cannot make v1", paper[1], own[1], op);
	assert_string_equal(op, "Tanh");
	assert_string_not_equal(paper[0], paper[1]);
	paper_look(rows, "no such file", paper[1], own[1], op);
	assert_string_equal(op, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_and_attributes_count),
		cmocka_unit_test(operators_count),
		cmocka_unit_test(operators_that_a_refusal_names_count),
		cmocka_unit_test(given_defaults_are_one_kind),
		cmocka_unit_test(what_waited_is_not_counted_again),
		cmocka_unit_test(the_paper_compares_structures),
		cmocka_unit_test(the_paper_compares_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
