/* test_cases.c - every line of data/cases/<family>.case: forward, rounded against noise, gradient.
 *
 * For each case: the exact run works; the rounded run lies within the rounding noise of the exact one; and where the
 * operator has a gradient it agrees with central differences in double.  At the end every operator must have had a
 * case, and every gradient must have been compared, so that a new operator cannot go untested. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/case.h"
#include "model/case_file.h"
#include "ops/op.h"
#include "reference/reference.h"

#define CASE_DIR "data/cases"
#define STEP 1e-5        /* of central differences, relative to max(1, |x|) */
#define GRAD_TOL 2e-6    /* relative; differences of doubles are good to about 1e-9 here */
#define MAX_PROBES 60    /* elements of an input whose gradient is compared */
#define NOISE_LIMIT 12.0 /* standard deviations; one element of a rounded run stays well below */

static unsigned char *ran, *compared; /* by row */

static size_t row_of(const struct node *n)
{
	const struct op_row *row = ops_find(n->domain, n->op_type);

	return row ? (size_t)(row - op_rows) : op_row_count;
}

static int run(struct ref *r, const struct op_case *c, enum ref_mode mode, struct ref_result *out, struct err *e)
{
	struct ref_options o = {.mode = mode, .seed = 7};

	return ref_run(r, c->inputs, c->n, &o, out, e);
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

static int within_noise(const struct tensor *exact, const struct tensor *rounded, const float *noise, struct err *e)
{
	if (!dtype_is_float(exact->dtype))
		return 0;
	if (!tensor_same_shape(exact, rounded))
		return err_set(e, ERR_INPUT, "the rounded run has another shape");
	for (size_t i = 0; i < exact->count; i++) {
		double x = exact->f[i], want = dtype_round(exact->dtype, x, 0), got = rounded->f[i];
		double allowed = NOISE_LIMIT * (double)noise[i] + 2 * dtype_roundoff(exact->dtype) * fabs(x);

		if (want == got || (isnan(want) && isnan(got)) || isinf(noise[i]))
			continue;
		if (!(fabs(got - x) <= allowed))
			return err_set(e, ERR_INPUT, "element %zu: rounded %.17g, exact %.17g, noise %g", i, got, x,
				       (double)noise[i]);
	}
	return 0;
}

static int check_modes(struct ref *r, const struct op_case *c, struct err *e)
{
	struct ref_result exact = {0}, rounded = {0}, noisy = {0};
	int rc = run(r, c, REF_EXACT, &exact, e);

	if (!rc)
		rc = run(r, c, REF_ROUNDED, &rounded, e);
	if (!rc)
		rc = run(r, c, REF_NOISY, &noisy, e);
	for (size_t i = 0; i < exact.n && !rc; i++)
		if (exact.outputs[i].value->kind == VALUE_TENSOR)
			rc = within_noise(exact.outputs[i].value->tensor, rounded.outputs[i].value->tensor,
					  noisy.outputs[i].noise, e);
	ref_result_release(&exact);
	ref_result_release(&rounded);
	ref_result_release(&noisy);
	return rc;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* Weights of a linear functional of the float outputs. */
static struct tensor **make_seeds(const struct ref_result *out, struct err *e)
{
	struct tensor **seeds = mem_array(out->n, sizeof *seeds);
	struct rng rng;

	rng_init(&rng, 99);
	for (size_t i = 0; seeds && i < out->n; i++) {
		const struct tensor *y = out->outputs[i].value->tensor;

		if (!y || !dtype_is_float(y->dtype))
			continue;
		seeds[i] = tensor_zeros(DT_DOUBLE, y->rank, y->dims, e);
		for (size_t k = 0; seeds[i] && k < seeds[i]->count; k++)
			seeds[i]->f[k] = rng_uniform(&rng, -1, 1);
	}
	return seeds;
}

static int functional(struct ref *r, const struct op_case *c, struct tensor *const *seeds, double *value, struct err *e)
{
	struct ref_result out = {0};
	int rc = run(r, c, REF_EXACT, &out, e);

	*value = 0;
	for (size_t i = 0; i < out.n; i++)
		for (size_t k = 0; seeds[i] && k < seeds[i]->count; k++)
			*value += seeds[i]->f[k] * out.outputs[i].value->tensor->f[k];
	ref_result_release(&out);
	return rc;
}

static int compare_input(struct ref *r, struct op_case *c, size_t input, struct tensor *const *seeds,
			 const struct tensor *grad, struct err *e)
{
	struct tensor *x = c->inputs[input]->tensor;
	size_t stride = x->count > MAX_PROBES ? x->count / MAX_PROBES : 1;

	for (size_t k = 0; k < x->count; k += stride) {
		double was = x->f[k], h = STEP * fmax(1.0, fabs(was)), up, down, numeric;
		int rc;

		x->f[k] = was + h;
		rc = functional(r, c, seeds, &up, e);
		x->f[k] = was - h;
		if (!rc)
			rc = functional(r, c, seeds, &down, e);
		x->f[k] = was;
		if (rc)
			return rc;
		numeric = (up - down) / (2 * h);
		if (!(fabs(numeric - grad->f[k]) <= GRAD_TOL * (1 + fabs(numeric) + fabs(up))))
			return err_set(e, ERR_INPUT,
				       "gradient of input %zu, element %zu is %.9g, differences give %.9g", input, k,
				       grad->f[k], numeric);
	}
	return 0;
}

static int check_gradient(struct ref *r, struct op_case *c, struct err *e)
{
	struct graph *g = c->model->graph;
	struct ref_options o = {.seed = 7};
	struct ref_result out = {0};
	struct tensor **seeds = NULL;
	struct ref_gradient of;
	int rc = run(r, c, REF_EXACT, &out, e), any = 0;

	if (!rc && !(seeds = make_seeds(&out, e)))
		rc = err_nomem(e, "seeds", 0);
	of = (struct ref_gradient){.inputs = c->inputs, .n = c->n, .seeds = seeds, .n_wanted = 1};
	for (size_t i = 0; i < c->n && !rc; i++) {
		enum dtype t = c->inputs[i]->tensor->dtype;
		struct tensor *grad = NULL;

		if (t != DT_FLOAT && t != DT_DOUBLE)
			continue;
		of.wanted = &g->inputs.at[i];
		rc = ref_backward(r, &of, &o, &grad, e);
		if (!rc)
			rc = compare_input(r, c, i, seeds, grad, e);
		tensor_unref(grad);
		any = 1;
	}
	for (size_t i = 0; seeds && i < out.n; i++)
		tensor_unref(seeds[i]);
	mem_free(seeds);
	ref_result_release(&out);
	if (!rc && any)
		compared[row_of(g->nodes.at[0])] = 1;
	return rc;
}

/* ---- driver ------------------------------------------------------------------------------------------------------ */

static int check_line(const char *line, struct err *e)
{
	struct op_case c = {0};
	struct ref *r = NULL;
	int rc = case_parse(line, 1, &c, e);

	if (!rc)
		rc = ref_open(c.model, &r, e);
	if (!rc && c.model->complaints.n)
		rc = err_set(e, ERR_INPUT, "%s", c.model->complaints.at[0]);
	if (!rc)
		rc = check_modes(r, &c, e);
	if (!rc)
		ran[row_of(c.model->graph->nodes.at[0])] = 1;
	if (!rc && c.model->graph->nodes.at[0]->op->grad)
		rc = check_gradient(r, &c, e);
	ref_close(r);
	case_release(&c);
	return rc;
}

static void test_file(void **state)
{
	struct err e = ERR_INIT;
	struct case_lines lines;
	int failures = 0;

	assert_int_equal(case_lines_read(*state, &lines, &e), 0);
	for (size_t i = 0; i < lines.all.n; i++) {
		const struct case_line *line = &lines.all.at[i];

		err_clear(&e);
		if (check_line(line->text, &e)) {
			print_error("%s:%d: %s\n    %s\n", line->file, line->number, line->text, e.msg);
			failures++;
		}
	}
	case_lines_release(&lines);
	assert_int_equal(failures, 0);
}

/* Subgraphs and sequences cannot be written as a line; the ONNX backend tests cover those operators. */
static int beyond_the_language(const struct op *op)
{
	return (op->flags & OP_CONTROL) || (op->in[0].flags & PORT_ANY_KIND) || (op->out[0].flags & PORT_ANY_KIND);
}

/* Beyond 2^53 a double does not have every integer. */
static void test_integers_are_exact(void **state)
{
	static const int64_t wanted[] = {INT64_MAX, INT64_MIN, (INT64_C(1) << 53) + 1};
	struct err e = ERR_INIT;
	struct op_case c;

	(void)state;
	if (case_parse(
		    "Add-14 i64{9223372036854775807,-9223372036854775808,9007199254740993} u64{18446744073709551615}",
		    1, &c, &e))
		fail_msg("%s", e.msg);
	assert_memory_equal(graph_wire(c.model->graph, "c0")->init->data, wanted, sizeof wanted);
	assert_memory_equal(graph_wire(c.model->graph, "c1")->init->data, &(uint64_t){UINT64_MAX}, sizeof(uint64_t));
	case_release(&c);
}

static void test_every_operator_has_a_case(void **state)
{
	int missing = 0;

	(void)state;
	for (size_t i = 0; i < op_row_count; i++) {
		if (!ran[i] && !beyond_the_language(op_rows[i].op)) {
			print_error("no case for operator %s\n", op_rows[i].name);
			missing++;
		}
		if (!compared[i] && op_rows[i].op->grad && !beyond_the_language(op_rows[i].op)) {
			print_error("no gradient was compared for operator %s\n", op_rows[i].name);
			missing++;
		}
	}
	assert_int_equal(missing, 0);
}

static void test_enough_gradients(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < op_row_count; i++)
		n += compared[i];
	print_message("%zu operators have a gradient that agrees with central differences\n", n);
	assert_true(n >= 140);
}

static int is_case_file(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".case");
}

