/* test_equiv_invalid.c - calls with an argument that is not legal (rule_invalid.c), on a library of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/again.h"

/* ---- a library of the operation f(x: a tensor, n: an integer, mode: fast or slow, ratios: floats) ---------------- */

enum check { NONE, NUMBERS, WORDS, LIMITS, RATIOS }; /* that the library forgets: its process dies */

struct library_of_test {
	enum check forgotten;
	size_t calls, refused;
};

static const struct backend_argument *argument(const struct backend_call *c, const char *name)
{
	for (size_t i = 0; i < c->n_args; i++)
		if (!strcmp(c->args[i].name, name))
			return &c->args[i];
	return NULL;
}

/* Some element of a float32 tensor is huge. */
static int has_huge(const struct tensor *t)
{
	const float *x = (const float *)t->data;

	for (size_t i = 0; t->dtype == DT_FLOAT && i < t->count; i++)
		if (x[i] > 1e29F)
			return 1;
	return 0;
}

static enum worker_result f(void *library, const struct backend_call *c, struct backend_answer *out,
			    struct worker_report *report)
{
	struct library_of_test *l = library;
	const struct backend_argument *x = argument(c, "x"), *n = argument(c, "n"), *mode = argument(c, "mode");
	const struct backend_argument *ratios = argument(c, "ratios");
	int far = n && (n->i <= -1000 || n->i >= 1000);
	int no_word = mode && strcmp(mode->s, "fast") && strcmp(mode->s, "slow");

	int huge = x && has_huge(x->tensor->tensor), no_ratio = 0;

	for (size_t i = 0; ratios && i < ratios->n; i++)
		no_ratio |= ratios->floats[i] > 1e29;
	memset(report, 0, sizeof *report);
	l->calls++;
	report->result = (far && l->forgotten == NUMBERS) || (no_word && l->forgotten == WORDS) ||
					 (huge && l->forgotten == LIMITS) || (no_ratio && l->forgotten == RATIOS)
				 ? WORKER_CRASH
			 : !ratios || no_ratio || !x || !n || !mode || far || no_word ||
					 !dtype_is_float(x->tensor->tensor->dtype)
				 ? WORKER_REJECTED
				 : WORKER_OK;
	l->refused += report->result == WORKER_REJECTED;
	if (report->result != WORKER_OK)
		return report->result;
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_ref(x->tensor);
	return WORKER_OK;
}

static char fast[] = "fast", slow[] = "slow", name_x[] = "x", name_n[] = "n", name_mode[] = "mode", name_f[] = "f";
static char tensor[] = "Tensor", integer[] = "int", text[] = "str", *words[] = {fast, slow};
static char name_ratios[] = "ratios", floats[] = "float[]";
static struct backend_parameter parameters[] = {
	{.name = name_x, .type = tensor, .is_input = 1},
	{.name = name_n, .type = integer},
	{.name = name_mode, .type = text, .allowed = words, .n_allowed = 2},
	{.name = name_ratios, .type = floats},
};
static const struct backend_operation operation = {
	.name = name_f, .parameters = parameters, .n_parameters = 4, .n_outputs = 1};

#define KINDS PARAMETER_TENSOR, PARAMETER_INT, PARAMETER_WORD, PARAMETER_FLOATS

/* `end`: after how many inputs it is broken off once. */
static struct equiv_result run(enum check forgotten, size_t end, struct library_of_test *l)
{
	struct api api = {.op = &operation, .kinds = {KINDS}};
	struct equiv_pair p = {.rule = &rule_invalid, .name = name_f, .api = &api};
	struct eval sides[2] = {{.invoke = f, .library = l}, {.invoke = f, .library = l}};
	struct equiv_options o = {.inputs = 400, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;

	*l = (struct library_of_test){.forgotten = forgotten};
	registry_init(&registry, "torch");
	if (end)
		assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, end, &r, &e), 0);
	if (equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e))
		fail_msg("%s", e.msg);
	assert_true(r.done);
	return r;
}

static void a_library_that_refuses_is_quiet(void **state)
{
	struct library_of_test l;
	struct equiv_result r = run(NONE, 0, &l);

	(void)state;
	for (int k = 0; k < EQUIV_KINDS; k++)
		assert_false(verdict_is_finding(r.found[k].verdict));
	assert_true(r.accepted > 20); /* legal calls are looked for, and are not spoiled all */
	assert_true(r.equal > 100);   /* what is not legal is refused, which is right */
	assert_int_equal(l.calls, r.inputs);
	equiv_result_release(&r);
}

static void a_check_that_is_missing_is_found(void **state)
{
	struct library_of_test l;
	struct equiv_result numbers = run(NUMBERS, 0, &l), words_ = run(WORDS, 0, &l);

	(void)state;
	assert_int_equal(numbers.found[EQUIV_FAILURE].verdict, VERDICT_CRASH);
	assert_non_null(strstr(numbers.found[EQUIV_FAILURE].a, "n="));
	assert_int_equal(words_.found[EQUIV_FAILURE].verdict, VERDICT_CRASH);
	assert_non_null(strstr(words_.found[EQUIV_FAILURE].a, "mode=\"" EQUIV_NO_WORD "\""));
	assert_false(verdict_is_finding(words_.found[EQUIV_DIFFERENCE].verdict));
	equiv_result_release(&numbers);
	equiv_result_release(&words_);
}

