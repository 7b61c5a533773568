/* test_equiv_again.c - an input of assay equiv written down and read again, what a stored call may be, and findings
 * that are handed on when they come. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "methods/equiv/again.h"
#include "methods/equiv/share.h"
#include "report/evidence.h"

/* ---- variables --------------------------------------------------------------------------------------------------- */

static struct value *one_tensor(enum dtype t, double first)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(t, 2, (const int64_t[]){1, 2}, &e), *packed;

	if (dtype_wide(t) == WIDE_F64)
		wide->f[0] = first;
	else
		wide->i[0] = (int64_t)first;
	packed = tensor_pack(wide, &e);
	tensor_unref(wide);
	return value_tensor(packed, &e);
}

/* Types that .npy has not, numbers that JSON has not, and integers. */
static void variables_come_back_bit_by_bit(void **state)
{
	static const enum dtype types[] = {DT_FLOAT, DT_BFLOAT16, DT_FLOAT16, DT_INT64, DT_BOOL};
	struct equiv_options o = {.atol = 0.25, .rtol = 0.5};
	struct equiv_pair pair = {.name = "f"};
	struct pair_run r = {.pair = &pair, .o = &o};
	struct equiv_input in = {0};
	struct arena arena = ARENA_INIT;
	struct bindings got;
	struct err e = ERR_INIT;
	json_t *again;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		in.in_a.at[in.in_a.n++] = (struct draw_binding){
			.name = "t", .tensor = one_tensor(types[i], types[i] == DT_FLOAT ? (double)NAN : 1)};
	in.in_a.at[in.in_a.n++] = (struct draw_binding){.name = "n", .i = INT64_MIN};
	again = again_write(&r, &in);
	assert_non_null(again);
	assert_true(json_is_true(json_object_get(again, "row")));
	assert_int_equal(again_read(again, &arena, &got, &e), 0);
	assert_int_equal(got.n, 6);
	for (size_t i = 0; i < 5; i++)
		assert_true(tensor_same_bits(got.at[i].tensor->tensor, in.in_a.at[i].tensor->tensor));
	assert_true(!got.at[5].tensor && got.at[5].i == INT64_MIN);
	assert_string_equal(got.at[5].name, "n");
	json_decref(again);
	bindings_release(&got);
	bindings_release(&in.in_a);
	arena_release(&arena);
}

static void damaged_variables_are_refused(void **state)
{
	static const char *const bad[] = {
		"{}", "{\"variables\": 3}", "{\"variables\": [{\"name\": \"x\"}, 7]}",
		"{\"variables\": [{\"name\": \"x\", \"tensor\": \"ff00\"}]}",
		"{\"variables\": [{\"name\": \"x\", \"tensor\": \"0a08ffffffffffffffff7f\"}]}"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		json_t *j = json_loads(bad[i], 0, NULL);
		struct arena arena = ARENA_INIT;
		struct err e = ERR_INIT;
		struct bindings got;

		if (!again_read(j, &arena, &got, &e)) /* what is empty is a tensor without elements, or none */
			bindings_release(&got);
		else
			assert_true(*e.msg);
		json_decref(j);
		arena_release(&arena);
	}
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* f(x: a tensor, mode: "fast" or "slow", path: a text nobody draws) */
static int check_call(const char *text, const char *why_not)
{
	static char fast[] = "fast", slow[] = "slow", x[] = "x", mode[] = "mode", path[] = "path", f[] = "f";
	char *words[] = {fast, slow};
	struct backend_parameter parameters[] = {
		{.name = x}, {.name = mode, .allowed = words, .n_allowed = 2}, {.name = path, .optional = 1}};
	struct backend_operation op = {.name = f, .parameters = parameters, .n_parameters = 3};
	struct api api = {
		.op = &op, .kinds = {PARAMETER_TENSOR, PARAMETER_WORD, PARAMETER_UNKNOWN}, .why_not = why_not};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct expr *call;
	int rc = expr_parse(text, &arena, &call, &e);

	assert_int_equal(rc, 0);
	rc = again_check(&api, call, &e);
	arena_release(&arena);
	return rc;
}

static void a_store_calls_nothing_that_equiv_does_not(void **state)
{
	(void)state;
	assert_int_equal(check_call("f(x=t0, mode=\"slow\")", NULL), 0);
	assert_int_equal(check_call("f(x=[t0, t1])", NULL), 0);
	assert_int_equal(check_call("f(x=t0, mode=\"slow\")", "it writes files"), ERR_INPUT);
	assert_int_equal(check_call("g(x=t0)", NULL), ERR_INPUT);
	assert_int_equal(check_call("f(x=t0, mode=\"/etc/passwd\")", NULL), ERR_INPUT);
	assert_int_equal(check_call("f(x=t0, path=\"/etc/passwd\")", NULL), ERR_INPUT);
	assert_int_equal(check_call("f(x=t0, other=1)", NULL), ERR_INPUT);
	assert_int_equal(check_call("f(x=g(t0))", NULL), ERR_INPUT);
	assert_int_equal(check_call("f(x=[g(t0)])", NULL), ERR_INPUT);
	assert_int_equal(check_call("f(x=\"text\")", NULL), ERR_INPUT);
}

/* What the store says of backends and rules is checked before anything is opened. */
static void findings_that_cannot_be_replayed_say_so(void **state)
{
	static const struct {
		const char *evidence, *says;
	} bad[] = {
		{"{\"rule\": 7, \"a\": \"f(x)\"}", "by an older assay; to see it again: assay equiv -b ort"},
		{"{\"rule\": 99, \"again\": {}}", "there is no rule 99"},
		{"{\"rule\": 2, \"again\": {}, \"set_a\": \"save=/tmp/x\"}", "rule 2 has no option sets"},
		{"{\"rule\": 1, \"again\": {}, \"set_b\": \"save=/tmp/x\"}", "has no option sets '' and 'save=/tmp/x'"},
	};
	struct equiv_replay out;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const struct finding f = {.id = 3,
					  .backend = "ort",
					  .version = "",
					  .op = "Relu",
					  .command = "assay equiv -b ort",
					  .evidence = bad[i].evidence};
		struct err e = ERR_INIT;

		assert_int_equal(equiv_replay(&f, NULL, ".", &out, &e), ERR_INPUT);
		assert_non_null(strstr(e.msg, "finding 3: "));
		assert_non_null(strstr(e.msg, bad[i].says));
	}
}

