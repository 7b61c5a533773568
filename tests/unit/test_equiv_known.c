/* test_equiv_known.c - what is known of operations before they are asked, and which differences are not told for it.
 * Each has a twin: a fault of the same look that is told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/place.h"
#include "methods/equiv/compare.h"
#include "methods/equiv/forward.h"
#include "methods/equiv/known.h"
#include "methods/equiv/shown.h"

/* ---- a registry -------------------------------------------------------------------------------------------------- */

static struct backend_parameter tensor_x[] = {{.name = "x", .type = "float32", .is_input = 1}};
static struct backend_parameter with_gradient[] = {{.name = "x", .type = "float32", .is_input = 1},
						   {.name = "grad", .type = "float32", .is_input = 1}};
static struct backend_parameter with_seed[] = {{.name = "x", .type = "float32", .is_input = 1},
					       {.name = "seed", .type = "int64", .is_input = 1}};
static struct backend_parameter padded[] = {{.name = "x", .type = "float32", .is_input = 1},
					    {.name = "padding", .type = "string", .default_value = "SAME"}};
static struct backend_parameter weighted[] = {{.name = "x", .type = "float32", .is_input = 1},
					      {.name = "filter", .type = "float32", .is_input = 1},
					      {.name = "padding", .type = "string", .default_value = "SAME"}};
static struct backend_parameter with_reserved[] = {{.name = "reserve_space_1", .type = "float32", .is_input = 1}};
static char *outputs[] = {"y", "reserve_space_1"};
static char *plain_outputs[] = {"y", "z"};

enum { TWICE, TWICE_GRAD, DRAWS, NORM, NORM_GRAD, PAIR, POOL, CONV, N_OPERATIONS };

static struct backend_operation operations[N_OPERATIONS] = {
	[TWICE] = {.name = "Twice", .parameters = tensor_x, .n_parameters = 1, .n_outputs = 1},
	[TWICE_GRAD] = {.name = "TwiceGrad", .parameters = with_gradient, .n_parameters = 2, .n_outputs = 1},
	[DRAWS] = {.name = "Draws", .parameters = with_seed, .n_parameters = 2, .n_outputs = 1},
	[NORM] = {.name = "Norm", .parameters = tensor_x, .n_parameters = 1, .n_outputs = 2, .output_names = outputs},
	[NORM_GRAD] = {.name = "NormGrad", .parameters = with_reserved, .n_parameters = 1, .n_outputs = 1},
	[PAIR] = {.name = "Two",
		  .parameters = tensor_x,
		  .n_parameters = 1,
		  .n_outputs = 2,
		  .output_names = plain_outputs},
	[POOL] = {.name = "Pool", .parameters = padded, .n_parameters = 2, .n_outputs = 1},
	[CONV] = {.name = "Conv", .parameters = weighted, .n_parameters = 3, .n_outputs = 1},
};

static struct api apis[N_OPERATIONS];

static struct registry open_registry(void)
{
	struct registry r;

	registry_init(&r, "tf");
	r.apis = apis;
	r.n = N_OPERATIONS;
	for (size_t i = 0; i < N_OPERATIONS; i++) {
		apis[i] = (struct api){.op = &operations[i]};
		registry_classify(&r, &apis[i]);
	}
	return r;
}

static void names_tell_what_is_reserved_and_what_is_drawn(void **state)
{
	struct registry r = open_registry();

	(void)state;
	assert_int_equal(apis[NORM].unspecified, 2); /* the second output */
	assert_null(apis[NORM].why_not);
	assert_non_null(strstr(apis[NORM_GRAD].why_not, "reserved"));
	assert_int_equal(apis[PAIR].unspecified, 0);
	assert_true(rule_dtypes.every->applies(&r, &apis[TWICE]));
	assert_false(rule_dtypes.every->applies(&r, &apis[DRAWS])); /* other numbers of another type */
	assert_true(rule_optimized.every->applies(&r, &apis[DRAWS]));
	assert_true(apis[CONV].pads);
	assert_false(apis[POOL].pads); /* the largest of numbers is no product */
	registry_release(&r);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int read_facts(struct registry *r, const char *text, struct err *e)
{
	char folder[] = "/tmp/assay-known-XXXXXX", path[PLACE_PATH];
	struct err ignored = ERR_INIT;
	int rc;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(place_path(path, e, "%s/said.tsv", folder), 0);
	assert_int_equal(buf_write_file(text, strlen(text), path, e), 0);
	rc = known_read(r, folder, e);
	place_remove_tree(folder, &ignored);
	return rc;
}

static int is_allowed(const char *call, const char *variables)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct bindings in;
	struct draw draw;
	struct expr *x;
	struct rng rng;
	int allowed;

	rng_init(&rng, 1);
	assert_int_equal(expr_parse(call, &arena, &x, &e), 0);
	assert_int_equal(draw_parse(variables, &arena, &draw, &e), 0);
	assert_int_equal(draw_make(&draw, &rng, 1, &in, &e), 0);
	allowed = known_allows(&apis[TWICE], x, &in);
	bindings_release(&in);
	arena_release(&arena);
	return allowed;
}

