/* test_swap_loss.c - losses behind a network: what they come to, and one mini-batch a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/swap/train.h"
#include "support/networks.h"

/* Packed rows of floats. */
static struct tensor *rows(int64_t n, int64_t each, const float *x)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){n, each}, &e);

	assert_non_null(t);
	memcpy(t->data, x, (size_t)(n * each) * sizeof *x);
	return t;
}

/* One run for each group of `batch` rows of x. */
static struct dataset data_of(size_t n, size_t batch, size_t each, const float *x)
{
	struct dataset d = {.n_inputs = 1, .batch = batch};
	struct err e = ERR_INIT;

	for (size_t i = 0; i < n; i++) {
		struct value **run = dataset_add_run(&d, &e);

		assert_non_null(run);
		run[0] = value_tensor(rows((int64_t)batch, (int64_t)each, x + i * batch * each), &e);
		assert_non_null(run[0]);
	}
	return d;
}

/* The loss of the first mini-batch. */
static double loss_of(struct trial *t, const char *name, const struct dataset *d)
{
	struct loss_batches batches;
	struct err e = ERR_INIT;
	struct trial out;
	double loss;
	const struct loss_plan plan = {.loss = loss_find(name, &e)};

	if (loss_make(t, &plan, d, &out, &batches, &e) || trial_truth(&out, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(out.truth.n, 1);
	assert_int_equal(out.truth.outputs[0].value->tensor->rank, 0);
	loss = tensor_get(out.truth.outputs[0].value->tensor, 0);
	loss_batches_release(&batches);
	trial_release(&out);
	return loss;
}

static struct trial network_of(const char *op, size_t items, size_t each, const float *x)
{
	struct model *m = net_begin((int64_t[]){(int64_t)items, (int64_t)each}, 2);

	net_add(m->graph, op, "x", "y");
	return net_finish(m, "y", rows((int64_t)items, (int64_t)each, x));
}

static void losses_are_what_they_are_called(void **state)
{
	static const float x[] = {0, 0, 0, 1, 2, 3};
	struct dataset d = data_of(1, 2, 3, x);
	struct trial softmax = network_of("Softmax", 2, 3, x), scores = network_of("Identity", 2, 3, x);
	double second = exp(3) / (exp(1) + exp(2) + exp(3)), want = -(log(1.0 / 3) + log(second)) / 2;

	(void)state;
	d.labels = mem_array(2, sizeof *d.labels);
	d.labels_each = 1;
	d.labels[0] = 1;
	d.labels[1] = 2;
	assert_true(fabs(loss_of(&softmax, "cross-entropy", &d) - want) < 1e-5);
	assert_true(fabs(loss_of(&scores, "cross-entropy", &d) - want) < 1e-5);
	assert_true(fabs(loss_of(&scores, "mse", &d) - (1 + 1 + 4 + 4) / 6.0) < 1e-5); /* (0,1,0), (0,0,1) */
	d.targets = rows(2, 3, (const float[]){1, 0, 0, 1, 2, 5});
	assert_true(fabs(loss_of(&scores, "mse", &d) - (1 + 4) / 6.0) < 1e-5);
	dataset_release(&d);
	trial_release(&softmax);
	trial_release(&scores);
}

static void assert_refused(struct trial *t, const char *loss, const struct dataset *d, const char *why)
{
	struct loss_batches batches;
	struct err e = ERR_INIT;
	struct trial out;
	const struct loss_plan plan = {.loss = loss_find(loss, &e)};

	assert_true(loss_make(t, &plan, d, &out, &batches, &e) < 0);
	if (!strstr(e.msg, why))
		fail_msg("'%s' does not say '%s'", e.msg, why);
}

static void what_does_not_fit_is_refused(void **state)
{
	static const float x[] = {0, 0, 0, 1, 2, 3};
	struct dataset d = data_of(1, 2, 3, x), other = data_of(2, 1, 3, x);
	struct trial t = network_of("Identity", 2, 3, x);
	struct err e = ERR_INIT;

	(void)state;
	assert_refused(&t, "mse", &d, "needs --data with --labels or --targets");
	d.targets = rows(1, 3, x);
	assert_refused(&t, "mse", &d, "too few");
	d.labels = mem_array(2, sizeof *d.labels);
	d.labels_each = 1;
	d.labels[1] = 3;
	tensor_unref(d.targets);
	d.targets = NULL;
	assert_refused(&t, "cross-entropy", &d, "label 3 of item 1 is none of the 3 classes");
	other.targets = rows(2, 3, x);
	assert_refused(&t, "mse", &other, "no item for each");
	assert_null(loss_find("hinge", &e));
	dataset_release(&d);
	dataset_release(&other);
	trial_release(&t);
}

/* y = Relu(x - b).  In the second mini-batch, and there alone, an element is at the kink with a gradient behind it. */
static void each_step_has_its_own_batch(void **state)
{
	static const float x[] = {2, -5, 2, 0.25}, right[] = {0, 0, 1, 1};
	struct model *m = net_begin((int64_t[]){1, 2}, 2);
	struct dataset d = data_of(2, 1, 2, x);
	struct swap_options o = {.gradients = 1};
	struct err e = ERR_INIT;
	struct train_options options = {
		.steps = 3, .optimizer = optimizer_find("sgd", &e), .loss = loss_find("mse", &e)};
	struct party a = {0}, b = {0};
	struct loss_batches batches;
	struct train_result r = {0};
	struct wire *w;
	struct trial t, with_loss;
	struct train_request q = {.trial = &with_loss, .base = &a, .test = &b, .swap = &o, .train = &options};

	(void)state;
	assert_int_equal(graph_add_init(m->graph, "b", rows(1, 2, (const float[]){0.5, 0.25}), &w, &e), 0);
	net_add(m->graph, "Sub", "x b", "d");
	net_add(m->graph, "Relu", "d", "y");
	t = net_finish(m, "y", rows(1, 2, x));
	d.targets = rows(2, 2, right);
	if (loss_make(&t, &(struct loss_plan){.loss = options.loss}, &d, &with_loss, &batches, &e))
		fail_msg("%s", e.msg);
	q.batches = &batches;
	if (party_open(&b, "fault:relu_grad_at_zero", NULL, &e) || swap_train(&q, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.parted, 2);
	assert_string_equal(r.steps[1].gradient.parameter->name, "b");
	assert_non_null(r.culprit);
	assert_string_equal(r.culprit->node->op_type, "Relu");
	train_result_release(&r);
	party_close(&b);
	loss_batches_release(&batches);
	trial_release(&with_loss);
	trial_release(&t);
	dataset_release(&d);
}

/* In training a BatchNormalization gives mean 0 to each mini-batch, and a Dropout drops what the mask says. */
static void networks_have_a_training_form(void **state)
{
	static const float x[] = {1, 5, 3, 9, -4, 2, 8, 8}, ones[] = {1, 1}, zeros[] = {0, 0}, none[] = {0, 0, 0, 0};
	const struct loss_plan plan = {.loss = loss_find("mse", &(struct err)ERR_INIT), .training_form = 1};
	struct model *m = net_begin((int64_t[]){2, 2}, 2);
	struct dataset d = data_of(2, 2, 2, x);
	struct loss_batches batches;
	struct err e = ERR_INIT;
	struct trial t, out;
	double dropped = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		static const char *const names[] = {"scale", "shift", "mean", "var"};
		struct tensor *vector = tensor_new_packed(DT_FLOAT, 1, (int64_t[]){2}, &e);
		struct wire *w;

		memcpy(vector->data, i % 3 ? zeros : ones, sizeof ones);
		assert_int_equal(graph_add_init(m->graph, names[i], vector, &w, &e), 0);
	}
	net_add(m->graph, "BatchNormalization", "x scale shift mean var", "normal");
	net_add(m->graph, "Dropout", "normal", "y");
	t = net_finish(m, "y", rows(2, 2, x));
	d.targets = rows(4, 2, (const float[]){0, 0, 0, 0, 0, 0, 0, 0});
	if (loss_make(&t, &plan, &d, &out, &batches, &e) || trial_truth(&out, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(batches.n_inputs, 3); /* x, the mask, what is right */
	assert_int_equal(batches.n, 2);
	for (size_t i = 0; i < 4; i++) {
		double mask = tensor_get(batches.at[0][1]->tensor, i);

		assert_true(mask == 0 || mask == 2);
		dropped += mask * mask;
	}
	/* Two items are -1 and 1 when normalized by themselves: the loss is the mean of the squared masks. */
	assert_true(fabs(tensor_get(out.truth.outputs[0].value->tensor, 0) - dropped / 4) < 1e-3);
	assert_memory_equal(batches.at[0][2]->tensor->data, none, sizeof none);
	loss_batches_release(&batches);
	trial_release(&out);
	trial_release(&t);
	t = network_of("Identity", 2, 2, x);
	assert_true(loss_make(&t, &plan, &d, &out, &batches, &e) < 0);
	assert_non_null(strstr(e.msg, "otherwise in training"));
	trial_release(&t);
	dataset_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_are_what_they_are_called),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(each_step_has_its_own_batch),
		cmocka_unit_test(networks_have_a_training_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
