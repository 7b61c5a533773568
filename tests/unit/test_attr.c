/* test_attr.c - attributes and their defaults. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/case.h"
#include "ops/attr.h"
#include "ops/recurrent/activation.h"

/* The node of a case; bound or not.  The case lives until the next call. */
static struct node *node_of(const char *line, int bound)
{
	static struct op_case c;
	struct err e = ERR_INIT;

	case_release(&c);
	if (case_parse(line, 1, &c, &e) || (bound && ops_bind(c.model, &e)))
		fail_msg("%s: %s", line, e.msg);
	return c.model->graph->nodes.at[0];
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void test_given(void **state)
{
	struct node *n = node_of("HardSigmoid-6 f32[2] alpha=0.3", 1);

	(void)state;
	assert_true(attr_float(n, "alpha") == (double)0.3f);
	assert_true(attr_float(n, "beta") == 0.5);
	n = node_of("Pad-18 f32[2] i64{1,1} mode=\"edge\"", 1);
	assert_string_equal(attr_string(n, "mode"), "edge");
	n = node_of("Gather-13 f32[2,2] i64{0} axis=1", 1);
	assert_int_equal(attr_int(n, "axis"), 1);
}

static void test_left_out(void **state)
{
	size_t n_axes;
	const int64_t *axes = attr_ints(node_of("MeanVarianceNormalization-13 f32[1,1,1,1]", 1), "axes", &n_axes);

	(void)state;
	assert_int_equal(n_axes, 3);
	assert_true(axes[0] == 0 && axes[1] == 2 && axes[2] == 3);
	/* float32, as ONNX has them, and not the double next to the decimal number */
	assert_true(attr_float(node_of("HardSigmoid-6 f32[2]", 1), "alpha") == (double)0.2f);
	assert_true(attr_float(node_of("BatchNormalization-15 f32[1,1] f32[1] f32[1] f32[1] f32[1]", 1), "epsilon") ==
		    (double)1e-5f);
	assert_string_equal(attr_string(node_of("Pad-18 f32[2] i64{1,1}", 1), "mode"), "constant");
}

/* The version that the opset selects counts, bound or not. */
static void test_versions(void **state)
{
	(void)state;
	for (int bound = 0; bound < 2; bound++) {
		assert_int_equal(attr_int(node_of("Softmax-1 f32[2,2]", bound), "axis"), 1);
		assert_int_equal(attr_int(node_of("Softmax-12 f32[2,2]", bound), "axis"), 1);
		assert_int_equal(attr_int(node_of("Softmax-13 f32[2,2]", bound), "axis"), -1);
		assert_true(attr_float(node_of("Selu-5 f32[2]", bound), "alpha") == (double)1.6732f);
		assert_true(attr_float(node_of("Selu-6 f32[2]", bound), "alpha") == (double)1.67326319f);
		assert_string_equal(attr_string(node_of("GridSample-16 f32[1,1,2,2] f32[1,1,1,2]", bound), "mode"),
				    "bilinear");
		assert_null(attr_default(node_of("Clip-1 f32[2]", bound), "min"));
		assert_non_null(attr_default(node_of("Clip-6 f32[2]", bound), "min"));
		assert_null(attr_default(node_of("Concat-4 f32[2,2] axis=0", bound), "axis"));
		assert_non_null(attr_default(node_of("Concat-3 f32[2,2]", bound), "axis"));
	}
}

static void test_rows(void **state)
{
	const struct node *n = node_of("Gather-13 f32[2,2] i64{0}", 1);

	(void)state;
	assert_int_equal(attr_row(n->op, "axis", 13)->type, ATTR_INT);
	assert_null(attr_row(n->op, "alpha", 13));
	assert_null(attr_default(n, "alpha"));
	assert_null(attr_default(node_of("com.example:Gather-1 f32[2]", 0), "axis"));
}

/* Another type than the operator has: bound nodes never have it, for others the default counts. */
static void test_wrong_type(void **state)
{
	(void)state;
	assert_int_equal(attr_int(node_of("Gather-13 f32[2,2] i64{0} axis=0.5", 0), "axis"), 0);
}

/* ---- what was not to be asked ------------------------------------------------------------------------------------ */

/* How a child ends that asks for an attribute as an integer. */
static int asking_ends(const char *line, const char *name)
{
	struct node *n = node_of(line, 1);
	pid_t child = fork();
	int status = 0;

	if (!child) {
		(void)!freopen("/dev/null", "w", stderr);
		signal(SIGABRT, SIG_DFL); /* cmocka catches it */
		attr_int(n, name);
		_exit(0);
	}
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_faults_of_callers(void **state)
{
	(void)state;
	assert_int_equal(asking_ends("Gather-13 f32[2,2] i64{0}", "axis"), 0);
	assert_int_equal(asking_ends("Gather-13 f32[2,2] i64{0}", "alpha"), SIGABRT);   /* no such attribute */
	assert_int_equal(asking_ends("Compress-11 f32[2] bool{1,0}", "axis"), SIGABRT); /* no default */
	assert_int_equal(asking_ends("Elu-6 f32[2]", "alpha"), SIGABRT);                /* of another type */
}

/* ---- the same as left out ---------------------------------------------------------------------------------------- */

static int is_default(const char *line, const char *name)
{
	const struct node *n = node_of(line, 0);

	return attr_is_default(n, node_attr(n, name));
}

static void test_is_default(void **state)
{
	(void)state;
	assert_true(is_default("Gather-13 f32[2,2] i64{0} axis=0", "axis"));
	assert_false(is_default("Gather-13 f32[2,2] i64{0} axis=1", "axis"));
	assert_true(is_default("Softmax-13 f32[2,2] axis=-1", "axis"));
	assert_false(is_default("Softmax-11 f32[2,2] axis=-1", "axis"));
	assert_true(is_default("HardSigmoid-6 f32[2] alpha=0.2", "alpha"));
	assert_false(is_default("HardSigmoid-6 f32[2] alpha=0.25", "alpha"));
	assert_true(is_default("Pad-18 f32[2] i64{1,1} mode=\"constant\"", "mode"));
	assert_false(is_default("Pad-18 f32[2] i64{1,1} mode=\"constant_\"", "mode"));
	assert_true(is_default("Conv-11 f32[1,1,2,2] f32[1,1,1,1] strides=[1,1]", "strides"));
	assert_false(is_default("Conv-11 f32[1,1,2,2] f32[1,1,1,1] strides=[1,2]", "strides"));
	assert_false(is_default("Conv-11 f32[1,1,2,2] f32[1,1,1,1] kernel_shape=[1,1]", "kernel_shape"));
	assert_true(is_default("MeanVarianceNormalization-13 f32[1,1,1,1] axes=[0,2,3]", "axes"));
	assert_false(is_default("MeanVarianceNormalization-13 f32[1,1,1,1] axes=[0,2]", "axes"));
	assert_false(is_default("Gather-13 f32[2,2] i64{0} axis=0.0", "axis"));
	assert_false(is_default("Pad-2 f32[2] pads=[0,0]", "pads"));
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static void check_row(const struct op_row *op, const struct op_attr *a)
{
	int good = a->type != ATTR_NONE && !(a->required && a->has_default);

	/* the first row of a name counts always, each later one from a later version on, which the operator has */
	for (const struct op_attr *b = op->op->attrs; b < a; b++)
		good = good && (strcmp(a->name, b->name) != 0 || a->since > b->since);
	good = good && attr_row(op->op, a->name, 0) && attr_row(op->op, a->name, a->since) == a;
	if (a->since) {
		int known = 0;

		for (int i = 0; op->versions[i]; i++)
			known |= op->versions[i] == a->since;
		good = good && known;
	}
	if (a->has_default && a->type == ATTR_STRING)
		good = good && a->text;
	else if (a->has_default)
		good = good && (a->type == ATTR_INT || a->type == ATTR_INTS || a->type == ATTR_FLOAT) &&
		       a->number == (double)(float)a->number;
	if (!good)
		fail_msg("%s: the row of '%s' since %d makes no sense", op->name, a->name, a->since);
}

static void test_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < op_row_count; i++)
		for (const struct op_attr *a = op_rows[i].op->attrs; a && a->name; a++)
			check_row(&op_rows[i], a);
}

/* Functions of recurrent operators are as the operators of the same name. */
static void test_activations(void **state)
{
	int compared = 0;

	(void)state;
	for (const struct activation_row *a = activation_rows; a->name; a++) {
		const struct op_row *op = ops_find("", a->name);
		const struct op_attr *alpha = op ? attr_row(op->op, "alpha", OP_NEWEST_OPSET) : NULL;
		const struct op_attr *beta = op ? attr_row(op->op, "beta", OP_NEWEST_OPSET) : NULL;

		if (alpha)
			assert_true(a->uses_alpha && a->alpha == alpha->number);
		if (beta)
			assert_true(a->uses_beta && a->beta == beta->number);
		compared += (alpha != NULL) + (beta != NULL);
	}
	assert_int_equal(compared, 5);
	assert_string_equal(recurrent_defaults("LSTM")[0], "Sigmoid");
	assert_null(recurrent_defaults("LSTM")[3]);
	assert_null(recurrent_defaults("Conv"));
}

/* Attributes that became inputs, came later, or were never one of an operator that shares its table. */
static void test_other_versions(void **state)
{
	static const struct {
		const char *line, *complaint; /* NULL: none */
	} rows[] = {
		{"Dropout-10 f32[2] ratio=0.25", NULL},
		{"Dropout-12 f32[2] ratio=0.25", "ONNX has no attribute 'ratio' in version 12"},
		{"Reshape-13 f32[2] i64{2} allowzero=0", "ONNX has no attribute 'allowzero' in version 13"},
		{"Reshape-14 f32[2] i64{2} allowzero=0", NULL},
		{"Upsample-7 f32[2] scales=[1.0]", NULL},
		{"Upsample-9 f32[2] f32{1} scales=[1.0]", "ONNX has no attribute 'scales' in version 9"},
		{"Cos-7 f32[2] consumed_inputs=[0]", "ONNX has no attribute 'consumed_inputs' in version 7"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct model *m = node_of(rows[i].line, 1)->graph->model;

		assert_int_equal(m->complaints.n, rows[i].complaint != NULL);
		if (rows[i].complaint)
			assert_non_null(strstr(m->complaints.at[0], rows[i].complaint));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_given),       cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_versions),    cmocka_unit_test(test_rows),
		cmocka_unit_test(test_wrong_type),  cmocka_unit_test(test_faults_of_callers),
		cmocka_unit_test(test_is_default),  cmocka_unit_test(test_tables),
		cmocka_unit_test(test_activations), cmocka_unit_test(test_other_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
