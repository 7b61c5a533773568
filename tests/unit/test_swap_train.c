/* test_swap_train.c - training on a library and on the reference: where their ways part, and where they must not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "methods/swap/train.h"
#include "methods/swap/update.h"
#include "support/networks.h"
#include "support/swaps.h"
#include "support/trials.h"

static void check_near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.17g, not %.17g", got, want);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* One parameter from 1 with gradients 0.5 and -0.25 at rate 0.5. */
static double two_steps(const char *rule)
{
	const double g[] = {0.5, -0.25};
	struct err e = ERR_INIT;
	struct tensor *x = tensor_scalar_f(DT_DOUBLE, 1, &e), *grad = tensor_scalar_f(DT_DOUBLE, 0, &e);
	struct trajectory t;
	double at;

	assert_int_equal(trajectory_open(&t, optimizer_find(rule, &e), 0.5, &x, 1, &e), 0);
	for (int i = 0; i < 2; i++) {
		grad->f[0] = g[i];
		assert_int_equal(trajectory_step(&t, &grad, &e), 0);
	}
	at = t.at[0]->f[0];
	assert_true(x->f[0] == 1); /* where it began is the caller's */
	trajectory_close(&t);
	tensor_unref(x);
	tensor_unref(grad);
	return at;
}

static void rules_are_those_of_the_papers(void **state)
{
	double m = 0.9 * 0.05 - 0.025, v = 0.999 * 0.00025 + 0.0000625;
	struct err e = ERR_INIT;

	(void)state;
	check_near(two_steps("sgd"), 1 - 0.25 + 0.125, 1e-15);
	check_near(two_steps("momentum"), 1 - 0.25 - 0.5 * (0.45 - 0.25), 1e-15);
	/* the first step of Adam is one of r, whatever the gradient */
	check_near(two_steps("adam"), 0.5 - 0.5 * (m / 0.19) / sqrt(v / (1 - 0.998001)), 1e-7);
	assert_null(optimizer_find("rmsprop", &e));
	assert_non_null(strstr(e.msg, "rmsprop"));
}

/* ---- partings ---------------------------------------------------------------------------------------------------- */

static struct train_result train_as(struct trial *t, const char *test, const struct train_options *how)
{
	struct swap_options o = {.gradients = 1};
	struct err e = ERR_INIT;
	struct train_options options = *how;
	struct party a = {0}, b = {0};
	const struct train_request q = {.trial = t, .base = &a, .test = &b, .swap = &o, .train = &options};
	struct train_result r = {0};

	if (party_open(&b, test, NULL, &e) || swap_train(&q, &r, &e))
		fail_msg("%s: %s", test, e.msg);
	party_close(&b);
	return r;
}

static struct train_result train(struct trial *t, const char *test, const char *rule, size_t steps, double rate)
{
	struct err e = ERR_INIT;
	struct train_options options = {.steps = steps, .optimizer = optimizer_find(rule, &e), .rate = rate};

	return train_as(t, test, &options);
}

/* By the library's own optimizer. */
static struct train_result train_own(struct trial *t, const char *test, const char *rule, size_t steps)
{
	struct err e = ERR_INIT;
	struct train_options options = {.steps = steps, .optimizer = optimizer_find(rule, &e), .own = 1};

	return train_as(t, test, &options);
}

/* A planted gradient is named with step, parameter and operator. */
static void fault_of_the_first_step(void **state)
{
	struct trial t = swaps_network("lenet5");
	struct train_result r = train(&t, "fault:bias_grad_half@fc1", "sgd", 2, 0);

	(void)state;
	assert_int_equal(r.n, 2);
	assert_int_equal(r.parted, 1);
	assert_int_equal(r.way_parted, 1);
	assert_int_equal(r.verdict, VERDICT_WRONG);
	assert_string_equal(r.steps[0].gradient.parameter->name, "fc1.bias");
	assert_non_null(r.culprit);
	assert_string_equal(r.culprit->node->name, "fc1");
	assert_true(r.culprit->gradient);
	assert_int_equal(r.culprit->side, SWAP_TEST);
	assert_int_equal(r.culprit->effect, SWAP_GOES);
	train_result_release(&r);
	trial_release(&t);
}

/* y = Relu(x w), x = 1; where the seed is positive, w is half of it. */
static struct trial reaches_zero(void)
{
	int64_t dims[] = {8};
	struct err e = ERR_INIT;
	struct trial t = {0};

