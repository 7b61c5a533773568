/* test_gradients.c - gradients in units of their rounding noise: the rounded reference is within, planted faults are
 * beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "faults/fault.h"
#include "support/networks.h"
#include "support/trials.h"
#include "support/workers.h"

static struct trial make(const char *line)
{
	struct trial t = trials_line(line, 5);
	struct err e = ERR_INIT;

	if (trial_seed_gradients(&t, &e))
		fail_msg("%s: %s", line, e.msg);
	return t;
}

static void check(const char *line, const char *backend, int finding)
{
	struct trial t = make(line);
	struct party p = {0};
	struct outcome o = {0};
	struct err e = ERR_INIT;

	if (party_open(&p, backend, NULL, &e) || trial_judge_gradients(&t, &p, NULL, &o, &e))
		fail_msg("%s on %s: %s", line, backend, e.msg);
	if (verdict_is_finding(o.verdict) != finding)
		fail_msg("%s on %s: %s, %g (%s)", line, backend, verdict_name(o.verdict), o.ratio, o.reason);
	assert_int_equal(o.n, t.n_grads);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* One line for each fault of gradients; without the fault the same line is no finding. */
static const struct {
	const char *fault, *line;
} faults[] = {
	{"relu_grad_at_zero", "Relu-14 f32[2,3]@0:0"},
	{"bias_grad_half", "Conv-11 f32[2,2,5,5] f32[3,2,3,3] f32[3]"},
	{"softmax_grad_diagonal", "Softmax-13 f32[3,4]"},
	{"product_grad_stuck", "MatMul-13 f32[5,3] f32[3,2]"},
	{"batch_norm_grad_mean",
	 "BatchNormalization-15 f32[4,3,2] f32[3] f32[3] f32[3] f32[3]@0.5:2 training_mode=1 -> 3"},
	{"pool_grad_all", "MaxPool-12 f32[1,1,4,4]@1:1 kernel_shape=[2,2]"},
	{"broadcast_grad_last", "Mul-14 f32[3,4] f32[1]"},
};

static void test_faults(void **state)
{
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		snprintf(name, sizeof name, "fault:%s", faults[i].fault);
		check(faults[i].line, name, 1);
		check(faults[i].line, "reference", 0);
	}
	for (const struct fault_row *row = fault_rows; row->name; row++) {
		size_t found = 0;

		for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
			found += !strcmp(faults[i].fault, row->name);
		if (row->fault->kind == FAULT_GRADIENT && !found)
			fail_msg("no line for fault '%s'", row->name);
	}
}

/* What came is right, but for one element, which is some times the right one. */
static const struct {
	const char *line;
	size_t element;
	double times;
	enum verdict wanted;
	size_t input; /* whose gradient it is */
} losses[] = {
	{"Tanh-13 f32{-9}", 0, 2, VERDICT_ROUNDING, 0}, /* 1 - y^2 of a rounded y */
	{"Tanh-13 f32{-9}", 0, 1e4, VERDICT_WRONG, 0},
	{"Tanh-13 f32{-9,1}", 1, 1.001, VERDICT_WRONG, 0},
	{"Asinh-9 f32{3e20}", 0, 0, VERDICT_PRECISION, 0}, /* the square overflows */
	{"Asinh-9 f32{3e20,1}", 0, 0, VERDICT_PRECISION, 0},
	{"Asinh-9 f32{3e20,1}", 1, 0, VERDICT_WRONG, 0},
	{"Asinh-9 f32{3e20,1}", 0, 1e20, VERDICT_WRONG, 0},
	{"CumProd-26 f32{1e-20,1e-22,5} i64{0}[]", 1, 1.001, VERDICT_PRECISION,
	 0}, /* a subnormal product over an element */
	{"CumProd-26 f32{1e-20,1e-22,5} i64{0}[]", 1, 1e4, VERDICT_WRONG, 0},
	{"CumProd-26 f32{1e-10,1e-12,5} i64{0}[]", 1, 1.001, VERDICT_WRONG, 0},
	{"ReduceProd-18 f32{0.7,2.3,1.3e-36,1.7e-5} i64{0}", 2, 1.00002, VERDICT_PRECISION, 0},
	{"ReduceProd-18 f32{0.7,2.3,1.3e-36,1.7e-5} i64{0}", 2, 1e4, VERDICT_WRONG, 0},
	{"ReduceProd-18 f32{0.7,2.3,1.3,1.7e-5} i64{0}", 2, 1.00002, VERDICT_WRONG, 0},
	{"Div-14 f32{1e30,1} f32{1e20,3}", 0, 0, VERDICT_PRECISION, 1}, /* the square of a divisor overflows */
	{"Div-14 f32{1e30,1} f32{1e20,3}", 0, 100, VERDICT_WRONG, 1},
	{"Div-14 f32{1e30,1} f32{1e20,3}", 1, 0, VERDICT_WRONG, 1},
	{"Div-14 f32{1e30,1} f32{1e20,3}", 0, 0, VERDICT_WRONG, 0},
	{"Sqrt-13 f32[2]@1e-40:2e-40", 0, INFINITY, VERDICT_PRECISION, 0}, /* it is taken for 0 */
	{"Sqrt-13 f32[2]@1e-40:2e-40", 0, 3, VERDICT_WRONG, 0},
	{"Sqrt-13 f32[2]@1e-30:2e-30", 0, INFINITY, VERDICT_NAN, 0},
};