static void documented_limits_are_kept(void **state)
{
	struct registry r = open_registry();
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(read_facts(&r,
				    "tf\tTwice\tsame-shape x y\tsomewhere\n"
				    "tf\tTwice\tleast beta 0\tsomewhere\n"
				    "tf\tTwice\tmost beta 2\tsomewhere\n"
				    "tf\tTwice\tnot check 0\tsomewhere\n"
				    "tf\tTwice\tamong sign -1|1\tsomewhere\n"
				    "tf\tTwice\tbetween odds 0..1\tsomewhere\n"
				    "tf\tDr*\tinternal\tsomewhere\n"
				    "tf\tNorm\tmatrix\tsomewhere\n"
				    "tf\tNorm\tfinite\tsomewhere\n"
				    "tf\tTwice\tone-nan\tsomewhere\n"
				    "tf\tTwice\tpads\tsomewhere\n"
				    "torch\tTwice\tleast gamma 9\tsomewhere\n",
				    &e),
			 0);
	assert_false(apis[TWICE].untold);
	assert_true(apis[DRAWS].untold);
	assert_true(apis[NORM].matrix && !apis[TWICE].matrix);
	assert_true(apis[NORM].finite && !apis[TWICE].finite);
	assert_true(apis[TWICE].one_nan && !apis[NORM].one_nan);
	assert_true(apis[TWICE].pads && !apis[NORM].pads);
	assert_true(is_allowed("Twice(x=a, y=b)", "a:float32[2,3] b:float32[2,3]"));
	assert_false(is_allowed("Twice(x=a, y=b)", "a:float32[2,3] b:float32[3]"));
	assert_true(is_allowed("Twice(x=a, beta=0.0)", "a:float32[2,3]"));
	assert_false(is_allowed("Twice(x=a, beta=-1.0)", "a:float32[2,3]"));
	assert_true(is_allowed("Twice(x=a, beta=2.0)", "a:float32[2,3]"));
	assert_false(is_allowed("Twice(x=a, beta=3.0)", "a:float32[2,3]"));
	assert_true(is_allowed("Twice(x=a, check=true, gamma=1)", "a:float32[2,3]"));
	assert_false(is_allowed("Twice(x=a, check=false)", "a:float32[2,3]"));
	assert_true(is_allowed("Twice(x=a, sign=-1)", "a:float32[2,3]"));
	assert_false(is_allowed("Twice(x=a, sign=0)", "a:float32[2,3]"));
	assert_false(is_allowed("Twice(x=a, sign=a)", "a:float32[2,3]")); /* each of its elements */
	assert_true(is_allowed("Twice(x=a, odds=0.5)", "a:float32[2,3]"));
	assert_false(is_allowed("Twice(x=a, odds=1.5)", "a:float32[2,3]"));
	registry_release(&r);
}

