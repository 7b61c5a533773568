/* test_equiv_classify.c - the class of a finding: one library of a single operation for each, and the facts alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/classify.h"

/* ---- a library of one operation: its argument, and what is done to it -------------------------------------------- */

enum of_test {
	SAME,
	OFF,          /* by a half */
	LITTLE_OFF,   /* by a part that is above the tolerance, and little beside what nudges do */
	NO_SUBNORMAL, /* a subnormal number is 100 */
	NO_OPEN,      /* a number that is not finite is 0 */
	DIES,
	REFUSES
};

static double changed(double x, enum of_test how)
{
	switch (how) {
	case OFF:
		return x + 0.5;
	case LITTLE_OFF:
		/* far from the ends, where nudges round as everywhere */
		return fabs(x) > 1e-30 && fabs(x) < 1e30 ? x * (1 + 200 * dtype_roundoff(DT_FLOAT)) : x;
	case NO_SUBNORMAL:
		return fabs(x) > 0 && fabs(x) < 1e-38 ? 100 : x;
	case NO_OPEN:
		return isfinite(x) ? x : 0;
	default:
		return x;
	}
}

static enum worker_result call(void *library, const struct backend_call *c, struct backend_answer *out,
			       struct worker_report *report)
{
	const enum of_test *how = library;
	struct tensor *x = c->args[0].tensor->tensor, *wide, *own;
	struct err e = ERR_INIT;

	memset(report, 0, sizeof *report);
	if (*how == DIES)
		return report->result = WORKER_CRASH;
	if (*how == REFUSES || x->dtype != DT_FLOAT)
		return report->result = WORKER_REJECTED;
	wide = tensor_widen(x, &e);
	own = tensor_copy(wide, &e);
	for (size_t i = 0; i < own->count; i++)
		own->f[i] = changed(own->f[i], *how);
	tensor_round(own);
	out->grads = mem_array(0, sizeof *out->grads);
	out->out = mem_array(1, sizeof *out->out);
	out->n_out = 1;
	out->out[0] = value_tensor(tensor_pack(own, &e), &e);
	tensor_unref(own);
	tensor_unref(wide);
	return WORKER_OK;
}

/* Other calls on both sides, as some rules make them: nothing that one gives is promised of the other. */
static int other_call(const struct registry *r, const struct expr *a, struct bindings *in_b, struct arena *arena,
		      const struct expr **b, struct err *e)
{
	return equiv_same_call(r, a, in_b, arena, b, e);
}

static const struct rule_every others = {.applies = equiv_any, .other = other_call, .sets = PAIR_OPTIMIZED};
static const struct equiv_rule rule_others = {99, "others", "other calls", &others};

struct case_of_test {
	const char *backend, *name;
	enum of_test how;
	int internal, promised, others;
	enum equiv_kind kind;
	enum equiv_class class;
};