static void test_losses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
		struct trial t = make(losses[i].line);
		struct party p = trials_open("reference");
		struct outcome o = {0};
		struct err e = ERR_INIT;

		assert_int_equal(trial_truth_gradients(&t, &e), 0);
		assert_true(losses[i].input < t.n_grads);
		o.grads = mem_array(t.n_grads, sizeof *o.grads);
		for (o.n = 0; o.n < t.n_grads; o.n++)
			o.grads[o.n] = tensor_copy(t.grads[o.n], &e);
		o.grads[losses[i].input]->f[losses[i].element] *= losses[i].times;
		tensor_round(o.grads[losses[i].input]);
		if (trial_judge_given(&t, &p, NULL, &o, &e))
			fail_msg("%s: %s", losses[i].line, e.msg);
		if (o.verdict != losses[i].wanted)
			fail_msg("%s, %g times: %s (%s), wanted %s", losses[i].line, losses[i].times,
				 verdict_name(o.verdict), o.reason, verdict_name(losses[i].wanted));
		if (o.verdict == VERDICT_PRECISION)
			assert_non_null(strstr(o.reason, isinf(losses[i].times)
								 ? "subnormal numbers of the inputs are taken for 0"
								 : "bits) more than what rounding explains"));
		outcome_release(&o);
		party_close(&p);
		trial_release(&t);
	}
}

/* Terms that cancel: the noise follows Σ|terms|, not the sum. */
static void test_noise_of_sums(void **state)
{
	struct trial t = make("Add-14 f32[64] f32[1]");
	const double u = ldexp(1, -24);
	struct err e = ERR_INIT;
	double sum = 0;

	(void)state;
	if (trial_truth_gradients(&t, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(t.n_grads, 2);
	for (size_t i = 0; i < 64; i++)
		sum += fabs(t.grad_seeds[0]->f[i]);
	assert_true((double)t.grad_noise[1][0] >= u * sum);
	assert_true((double)t.grad_noise[1][0] <= 4 * u * sum);
	trial_release(&t);
}

/* What is not trained has no gradient to compare; what nothing depends on neither. */
static void test_which_wires(void **state)
{
	struct trial t = make("BatchNormalization-9 f32[2,3,4] f32[3] f32[3] f32[3] f32[3]@0.5:2");
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	assert_int_equal(t.n_grads, 3);
	trial_release(&t);
	t = make("ArgMax-13 f32[3,4]");
	assert_int_equal(trial_truth_gradients(&t, &e), ERR_UNSUPPORTED);
	trial_release(&t);
}

/* A weight that a node makes of a shape: its gradient is known, and goes no further. */
static void test_made_weights(void **state)
{
	struct model *m = net_begin((int64_t[]){2, 3}, 2);
	struct err e = ERR_INIT;
	struct tensor *shape = tensor_new(DT_INT64, 1, (int64_t[]){2}, &e), *grads[2];
	struct ref_options o = {.mode = REF_EXACT};
	struct wire *wanted[2];
	struct ref_gradient of;
	struct trial t;

	(void)state;
	shape->i[0] = 2;
	shape->i[1] = 3;
	assert_int_equal(graph_add_init(m->graph, "shape", shape, NULL, &e), 0);
	net_add(m->graph, "ConstantOfShape", "shape", "w");
	net_add(m->graph, "Sub", "x w", "y");
	t = net_finish(m, "y", net_random(1, 2, (int64_t[]){2, 3}, -1, 1));
	assert_int_equal(trial_truth_gradients(&t, &e), 0);
	wanted[0] = graph_wire(t.model->graph, "w");
	wanted[1] = graph_wire(t.model->graph, "x");
	of = (struct ref_gradient){.inputs = t.inputs, .n = 1, .seeds = t.grad_seeds, .wanted = wanted, .n_wanted = 2};
	if (ref_backward(t.ref, &of, &o, grads, &e))
		fail_msg("%s", e.msg);
	if (grads[0]->f[0] != -t.grad_seeds[0]->f[0] || grads[1]->f[0] != t.grad_seeds[0]->f[0])
		fail_msg("%g and %g of %g", grads[0]->f[0], grads[1]->f[0], t.grad_seeds[0]->f[0]);
	tensor_unref(grads[0]);
	tensor_unref(grads[1]);
	trial_release(&t);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {TEST(test_faults), TEST(test_losses), TEST(test_noise_of_sums),
					   TEST(test_which_wires), TEST(test_made_weights)};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