/* What is drawn is made to fit, so that the operation is asked at all. */
static void numbers_are_made_to_fit(void **state)
{
	struct registry r = open_registry();
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct bindings in;
	struct draw draw;
	struct expr *x;
	struct rng rng;

	(void)state;
	assert_int_equal(read_facts(&r,
				    "tf\tTwice\tamong x -1|1\tsomewhere\n"
				    "tf\tTwice\tbetween y 2..3\tsomewhere\n"
				    "tf\tTwice\trecursion n\tsomewhere\n",
				    &e),
			 0);
	rng_init(&rng, 1);
	assert_int_equal(expr_parse("Twice(x=a, y=b, n=205)", &arena, &x, &e), 0);
	assert_int_equal(draw_parse("a:float32[2,3] b:float32[7]", &arena, &draw, &e), 0);
	assert_int_equal(draw_make(&draw, &rng, 1, &in, &e), 0);
	assert_false(known_allows(&apis[TWICE], x, &in));
	assert_int_equal(known_fit(&apis[TWICE], x, &in, &e), 0);
	assert_true(known_allows(&apis[TWICE], x, &in));
	assert_true(known_steps(&apis[TWICE], x, &in) == 205);
	assert_true(known_steps(&apis[PAIR], x, &in) == 1);
	bindings_release(&in);
	arena_release(&arena);
	registry_release(&r);
}

static void facts_that_cannot_be_read_are_errors(void **state)
{
	static const char *const wrong[] = {"tf\tTwice\tperhaps\tsomewhere\n", "tf\tTwice\tleast beta\tsomewhere\n",
					    "tf\tTwice\tbetween beta 1\tsomewhere\n", "tf\tTwice\tinternal\n",
					    "tf\tTwice\tinternal\t\n"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct registry r = open_registry();
		struct err e = ERR_INIT;

		assert_int_equal(read_facts(&r, wrong[i], &e), ERR_INPUT);
		assert_non_null(strstr(e.msg, "Twice"));
		registry_release(&r);
	}
}

/* ---- a library --------------------------------------------------------------------------------------------------- */

struct toy {
	int reduces; /* Twice gives a number, so that a gradient of x's shape is none of it */
	int refuses; /* Twice does not take its argument */
	double off;  /* by how much TwiceGrad, the first output of Norm and of Two, and the second of both are wrong */
	double off_second;
};

static struct value *moved(const struct tensor *t, double by)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_zeros(t->dtype, t->rank, t->dims, &e), *packed;

	for (size_t i = 0; i < wide->count; i++)
		wide->f[i] = tensor_get(t, i) + by;
	packed = tensor_pack(wide, &e);
	tensor_unref(wide);
	return value_tensor(packed, &e);
}

static struct value *number(void)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_scalar_f(DT_FLOAT, 1, &e), *packed = tensor_pack(wide, &e);

	tensor_unref(wide);
	return value_tensor(packed, &e);
}

static enum worker_result run_toy(void *library, const struct backend_call *c, struct backend_answer *out,
				  struct worker_report *report)
{
	const struct toy *toy = library;
	const struct tensor *x = c->args[0].tensor->tensor;
	int forward = !strcmp(c->operation, "Twice"), two = c->operation[0] == 'N' || !strcmp(c->operation, "Two");

	memset(report, 0, sizeof *report);
	if (forward && toy->refuses)
		return report->result = WORKER_REJECTED;
	out->out = mem_array(2, sizeof *out->out);
	out->n_out = two ? 2 : 1;
	out->out[0] = forward && toy->reduces ? number() : moved(x, forward ? 0 : toy->off);
	if (two)
		out->out[1] = moved(x, toy->off_second);
	return WORKER_OK;
}

static struct equiv_result run(int operation, struct toy *right)
{
	struct registry r = open_registry();
	struct equiv_pair p = {.rule = &rule_optimized, .name = operations[operation].name, .api = &apis[operation]};
	struct toy left = *right;
	struct eval sides[2] = {{.invoke = run_toy, .library = &left}, {.invoke = run_toy, .library = right}};
	struct equiv_options o = {.inputs = 48, .atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct equiv_result result = {0};
	struct err e = ERR_INIT;