int main(void)
{
	struct dirent **files = NULL;
	int n = scandir(CASE_DIR, &files, is_case_file, alphasort);
	struct CMUnitTest *tests = mem_array(n > 0 ? (size_t)n + 3 : 3, sizeof *tests);
	char(*paths)[512] = mem_array(n > 0 ? (size_t)n : 1, sizeof *paths);
	int rc;

	ran = mem_array(op_row_count + 1, 1);
	compared = mem_array(op_row_count + 1, 1);
	if (n < 0 || !tests || !paths || !ran || !compared)
		return 1;
	for (int i = 0; i < n; i++) {
		snprintf(paths[i], sizeof paths[i], CASE_DIR "/%s", files[i]->d_name);
		tests[i] = (struct CMUnitTest){paths[i], test_file, NULL, NULL, paths[i]};
		free(files[i]);
	}
	free(files);
	tests[n] = (struct CMUnitTest)cmocka_unit_test(test_every_operator_has_a_case);
	tests[n + 1] = (struct CMUnitTest)cmocka_unit_test(test_enough_gradients);
	tests[n + 2] = (struct CMUnitTest)cmocka_unit_test(test_integers_are_exact);
	rc = _cmocka_run_group_tests("cases", tests, (size_t)n + 3, NULL, NULL);
	mem_free(tests);
	mem_free(paths);
	mem_free(ran);
	mem_free(compared);
	return rc;
}