	for (int again = 0; again < 2; again++) {
		struct model *m = net_begin(dims, 1);
		struct tensor *w = net_random(1, 1, dims, -1, 1);

		for (size_t i = 0; again && i < w->count; i++)
			w->f[i] = t.grad_seeds[0]->f[i] > 0 ? t.grad_seeds[0]->f[i] / 2 : -1;
		trial_release(&t);
		assert_int_equal(graph_add_init(m->graph, "w", w, NULL, &e), 0);
		net_add(m->graph, "Mul", "x w", "a");
		net_add(m->graph, "Relu", "a", "y");
		w = net_random(1, 1, dims, 1, 1);
		t = net_finish(m, "y", w);
		assert_int_equal(trial_seed_gradients(&t, &e), 0);
	}
	return t;
}

/* With the rate 1/2 the first step takes w to 0, where alone the library is wrong: it is seen at the second. */
static void fault_of_the_second_step(void **state)
{
	struct trial t = reaches_zero();
	struct train_result r = train(&t, "fault:relu_grad_at_zero", "sgd", 3, 0.5);

	(void)state;
	assert_int_equal(r.parted, 2);
	assert_int_equal(r.way_parted, 0); /* rounding alone takes w to one side of 0 or to the other */
	assert_string_equal(r.steps[1].gradient.parameter->name, "w");
	assert_non_null(r.culprit);
	assert_string_equal(r.culprit->node->op_type, "Relu");
	assert_int_equal(r.culprit->effect, SWAP_GOES);
	train_result_release(&r);
	trial_release(&t);
}

/* ---- the library's own optimizer --------------------------------------------------------------------------------- */

/* A state that is lost shows at the second step, and in no gradient: its optimizer is named. */
static void fault_of_the_optimizer(void **state)
{
	struct trial t = swaps_network("mlp");
	struct train_result r = train_own(&t, "fault:momentum_forgotten", "momentum", 3);

	(void)state;
	assert_true(r.update.used);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.parted, 0);
	assert_int_equal(r.update.parted, 2);
	assert_int_equal(r.way_parted, 2);
	assert_int_equal(r.verdict, VERDICT_WRONG);
	assert_false(verdict_is_finding(r.steps[0].update.judged.verdict));
	assert_non_null(r.update.culprit);
	assert_string_equal(r.update.culprit->node->op_type, "Momentum");
	assert_string_equal(r.update.culprit->node->name, r.steps[1].update.parameter->name);
	assert_int_equal(r.update.culprit->side, SWAP_TEST);
	assert_int_equal(r.update.culprit->effect, SWAP_GOES);
	train_result_release(&r);
	r = train(&t, "fault:momentum_forgotten", "momentum", 3, 0); /* assay's own rule has no such fault */
	assert_int_equal(r.update.parted, 0);
	assert_int_equal(r.way_parted, 0);
	train_result_release(&r);
	trial_release(&t);
}

static void fault_of_one_parameter(void **state)
{
	struct trial t = swaps_network("mlp");
	struct train_result r = train_own(&t, "fault:adam_uncorrected@fc2.bias", "adam", 1);

	(void)state;
	assert_int_equal(r.update.parted, 1);
	assert_string_equal(r.steps[0].update.parameter->name, "fc2.bias");
	assert_non_null(r.update.culprit);
	assert_string_equal(r.update.culprit->node->op_type, "Adam");
	assert_string_equal(r.update.culprit->node->name, "fc2.bias");
	assert_int_equal(swap_findings(&r.update.blame), 1);
	train_result_release(&r);
	trial_release(&t);
}

/* A right optimizer stays with the reference's, and takes the steps of assay's rule, but for the attributes, which are
 * float32, and Adam's epsilon, which stands elsewhere. */
static void right_optimizers_stay_together(void **state)
{
	struct trial t = swaps_network("mlp");

	(void)state;
	for (const struct optimizer *rule = optimizer_rows; rule->name; rule++) {
		struct train_result r = train_own(&t, "fault:batch_norm_grad_mean", rule->name, 4);

		assert_true(r.update.used);
		assert_string_equal(r.update.why_not, "");
		assert_int_equal(r.update.stand_ins, 0);
		assert_int_equal(r.n, 4);
		assert_int_equal(r.parted, 0);
		assert_int_equal(r.update.parted, 0);
		assert_int_equal(r.way_parted, 0);
		train_result_release(&r);
	}
	trial_release(&t);
}

static struct trajectory begin_at(const char *rule, struct tensor *start)
{
	struct err e = ERR_INIT;
	struct trajectory t;

	assert_int_equal(trajectory_open(&t, optimizer_find(rule, &e), 0.5, &start, 1, &e), 0);
	return t;
}

