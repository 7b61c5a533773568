/* test_kinks.c - gradients where a function has several: every one between the slopes on both sides is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "support/networks.h"
#include "support/trials.h"
#include "support/workers.h"

#define MOST 16

/* The verdict on gradients of one input each, all inputs one behind the other. */
static enum verdict judged(struct trial *t, const double *given)
{
	struct party p = trials_open("reference");
	struct outcome o = {0};
	struct err e = ERR_INIT;
	enum verdict v;

	if (trial_truth_gradients(t, &e))
		fail_msg("%s", e.msg);
	o.n = t->n_grads;
	o.grads = mem_array(o.n, sizeof *o.grads);
	for (size_t i = 0; i < o.n; i++) {
		struct tensor *wide = tensor_copy(t->grads[i], &e);

		for (size_t k = 0; k < wide->count; k++)
			wide->f[k] = *given++;
		tensor_round(wide);
		o.grads[i] = tensor_pack(wide, &e);
		tensor_unref(wide);
	}
	if (trial_judge_given(t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	v = o.verdict;
	outcome_release(&o);
	party_close(&p);
	return v;
}

/* share[k] of the one output's gradient for each element of the inputs. */
static void check_shares(const char *line, const double *share, int right)
{
	struct trial t = trials_line(line, 5);
	struct err e = ERR_INIT;
	double given[MOST], seed;
	size_t at = 0;

	if (trial_truth_gradients(&t, &e))
		fail_msg("%s: %s", line, e.msg);
	assert_int_equal(t.grad_seeds[0]->count, 1);
	seed = t.grad_seeds[0]->f[0];
	for (size_t i = 0; i < t.n_grads; i++)
		for (size_t k = 0; k < t.grads[i]->count; k++, at++)
			given[at] = share[at] * seed;
	if (verdict_is_finding(judged(&t, given)) == right)
		fail_msg("%s: %g %g … is %s", line, share[0], share[1], right ? "right" : "wrong");
	trial_release(&t);
}

static const struct {
	const char *line;
	double share[MOST];
	int right;
} shares[] = {
	/* of equal numbers any may have it, or all some of it, but not more than there is */
	{"Max-13 f32[1]@2:2 f32[1]@2:2", {1, 0}, 1},
	{"Max-13 f32[1]@2:2 f32[1]@2:2", {0, 1}, 1},
	{"Max-13 f32[1]@2:2 f32[1]@2:2", {0.5, 0.5}, 1},
	{"Max-13 f32[1]@2:2 f32[1]@2:2", {1, 1}, 0},
	{"Max-13 f32[1]@2:2 f32[1]@2:2", {0, 0}, 0},
	{"Max-13 f32[1]@2:2 f32[1]@2:2", {2, -1}, 0},
	{"Min-13 f32[1]@2:2 f32[1]@2:2 f32[1]@3:3", {0, 1, 0}, 1},
	{"Min-13 f32[1]@2:2 f32[1]@2:2 f32[1]@3:3", {0, 0, 1}, 0},
	{"Max-13 f32[1]@2:2 f32[1]@3:3", {0.5, 0.5}, 0},
	{"ReduceMax-13 f32[4]@1:1 keepdims=0", {0.25, 0.25, 0.25, 0.25}, 1},
	{"ReduceMax-13 f32[4]@1:1 keepdims=0", {0, 0, 1, 0}, 1},
	{"ReduceMax-13 f32[4]@1:1 keepdims=0", {1, 1, 1, 1}, 0},
	{"ReduceMax-13 f32{inf,1,inf}[3] keepdims=0", {0.5, 0, 0.5}, 1},
	{"ReduceMax-13 f32{inf,1,inf}[3] keepdims=0", {0, 0, 1}, 1},
	{"ReduceMax-13 f32{inf,1,inf}[3] keepdims=0", {0, 1, 0}, 0},
	{"ReduceMax-13 f32{inf,1,inf}[3] keepdims=0", {1, 0, 1}, 0},
	{"ReduceMin-13 f64{-inf,-inf}[2] keepdims=0", {0.5, 0.5}, 1},
	{"MaxPool-12 f32[1,1,2,2]@1:1 kernel_shape=[2,2]", {0, 0, 0, 1}, 1},
	{"MaxPool-12 f32[1,1,2,2]@1:1 kernel_shape=[2,2]", {1, 1, 1, 1}, 0},
	/* between the slopes, and not beyond them */
	{"Relu-14 f32[1]@0:0", {0}, 1},
	{"Relu-14 f32[1]@0:0", {0.5}, 1},
	{"Relu-14 f32[1]@0:0", {1}, 1},
	{"Relu-14 f32[1]@0:0", {-0.5}, 0},
	{"Relu-14 f32[1]@0:0", {2}, 0},
	{"Relu-14 f32[1]@1:1", {0.5}, 0},
	{"Abs-13 f32[1]@0:0", {-1}, 1},
	{"Abs-13 f32[1]@0:0", {1.5}, 0},
	{"LeakyRelu-6 f32[1]@0:0 alpha=0.25", {0.25}, 1},
	{"LeakyRelu-6 f32[1]@0:0 alpha=0.25", {1}, 1},
	{"LeakyRelu-6 f32[1]@0:0 alpha=0.25", {0}, 0},
	{"HardSigmoid-6 f32[1]@2.5:2.5", {0.2}, 1},
	{"HardSigmoid-6 f32[1]@2.5:2.5", {0}, 1},
	{"Elu-6 f32[1]@1e-40:1e-40 alpha=0.5", {0.5}, 1}, /* taken for 0 */
	{"Elu-6 f32[1]@1e-30:1e-30 alpha=0.5", {0.5}, 0},
	{"ReduceL2-13 f32[2]@0:0 keepdims=0", {0, 0}, 1},
	{"ReduceL2-13 f32[2]@0:0 keepdims=0", {3, 0}, 0},
	/* a smooth function has one gradient */
	{"Mul-14 f32[1]@2:2 f32[1]@2:2", {2, 2}, 1},
	{"Mul-14 f32[1]@2:2 f32[1]@2:2", {2, 2.001}, 0},
};

static void test_shares(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		check_shares(shares[i].line, shares[i].share, shares[i].right);
}

/* Windows that overlap: each output's gradient goes its own way. */
static void test_windows(void **state)
{
	struct trial t = trials_line("MaxPool-12 f32[1,1,3]@1:1 kernel_shape=[2]", 5);
	struct err e = ERR_INIT;
	const double *g;

	(void)state;
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	g = t.grad_seeds[0]->f;
	assert_true(verdict_is_right(judged(&t, (double[]){g[0], g[1], 0})));
	assert_true(verdict_is_right(judged(&t, (double[]){0, g[0], g[1]})));
	assert_true(verdict_is_right(judged(&t, (double[]){g[0] / 2, (g[0] + g[1]) / 2, g[1] / 2})));
	assert_true(verdict_is_finding(judged(&t, (double[]){g[0], g[0] + g[1], g[1]})));
	assert_true(verdict_is_finding(judged(&t, (double[]){g[1], g[0], 0})));
	trial_release(&t);
}

/* Relu(x) - Relu(-x) is x, and every library says 0 of its slope at 0: in each of the two it may take any side. */
static void test_graph(void **state)
{
	struct model *m = net_begin((int64_t[]){3}, 1);
	struct err e = ERR_INIT;
	struct tensor *x;
	struct trial t;
	const double *g;

	(void)state;
	net_add(m->graph, "Relu", "x", "a");
	net_add(m->graph, "Neg", "x", "b");
	net_add(m->graph, "Relu", "b", "c");
	net_add(m->graph, "Sub", "a c", "y");
	x = net_random(1, 1, (int64_t[]){3}, 1, 2);
	x->f[1] = 0;
	t = net_finish(m, "y", x);
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	g = t.grad_seeds[0]->f;
	assert_false(verdict_is_finding(judged(&t, (double[]){g[0], 0, g[2]})));
	assert_false(verdict_is_finding(judged(&t, (double[]){g[0], g[1], g[2]})));
	assert_true(verdict_is_finding(judged(&t, (double[]){g[0], 0, 0})));
	trial_release(&t);
}

/* The limit of the formula where a number is -inf; nothing where there is none. */
static void test_infinities(void **state)
{
	struct trial t = trials_line("ReduceLogSumExp-13 f32[3]@0:0 keepdims=0", 5);
	struct err e = ERR_INIT;
	float *x = (float *)t.inputs[0]->tensor->data;
	double g;

	(void)state;
	x[1] = -INFINITY;
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	g = t.grad_seeds[0]->f[0];
	assert_true(verdict_is_right(judged(&t, (double[]){g / 2, 0, g / 2})));
	assert_true(verdict_is_finding(judged(&t, (double[]){g / 2, NAN, g / 2})));
	trial_release(&t);
	t = trials_line("Sqrt-13 f32[2]@0:0", 5);
	((float *)t.inputs[0]->tensor->data)[1] = 4;
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	g = t.grad_seeds[0]->f[1] / 4;
	assert_false(verdict_is_finding(judged(&t, (double[]){INFINITY, g})));
	assert_false(verdict_is_finding(judged(&t, (double[]){0, g})));
	assert_true(verdict_is_finding(judged(&t, (double[]){0, 2 * g})));
	trial_release(&t);
}

/* More elements than are moved one by one: each at the kink may take either side, and of equal ones any has it. */
static void test_many(void **state)
{
	struct trial t = trials_line("LeakyRelu-6 f32[1100]@0:0 alpha=0.25", 5);
	struct err e = ERR_INIT;
	double *given = mem_array(1100, sizeof *given);

	(void)state;
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	for (size_t k = 0; k < 1100; k++)
		given[k] = t.grad_seeds[0]->f[k] * (k % 2 ? 0.25 : 1);
	assert_false(verdict_is_finding(judged(&t, given)));
	trial_release(&t);
	t = trials_line("ReduceMax-13 f32[1100]@2:2 keepdims=0", 5);
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	for (size_t k = 0; k < 1100; k++)
		given[k] = t.grad_seeds[0]->f[0] / 1100;
	assert_false(verdict_is_finding(judged(&t, given)));
	trial_release(&t);
	t = trials_line("LeakyRelu-6 f32[1100]@2:2 alpha=0.25", 5);
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	for (size_t k = 0; k < 1100; k++)
		given[k] = t.grad_seeds[0]->f[k] * (k ? 1 : 0.25);
	assert_true(verdict_is_finding(judged(&t, given)));
	trial_release(&t);
	mem_free(given);
}

/* The verdict when element k of all gradients, one behind the other, is off by that much. */
static enum verdict when_off(const char *line, size_t k, double by)
{
	struct trial t = trials_line(line, 5);
	struct err e = ERR_INIT;
	double given[MOST];
	size_t at = 0;
	enum verdict v;

	if (trial_truth_gradients(&t, &e))
		fail_msg("%s: %s", line, e.msg);
	for (size_t i = 0; i < t.n_grads; i++)
		for (size_t j = 0; j < t.grads[i]->count; j++, at++)
			given[at] = t.grads[i]->f[j] + (at == k ? by : 0);
	v = judged(&t, given);
	trial_release(&t);
	return v;
}

/* What rounding inside moves: the mean of a norm, and the weights of a cubic, whose terms are 30 times as large. */
static void test_rounding_inside(void **state)
{
	static const char norm[] = "GroupNormalization-21 f32{0.6,0.04}[1,2,1] f32[2] f32[2] num_groups=2";
	static const char grid[] = "GridSample-20 f32[1,1,1,5] f32{0.552392185,0.60732311}[1,1,1,2] mode=\"cubic\"";

	(void)state;
	assert_false(verdict_is_finding(when_off(norm, 2, 5e-6)));
	assert_true(verdict_is_finding(when_off(norm, 2, 1e-3)));
	assert_false(verdict_is_finding(when_off(grid, 2, 2e-7)));
	assert_true(verdict_is_finding(when_off(grid, 2, 1e-4)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares),          cmocka_unit_test(test_windows),
					   cmocka_unit_test(test_graph),           cmocka_unit_test(test_infinities),
					   cmocka_unit_test(test_rounding_inside), cmocka_unit_test(test_many)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