/* ---- as they come ------------------------------------------------------------------------------------------------ */

static enum worker_result same(void *library, const struct backend_call *c, struct backend_answer *out,
			       struct worker_report *report)
{
	(void)library;
	memset(report, 0, sizeof *report);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_ref(c->args[0].tensor);
	return WORKER_OK;
}

static int never(const struct equiv *q, size_t pair, struct equiv_finding *f, void *arg, struct err *e)
{
	(void)q, (void)pair, (void)f, (void)arg, (void)e;
	fail();
	return 0;
}

/* A pair stops behind its first finding, so that it is stored before the next input is run; then it goes on. */
static void a_finding_waits_for_no_other_input(void **state)
{
	struct equiv_pair p = {.rule = &rule_formula, .name = "same"};
	struct eval sides[2] = {{.invoke = same}, {.invoke = same}};
	struct equiv_options o = {.inputs = 9, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL, .plant = 1, .found = never};
	struct arena arena = ARENA_INIT;
	struct registry registry;
	struct equiv_result r = {0};
	struct err e = ERR_INIT;

	(void)state;
	registry_init(&registry, "torch");
	assert_int_equal(draw_parse("x:float32[2]", &arena, &p.draw, &e), 0);
	assert_int_equal(expr_parse("same(x)", &arena, &p.a, &e), 0);
	p.b = p.a;
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	assert_int_equal(r.next, 1);
	assert_true(equiv_has_news(&r) && !r.done);
	assert_string_equal(equiv_oracle(&r.found[EQUIV_DIFFERENCE]), "noise");
	assert_string_equal(equiv_wrong_side(&r.found[EQUIV_DIFFERENCE]), "");
	assert_true(json_is_object(r.found[EQUIV_DIFFERENCE].again));
	r.found[EQUIV_DIFFERENCE].handed = 1;
	assert_int_equal(equiv_run_pair(&registry, &p, sides, &o, 0, &r, &e), 0);
	assert_true(r.done && r.next == 9 && r.found[EQUIV_DIFFERENCE].shown == 9);
	equiv_result_release(&r);
	arena_release(&arena);
}

/* Only libraries that read ONNX get a share; the reference and those with kernels of their own get none. */
static void a_share_is_for_libraries_that_read_onnx(void **state)
{
	struct spec_list specs;
	struct err e = ERR_INIT;
	struct equiv_share s = {.specs = &specs, .percent = 25, .seconds = 100};
	struct equiv_shared got = {.backends = 7};

	(void)state;
	assert_int_equal(spec_make_list("reference,fault:relu6", &specs, &e), 0);
	assert_int_equal(equiv_share_run(&s, &got, &e), 0);
	assert_true(!got.backends && !(got.seconds > 0));
	spec_list_release(&specs);
}

/* ---- oracles ----------------------------------------------------------------------------------------------------- */

static void every_oracle_has_a_sentence(void **state)
{
	const struct equiv_finding found[] = {{.verdict = VERDICT_WRONG, .ratio = 1000},
					      {.verdict = VERDICT_WRONG, .ratio = (double)INFINITY},
					      {.verdict = VERDICT_CRASH, .wrong = 'b'},
					      {.verdict = VERDICT_HANG, .wrong = 'a'}};
	static const char *const words[] = {"noise", "rule", "death", "time"};
	json_t *evidence = json_pack("{ss, ss}", "oracle", "death", "wrong_side", "b");
	struct buf text;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(equiv_oracle(&found[i]), words[i]);
		assert_true(*evidence_oracle(words[i]));
	}
	assert_string_equal(equiv_wrong_side(&found[2]), "b");
	assert_string_equal(evidence_oracle("nobody"), "");
	buf_init(&text, 4096);
	evidence_put_oracle(evidence, &text);
	assert_non_null(strstr(text.data, "; side b is held to be wrong"));
	buf_release(&text);
	json_decref(evidence);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_come_back_bit_by_bit),
		cmocka_unit_test(damaged_variables_are_refused),
		cmocka_unit_test(a_store_calls_nothing_that_equiv_does_not),
		cmocka_unit_test(findings_that_cannot_be_replayed_say_so),
		cmocka_unit_test(a_finding_waits_for_no_other_input),
		cmocka_unit_test(a_share_is_for_libraries_that_read_onnx),
		cmocka_unit_test(every_oracle_has_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