/* The network of a step says what the rule says. */
static void steps_are_those_of_the_rules(void **state)
{
	const int64_t dims[] = {3};

	(void)state;
	for (const struct optimizer *rule = optimizer_rows; rule->name; rule++) {
		struct model *m = net_begin(dims, 1);
		struct wire *w = m->graph->inputs.at[0];
		struct tensor *start = net_random(3, 1, dims, -1, 1);
		struct trajectory a = begin_at(rule->name, start), b = begin_at(rule->name, start);
		struct err e = ERR_INIT;
		struct trial t;

		assert_int_equal(update_make(&b, &w, 1, &t, &e), 0);
		for (uint64_t step = 0; step < 3; step++) {
			struct tensor *grad = net_random(5 + step, 1, dims, -1, 1);
			struct value *outputs[3] = {NULL};

			assert_int_equal(update_feed(&t, &b, &grad, &e), 0);
			assert_int_equal(trial_truth(&t, &e), 0);
			for (size_t i = 0; i < t.truth.n; i++)
				outputs[i] = t.truth.outputs[i].value;
			assert_int_equal(update_take(&b, outputs, &e), 0);
			assert_int_equal(trajectory_step(&a, &grad, &e), 0);
			for (size_t k = 0; k < 3; k++)
				check_near(b.at[0]->f[k], a.at[0]->f[k], 1e-5);
			tensor_unref(grad);
		}
		trial_release(&t);
		trajectory_close(&a);
		trajectory_close(&b);
		tensor_unref(start);
		model_free(m);
	}
}

/* ---- and none ---------------------------------------------------------------------------------------------------- */

/* A correct library (its fault is of an operator that is not there) differs by rounding alone, under every rule. */
static void right_ones_stay_together(void **state)
{
	static const char *const rules[] = {"sgd", "momentum", "adam"};
	struct trial t = swaps_network("lenet5");

	(void)state;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct train_result r = train(&t, "fault:batch_norm_grad_mean", rules[i], 6, 0), again;

		assert_int_equal(r.n, 6);
		assert_int_equal(r.n_parameters, 10);
		assert_int_equal(r.parted, 0);
		assert_int_equal(r.way_parted, 0);
		assert_null(r.culprit);
		again = train(&t, "fault:batch_norm_grad_mean", rules[i], 6, 0);
		for (size_t k = 0; k < r.n; k++)
			assert_true(r.steps[k].way.judged.ratio == again.steps[k].way.judged.ratio);
		train_result_release(&r);
		train_result_release(&again);
	}
	trial_release(&t);
}

/* A rate that makes the reference itself diverge ends the training, and is no finding. */
static void divergence_is_no_finding(void **state)
{
	struct trial t = swaps_network("mlp");
	struct train_result r = train(&t, "fault:batch_norm_grad_mean", "sgd", 50, 1e40);

	(void)state;
	assert_true(r.n < 50);
	assert_non_null(strstr(r.stopped, "diverges"));
	assert_false(verdict_is_finding(r.verdict));
	train_result_release(&r);
	trial_release(&t);
}

/* A saturated output depends on nothing any more. */
static void vanishing_ends_it(void **state)
{
	struct model *m = net_begin((int64_t[]){2}, 1);
	struct train_result r;
	struct trial t;

	(void)state;
	NET_WEIGHTS(m->graph, "w", -2, -1, 2);
	net_add(m->graph, "Add", "x w", "a");
	net_add(m->graph, "Relu", "a", "y");
	t = net_finish(m, "y", net_random(1, 1, (int64_t[]){2}, -1, 1));
	r = train(&t, "reference", "sgd", 5, 0);
	assert_int_equal(r.n, 1);
	assert_non_null(strstr(r.stopped, "every gradient is 0"));
	train_result_release(&r);
	trial_release(&t);
}

/* What cannot be trained is said, and is no failure. */
static void reasons_are_given(void **state)
{
	struct trial t = swaps_network("lenet5"), plain = trials_line("Relu-14 f32[2,3]", 1);
	struct train_result r = train(&t, "ort", "sgd", 2, 0);

	(void)state;
	assert_non_null(strstr(r.cannot, "gradients"));
	assert_int_equal(r.n, 0);
	train_result_release(&r);
	r = train(&plain, "reference", "sgd", 2, 0);
	assert_non_null(strstr(r.cannot, "initializer"));
	train_result_release(&r);
	trial_release(&t);
	trial_release(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_those_of_the_papers),
		cmocka_unit_test(fault_of_the_first_step),
		cmocka_unit_test(fault_of_the_second_step),
		cmocka_unit_test(fault_of_the_optimizer),
		cmocka_unit_test(fault_of_one_parameter),
		cmocka_unit_test(right_optimizers_stay_together),
		cmocka_unit_test(steps_are_those_of_the_rules),
		cmocka_unit_test(right_ones_stay_together),
		cmocka_unit_test(divergence_is_no_finding),
		cmocka_unit_test(vanishing_ends_it),
		cmocka_unit_test(reasons_are_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