/* Numbers in tensors and in lists as well as those that stand alone. */
static void a_number_far_outside_is_put_everywhere(void **state)
{
	static const enum check forgotten[] = {LIMITS, RATIOS};

	(void)state;
	for (size_t i = 0; i < sizeof forgotten / sizeof *forgotten; i++) {
		struct library_of_test l;
		struct equiv_result r = run(forgotten[i], 0, &l);

		assert_int_equal(r.found[EQUIV_FAILURE].verdict, VERDICT_CRASH);
		equiv_result_release(&r);
	}
}

static void parts_of_a_run_give_the_same(void **state)
{
	struct library_of_test l;
	struct equiv_result whole = run(NUMBERS, 0, &l), parts = run(NUMBERS, 7, &l);

	(void)state;
	assert_string_equal(whole.found[EQUIV_FAILURE].a, parts.found[EQUIV_FAILURE].a);
	assert_int_equal(whole.found[EQUIV_FAILURE].index, parts.found[EQUIV_FAILURE].index);
	assert_int_equal(whole.inputs, parts.inputs);
	equiv_result_release(&whole);
	equiv_result_release(&parts);
}

/* What a store may ask for: the word that stands for none is one of them, and no other that is not allowed. */
static void a_stored_call_is_run_again(void **state)
{
	struct api api = {.op = &operation, .kinds = {KINDS}};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct expr *call;

	(void)state;
	assert_int_equal(expr_parse("f(x=t0, n=-1000, mode=\"" EQUIV_NO_WORD "\")", &arena, &call, &e), 0);
	assert_int_equal(again_check(&api, call, &e), 0);
	assert_int_equal(expr_parse("f(x=t0, mode=\"/etc/passwd\")", &arena, &call, &e), 0);
	assert_int_equal(again_check(&api, call, &e), ERR_INPUT);
	arena_release(&arena);
}

/* ---- an operator of ONNX ----------------------------------------------------------------------------------------- */

/* Whatever it is given, it gives its first tensor back. */
static enum worker_result take_all(void *library, const struct backend_call *c, struct backend_answer *out,
				   struct worker_report *report)
{
	(void)library;
	memset(report, 0, sizeof *report);
	report->result = c->n_args && c->args[0].kind == ARG_TENSOR ? WORKER_OK : WORKER_REJECTED;
	if (report->result != WORKER_OK)
		return report->result;
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_ref(c->args[0].tensor);
	return WORKER_OK;
}

/* With one parameter more, which the operator does not have, no call of it is valid. */
static struct equiv_result run_softmax(const char *backend, char *name, size_t more)
{
	static char input[] = "input", axis[] = "axis", beta[] = "beta";
	static struct backend_parameter of_softmax[] = {{.name = input, .type = tensor, .is_input = 1},
							{.name = axis, .type = integer},
							{.name = beta, .type = integer}};
	const struct backend_operation softmax = {
		.name = name, .parameters = of_softmax, .n_parameters = 2 + more, .n_outputs = 1};
	struct api api = {.op = &softmax, .kinds = {PARAMETER_TENSOR, PARAMETER_INT, PARAMETER_INT}};
	struct equiv_pair p = {.rule = &rule_invalid, .name = name, .api = &api};
	struct eval sides[2] = {{.invoke = take_all}, {.invoke = take_all}};
	struct equiv_options o = {.inputs = 200, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct equiv_result r = {0};
	struct registry registry;
	struct err e = ERR_INIT;

	registry_init(&registry, backend);
	if (equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e))
		fail_msg("%s", e.msg);
	return r;
}

/* An axis that there is not: the reference refuses it as well.  Of a library's own operation nobody can say it. */
static void an_answer_to_what_onnx_forbids_is_found(void **state)
{
	static char softmax[] = "Softmax", own[] = "OwnSoftmax";
	struct equiv_result r = run_softmax("ort", softmax, 0);
	struct equiv_finding *f = &r.found[EQUIV_REFUSAL];

	(void)state;
	assert_int_equal(f->verdict, VERDICT_ACCEPTED);
	assert_non_null(strstr(f->detail, "gives a result for what is not valid"));
	assert_non_null(strstr(f->a, "axis="));
	assert_string_equal(equiv_oracle(f), "standard");
	assert_string_equal(equiv_wrong_side(f), "a");
	assert_false(verdict_is_finding(r.found[EQUIV_FAILURE].verdict));
	equiv_result_release(&r);
	r = run_softmax("ort", own, 0);
	assert_false(verdict_is_finding(r.found[EQUIV_REFUSAL].verdict));
	equiv_result_release(&r);
	r = run_softmax("torch", softmax, 0);
	assert_false(verdict_is_finding(r.found[EQUIV_REFUSAL].verdict));
	equiv_result_release(&r);
	r = run_softmax("ort", softmax, 1); /* what was changed is not what is wrong */
	assert_false(verdict_is_finding(r.found[EQUIV_REFUSAL].verdict));
	equiv_result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_that_refuses_is_quiet),
		cmocka_unit_test(a_check_that_is_missing_is_found),
		cmocka_unit_test(a_number_far_outside_is_put_everywhere),
		cmocka_unit_test(parts_of_a_run_give_the_same),
		cmocka_unit_test(a_stored_call_is_run_again),
		cmocka_unit_test(an_answer_to_what_onnx_forbids_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