	left.off = left.off_second = 0;
	assert_int_equal(equiv_run_pair(&r, &p, sides, &o, 0, &result, &e), 0);
	registry_release(&r);
	return result;
}

static void expect(int operation, struct toy right, enum verdict v)
{
	struct equiv_result r = run(operation, &right);

	assert_int_equal(r.found[EQUIV_DIFFERENCE].verdict, v);
	if (v == VERDICT_AGREE && right.off != 0)
		assert_true(r.invalid > 0);
	equiv_result_release(&r);
}

static void gradients_of_what_is_refused_are_not_told(void **state)
{
	struct registry r = open_registry();

	(void)state;
	assert_ptr_equal(forward_find(&r, &apis[TWICE_GRAD]), &apis[TWICE]);
	assert_null(forward_find(&r, &apis[TWICE]));
	registry_release(&r);
	expect(TWICE_GRAD, (struct toy){.off = 0.5}, VERDICT_WRONG); /* the twin */
	expect(TWICE_GRAD, (struct toy){.off = 0.5, .refuses = 1}, VERDICT_AGREE);
}

static void reserved_outputs_are_not_compared(void **state)
{
	(void)state;
	expect(NORM, (struct toy){.off_second = 3}, VERDICT_AGREE);
	expect(NORM, (struct toy){.off = 3}, VERDICT_WRONG);
	expect(PAIR, (struct toy){.off_second = 3}, VERDICT_WRONG);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static enum compare_result compare(double a, double b, int zero_times_inf)
{
	struct err e = ERR_INIT;
	struct compare_how how = {.zero_times_inf = zero_times_inf};
	struct equiv_options o = {.atol = EQUIV_ATOL, .rtol = EQUIV_RTOL};
	struct tensor *x = tensor_scalar_f(DT_FLOAT, a, &e), *y = tensor_scalar_f(DT_FLOAT, b, &e);
	struct value *v = value_tensor(tensor_pack(x, &e), &e), *w = value_tensor(tensor_pack(y, &e), &e);
	char detail[256];
	enum compare_result r = compare_close(v, w, &how, &o, detail, sizeof detail);

	tensor_unref(x);
	tensor_unref(y);
	value_unref(v);
	value_unref(w);
	return r;
}

/* 0 · inf on one side alone says nothing of other kernels; a wrong number does, and so does a NaN of plain numbers. */
static void a_nan_of_padding_says_nothing(void **state)
{
	(void)state;
	assert_int_equal(compare(0, (double)NAN, 1), COMPARE_CLOSE);
	assert_int_equal(compare(0, (double)NAN, 0), COMPARE_BEYOND);
	assert_int_equal(compare(0, 1, 1), COMPARE_BEYOND);
	assert_int_equal(compare(-3.4e38, -(double)INFINITY, 1), COMPARE_BEYOND);
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

static void scripts_say_by_their_status_whether_they_show(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(shown_run("python3", "import sys\nsys.exit(1)\n", &e), SHOWN_YES);
	assert_int_equal(shown_run("python3", "import sys\nsys.exit(0)\n", &e), SHOWN_NO);
	assert_int_equal(shown_run("python3", "import sys\nsys.exit(2)\n", &e), SHOWN_NOT_RUN);
	assert_int_equal(shown_run("no-such-python", "", &e), SHOWN_FAILED);
	assert_false(shown_can("no-such-python", "sys", ""));
	assert_false(shown_can("python3", "no_such_package", "1"));
}

/* Of numbers whose squares do not fit their type, where somebody says that products are summed. */
static void an_overflow_of_a_sum_hangs_on_its_order(void **state)
{
	const struct api sums = {.sums = 1}, none = {0};
	struct bindings in = {.n = 1};
	struct err e = ERR_INIT;
	const double numbers[] = {3e38, 1e15, 1e-30};

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct tensor *wide = tensor_scalar_f(DT_FLOAT, numbers[i], &e);

		in.at[0].tensor = value_tensor(tensor_pack(wide, &e), &e);
		tensor_unref(wide);
		assert_int_equal(known_overflows(&sums, &in), !i);
		assert_false(known_overflows(&none, &in));
		bindings_release(&in);
		in.n = 1;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_what_is_reserved_and_what_is_drawn),
		cmocka_unit_test(documented_limits_are_kept),
		cmocka_unit_test(numbers_are_made_to_fit),
		cmocka_unit_test(facts_that_cannot_be_read_are_errors),
		cmocka_unit_test(gradients_of_what_is_refused_are_not_told),
		cmocka_unit_test(reserved_outputs_are_not_compared),
		cmocka_unit_test(a_nan_of_padding_says_nothing),
		cmocka_unit_test(scripts_say_by_their_status_whether_they_show),
		cmocka_unit_test(an_overflow_of_a_sum_hangs_on_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