static void run(const struct case_of_test *t, struct equiv_result *out)
{
	static char x[] = "X", tensor[] = "Tensor";
	static struct backend_parameter parameter = {.name = x, .type = tensor, .is_input = 1};
	const struct backend_operation operation = {
		.name = (char *)t->name, .parameters = &parameter, .n_parameters = 1, .n_outputs = 1};
	struct api api = {.op = &operation, .kinds = {PARAMETER_TENSOR}, .internal = t->internal};
	struct equiv_pair p = {.rule = t->others ? &rule_others : &rule_optimized,
			       .name = t->name,
			       .api = &api,
			       .promised = t->promised};
	enum of_test plain = SAME, how = t->how;
	struct eval sides[2] = {{.invoke = call, .library = &plain}, {.invoke = call, .library = &how}};
	struct equiv_options o = {.inputs = 200, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct registry registry;
	struct err e = ERR_INIT;

	registry_init(&registry, t->backend);
	if (equiv_run_pair(&registry, &p, sides, &o, 0, out, &e))
		fail_msg("%s", e.msg);
}

static void every_class_is_told(void **state)
{
	static const struct case_of_test cases[] = {
		{"tf", "Op", OFF, .class = CLASS_WRONG},
		{"tf", "Op", DIES, .kind = EQUIV_FAILURE, .class = CLASS_CRASH},
		{"tf", "Op", REFUSES, .promised = 1, .kind = EQUIV_REFUSAL, .class = CLASS_REFUSED},
		{"tf", "Op", NO_SUBNORMAL, .class = CLASS_PRECISION},
		{"tf", "Op", LITTLE_OFF, .class = CLASS_PRECISION},
		{"tf", "_Op", OFF, .class = CLASS_INTERNAL},
		{"mxnet", "_npi_op", OFF, .class = CLASS_WRONG}, /* mx.np calls such */
		{"torch", "aten::op", DIES, .internal = 1, .kind = EQUIV_FAILURE, .class = CLASS_INTERNAL},
		{"tf", "Op", NO_OPEN, .class = CLASS_WRONG}, /* the same call: promised of NaN as well */
		{"tf", "Op", NO_OPEN, .others = 1, .class = CLASS_UNDEFINED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct case_of_test *t = &cases[i];
		struct equiv_result r = {0};
		const struct equiv_finding *f = &r.found[t->kind];

		run(t, &r);
		if (!verdict_is_finding(f->verdict) || f->class != t->class || !*f->why)
			fail_msg("case %zu: verdict %s, class '%s' (%s), expected '%s'", i, verdict_name(f->verdict),
				 equiv_class_name(f->class), f->why, equiv_class_name(t->class));
		assert_int_equal(equiv_is_inner(f), t->class == CLASS_INTERNAL);
		assert_int_equal(equiv_is_finding(f), t->class != CLASS_INTERNAL);
		equiv_result_release(&r);
	}
}

/* ---- what overflows ---------------------------------------------------------------------------------------------- */

static struct value *one(double x)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_scalar_f(DT_FLOAT, x, &e);
	struct value *v = value_tensor(tensor_pack(wide, &e), &e);

	tensor_unref(wide);
	return v;
}

/* The class of a difference: a library's operation of x gives a, and b. */
static enum equiv_class class_with(const char *backend, const struct equiv_rule *rule, int rearranged, double x,
				   double a, double b)
{
	const struct equiv_options o = {.atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct registry registry;
	struct api api = {0};
	struct equiv_pair pair = {.rule = rule, .name = "Op", .api = &api, .rearranged = rearranged};
	struct pair_run r = {.registry = &registry, .pair = &pair, .o = &o};
	struct equiv_input in = {.in_a.n = 1, .in_a.at[0].tensor = one(x)};
	struct value *v[2] = {one(a), one(b)};
	struct class_facts f;
	enum equiv_class c;
	const char *why;

	registry_init(&registry, backend);
	f = classify_facts(&r, &in, VERDICT_WRONG, (double)INFINITY, v);
	c = classify_by(&f, &why);
	pair_free_sides(v);
	bindings_release(&in.in_a);
	return c;
}

static void what_overflows_is_judged_by_what_is_documented(void **state)
{
	const double inf = (double)INFINITY, nan = (double)NAN;
	const struct equiv_rule *const same = &rule_optimized, *const other = &rule_others;

	(void)state;
	assert_int_equal(class_with("tfapi", same, 0, 3e38, 0.5, inf), CLASS_WRONG); /* a chain of an optimizer */
	assert_int_equal(class_with("tfapi", other, 0, 3e38, 0.5, inf), CLASS_UNDEFINED);
	assert_int_equal(class_with("tfapi", other, 0, 3, 0.5, inf), CLASS_WRONG);
	assert_int_equal(class_with("torchapi", same, 0, 3e38, 0.5, inf), CLASS_DOCUMENTED);
	assert_int_equal(class_with("torchapi", same, 0, 3e38, 0.5, nan), CLASS_WRONG); /* fmod: no overflow is NaN */
	assert_int_equal(class_with("torchapi", same, 0, 3, 0.5, inf), CLASS_WRONG);
	assert_int_equal(class_with("jaxapi", same, 1, 3e38, 0, 3e38), CLASS_DOCUMENTED);
	assert_int_equal(class_with("jaxapi", same, 1, 3, 0, 3), CLASS_WRONG);
	assert_int_equal(class_with("jaxapi", same, 1, 1e-45, 0, nan), CLASS_WRONG); /* float_power of 0 */
	assert_int_equal(class_with("jaxapi", same, 0, 3e38, 0, 3e38), CLASS_WRONG); /* vmap, say */
}

/* ---- facts alone ------------------------------------------------------------------------------------------------- */

static enum equiv_class class_by(struct class_facts f)
{
	const char *why;

	return classify_by(&f, &why);
}

static void what_is_known_first_counts(void **state)
{
	const double inf = (double)INFINITY;

	(void)state;
	assert_int_equal(class_by((struct class_facts){.verdict = VERDICT_HANG}), CLASS_CRASH);
	assert_int_equal(class_by((struct class_facts){.verdict = VERDICT_HANG, .internal = 1}), CLASS_INTERNAL);
	assert_int_equal(class_by((struct class_facts){.verdict = VERDICT_ACCEPTED, .ratio = inf, .open = 1}),
			 CLASS_WRONG);
	assert_int_equal(class_by((struct class_facts){.verdict = VERDICT_WRONG, .ratio = 199}), CLASS_PRECISION);
	assert_int_equal(class_by((struct class_facts){.verdict = VERDICT_WRONG, .ratio = 201}), CLASS_WRONG);
	/* an overflow is documented where both inputs and results show one */
	assert_int_equal(
		class_by((struct class_facts){
			.verdict = VERDICT_WRONG, .ratio = inf, .same_call = 1, .overflows = 1, .infinite = 1}),
		CLASS_WRONG);
	assert_int_equal(class_by((struct class_facts){
				 .verdict = VERDICT_WRONG, .ratio = inf, .same_call = 1, .overflows = 1, .extreme = 1}),
			 CLASS_WRONG);
}

static void names_are_found_again(void **state)
{
	(void)state;
	for (int c = 0; c < EQUIV_CLASSES; c++)
		assert_int_equal(equiv_class_find(equiv_class_name((enum equiv_class)c)), c);
	assert_int_equal(equiv_class_find("no such class"), CLASS_WRONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_is_told),
		cmocka_unit_test(what_overflows_is_judged_by_what_is_documented),
		cmocka_unit_test(what_is_known_first_counts),
		cmocka_unit_test(names_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
