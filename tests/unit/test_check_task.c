/* test_check_task.c - which distance an output has, truths and thresholds: CRADLE's measures to the letter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/check/check.h"
#include "model/build.h"

/* ---- outputs by hand --------------------------------------------------------------------------------------------- */

static struct value *floats(int rank, const int64_t *dims, const float *x)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_FLOAT, rank, dims, &e);

	assert_non_null(t);
	memcpy(t->data, x, t->count * sizeof *x);
	return value_tensor(t, &e);
}

/* Two backends, one run, up to two outputs each. */
struct two {
	struct check_result r;
	struct check_data data;
	struct check_options o;
	struct err e;
};

static void two_init(struct two *x, size_t batch)
{
	*x = (struct two){.data = {.n = 1, .batch = batch}, .e = ERR_INIT};
	x->r.backends = mem_array(2, sizeof *x->r.backends);
	x->r.n_backends = 2;
	for (size_t i = 0; i < 2; i++) {
		struct check_backend *b = &x->r.backends[i];

		b->runs = mem_array(1, sizeof *b->runs);
		b->runs->values = mem_array(2, sizeof(struct value *));
		b->n = 1;
	}
}

static void two_give(struct two *x, int rank, const int64_t *dims, const float *a, const float *b)
{
	const float *const of[2] = {a, b};

	for (size_t i = 0; i < 2; i++) {
		struct outcome *run = x->r.backends[i].runs;

		run->values[run->n++] = floats(rank, dims, of[i]);
	}
}

static const struct check_pair *two_compare(struct two *x, const struct graph *g)
{
	if (check_compare(&x->r, g, &x->data, &x->o, &x->e))
		fail_msg("%s", x->e.msg);
	assert_int_equal(x->r.n_pairs, 1);
	return x->r.pairs;
}

/* A graph whose output has one operator behind it. */
static struct model *ends_in(const char *op, int rank, const int64_t *dims)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct build b;
	struct wire *x;

	build_begin(&b, 14, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, rank, dims);
	build_output(&b, build_op(&b, op, "y", x, NULL));
	if (build_end(&b, &m))
		fail_msg("%s", e.msg);
	return m;
}

/* ---- regression -------------------------------------------------------------------------------------------------- */

/* The paper's own example: a steering angle of 0, told as 0.4 and -0.1; D_MAD 0.6 is in the bin 0.6-0.8. */
static void steering_angle(void **state)
{
	struct two x;
	struct value *truth = floats(2, (int64_t[]){1, 1}, (float[]){0});
	const struct check_pair *p;

	(void)state;
	two_init(&x, 1);
	two_give(&x, 2, (int64_t[]){1, 1}, (float[]){.4f}, (float[]){-.1f});
	x.data.targets = truth->tensor;
	p = two_compare(&x, NULL);
	assert_int_equal(x.r.tasks[0], CHECK_REGRESSION);
	assert_true(isnan(p->max_class));
	assert_true(fabs(p->max_mad - .6) < 1e-7);
	assert_int_equal(p->mad_bins[1], 1);
	assert_true(p->inconsistent);
	check_result_release(&x.r);
	value_unref(truth);
}

/* Targets of several values an item: the mean of each item is held against them. */
static void targets_of_a_batch(void **state)
{
	struct two x;
	struct value *truth = floats(2, (int64_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6});
	const struct check_pair *p;

	(void)state;
	two_init(&x, 2);
	/* item 0: δ = 1 and 1: D 0.  Item 1: δ = 3/3 and 1/3: D (2/3) / (4/3) = 0.5 */
	two_give(&x, 2, (int64_t[]){2, 3}, (float[]){2, 3, 4, 5, 6, 7}, (float[]){0, 1, 2, 4, 5, 7});
	x.data.targets = truth->tensor;
	p = two_compare(&x, NULL);
	assert_int_equal(p->items, 2);
	assert_int_equal(p->triggering, 1);
	assert_int_equal(p->worst_item, 1);
	assert_true(fabs(p->max_mad - .5) < 1e-7);
	check_result_release(&x.r);
	/* and two targets for three values are refused */
	two_init(&x, 1);
	two_give(&x, 2, (int64_t[]){1, 3}, (float[]){2, 3, 4}, (float[]){0, 1, 2});
	x.data.targets = tensor_new(DT_FLOAT, 2, (int64_t[]){1, 2}, &x.e);
	assert_int_equal(check_compare(&x.r, NULL, &x.data, &x.o, &x.e), ERR_INPUT);
	tensor_unref((struct tensor *)(uintptr_t)x.data.targets);
	check_result_release(&x.r);
	value_unref(truth);
}

/* D = 0.2 is inconsistent with T_M = 0.2; with T_M = 0 every input is. */
static void the_limit_belongs_to_it(void **state)
{
	static const struct check_limits zero = {0, 0}, above = {8, .5000001};
	const struct check_limits *const limits[] = {NULL, &zero, &above};
	static const int inconsistent[2][3] = {{1, 1, 0}, {0, 1, 0}};

	(void)state;
	for (int same = 0; same < 2; same++)
		for (int i = 0; i < 3; i++) {
			struct two x;

			two_init(&x, 1);
			two_give(&x, 2, (int64_t[]){1, 1}, (float[]){3}, (float[]){same ? 3 : 2});
			x.o.limits = limits[i];
			assert_int_equal(two_compare(&x, NULL)->inconsistent, inconsistent[same][i]);
			check_result_release(&x.r);
		}
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* Pixels are no classes: an autoencoder, a Sigmoid at the end, has the MAD-based distance alone. */
static void pixels_are_no_classes(void **state)
{
	const int64_t image[] = {1, 1, 2, 2}, row[] = {1, 4};
	struct model *m = ends_in("Sigmoid", 2, row);
	struct two x;

	(void)state;
	for (int flat = 0; flat < 2; flat++) {
		const struct check_pair *p;

		two_init(&x, 1);
		two_give(&x, flat ? 2 : 4, flat ? row : image, (float[]){.5f, .5001f, .1f, .1f},
			 (float[]){.5001f, .5f, .1f, .1f});
		p = two_compare(&x, flat ? m->graph : NULL);
		assert_int_equal(x.r.tasks[0], CHECK_REGRESSION);
		assert_true(isnan(p->max_class));
		assert_false(p->inconsistent);
		check_result_release(&x.r);
	}
	model_free(m);
}

/* One value of a binary classifier: 0.6 and 0.4 are two classes, whichever of them is right. */
static void binary_of_one_value(void **state)
{
	const int64_t dims[] = {1, 1};
	struct model *m = ends_in("Sigmoid", 2, dims);

	(void)state;
	for (int64_t label = 0; label < 2; label++) {
		struct two x;
		const struct check_pair *p;

		two_init(&x, 1);
		two_give(&x, 2, dims, (float[]){.6f}, (float[]){.4f});
		x.data.labels = &label;
		p = two_compare(&x, m->graph);
		assert_int_equal(x.r.tasks[0], CHECK_BINARY);
		assert_true(p->max_class == 8); /* rank 1 against rank 2 */
		assert_true(p->inconsistent);
		assert_true(fabs(p->max_mad - .2) < 1e-6); /* |.4 - .6| / 1 */
		check_result_release(&x.r);
	}
	model_free(m);
}

/* Without a Sigmoid the value is a logit: 0 decides. */
static void binary_of_a_logit(void **state)
{
	const int64_t dims[] = {1, 1};
	struct model *m = ends_in("Neg", 2, dims);
	static const float sides[][2] = {{.4f, .6f}, {-.1f, .1f}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct two x;

		two_init(&x, 1);
		two_give(&x, 2, dims, &sides[i][0], &sides[i][1]);
		x.o.task = CHECK_BINARY;
		assert_true(two_compare(&x, m->graph)->max_class == (i ? 8 : 0));
		check_result_release(&x.r);
	}
	model_free(m);
}

/* Labels at each place: steps before classes, classes before pixels. */
static void scores_at_places(void **state)
{
	/* place 0: class 1 is first on both sides; place 1: class 1 is first, then last of three (16 - 4 = 12) */
	static const float steps[2][6] = {{.1f, .8f, .1f, .2f, .5f, .3f}, {.1f, .8f, .1f, .5f, .1f, .4f}};
	static const float pixels[2][6] = {{.1f, .2f, .8f, .5f, .1f, .3f}, {.1f, .5f, .8f, .1f, .1f, .4f}};
	static const int64_t labels[2] = {1, 1};

	(void)state;
	for (int i = 0; i < 2; i++) {
		const float(*y)[6] = i ? pixels : steps;
		const int64_t dims[] = {1, i ? 3 : 2, i ? 2 : 3};
		struct two x;
		const struct check_pair *p;

		two_init(&x, 1);
		two_give(&x, 3, dims, y[0], y[1]);
		x.data.labels = labels;
		x.data.labels_each = 2;
		x.o.task = i ? CHECK_SEGMENTATION : CHECK_AUTO;
		p = two_compare(&x, NULL);
		assert_int_equal(x.r.tasks[0], i ? CHECK_SEGMENTATION : CHECK_SEQUENCE);
		assert_true(p->max_class == 12);
		/* sums of |y - onehot|: .4 + 1 and .4 + 1.8: .8 / 3.6 */
		assert_true(fabs(p->max_mad - .8 / 3.6) < 1e-6);
		check_result_release(&x.r);
	}
}

static void every_output_counts(void **state)
{
	struct two x;
	const struct check_pair *p;

	(void)state;
	two_init(&x, 1);
	two_give(&x, 2, (int64_t[]){1, 3}, (float[]){.5f, .3f, .2f}, (float[]){.5f, .3f, .2f});
	two_give(&x, 1, (int64_t[]){1}, (float[]){1}, (float[]){4});
	p = two_compare(&x, NULL);
	assert_int_equal(x.r.n_tasks, 2);
	assert_int_equal(x.r.tasks[0], CHECK_CLASS);
	assert_int_equal(x.r.tasks[1], CHECK_REGRESSION);
	assert_true(p->max_class == 0);
	assert_true(fabs(p->max_mad - .6) < 1e-7);
	assert_true(p->inconsistent);
	check_result_release(&x.r);
}

/* ---- what a wrong answer does to decisions ----------------------------------------------------------------------- */

static void two_judged(struct two *x, enum verdict first, enum verdict second)
{
	const enum verdict of[2] = {first, second};

	for (size_t i = 0; i < 2; i++) {
		x->r.backends[i].verdict = of[i];
		x->r.backends[i].tally.judged = 1;
	}
}

/* Four inputs: the second backend, which is wrong, names another class for the second and the last. */
static void decisions_that_flip(void **state)
{
	static const int64_t labels[] = {0, 1, 1, 0};
	struct two x;

	(void)state;
	two_init(&x, 4);
	two_give(&x, 2, (int64_t[]){4, 2}, (float[]){.9f, .1f, .2f, .8f, .6f, .4f, .7f, .3f},
		 (float[]){.8f, .2f, .7f, .3f, .6f, .4f, .1f, .9f});
	x.data.labels = labels;
	two_compare(&x, NULL);
	two_judged(&x, VERDICT_ROUNDING, VERDICT_WRONG);
	assert_int_equal(check_weigh(&x.r, NULL, &x.data, &x.o, &x.e), 0);
	assert_int_equal(x.r.backends[0].impact.decisions, 4);
	assert_int_equal(x.r.backends[0].impact.correct, 3);
	assert_int_equal(x.r.backends[0].impact.flips, 0);
	assert_int_equal(x.r.backends[1].impact.correct, 1);
	assert_int_equal(x.r.backends[1].impact.flips, 2);
	assert_int_equal(x.r.backends[1].impact.against, 0);
	check_result_release(&x.r);
}

/* Without a backend that is right nothing flips; a regression has no decisions. */
static void no_decisions_to_flip(void **state)
{
	struct two x;

	(void)state;
	two_init(&x, 2);
	two_give(&x, 2, (int64_t[]){2, 2}, (float[]){1, 0, 0, 1}, (float[]){0, 1, 1, 0});
	two_compare(&x, NULL);
	two_judged(&x, VERDICT_NAN, VERDICT_WRONG);
	assert_int_equal(check_weigh(&x.r, NULL, &x.data, &x.o, &x.e), 0);
	assert_int_equal(x.r.backends[1].impact.against, 2);
	assert_int_equal(x.r.backends[1].impact.decisions, 2);
	assert_int_equal(x.r.backends[1].impact.flips, 0);
	check_result_release(&x.r);
	two_init(&x, 2);
	two_give(&x, 2, (int64_t[]){2, 1}, (float[]){1, 0}, (float[]){0, 1});
	two_compare(&x, NULL);
	two_judged(&x, VERDICT_ROUNDING, VERDICT_WRONG);
	assert_int_equal(check_weigh(&x.r, NULL, &x.data, &x.o, &x.e), 0);
	assert_int_equal(x.r.backends[1].impact.decisions, 0);
	check_result_release(&x.r);
}

static void what_does_not_fit_is_refused(void **state)
{
	static const struct {
		enum check_task task;
		int rank;
		int64_t dims[2], label;
		int status;
	} cases[] = {
		{CHECK_CLASS, 2, {1, 1}, 0, ERR_USAGE},
		{CHECK_BINARY, 2, {1, 3}, 0, ERR_USAGE},
		{CHECK_SEQUENCE, 2, {1, 3}, 0, ERR_USAGE},
		{CHECK_CLASS, 2, {1, 3}, 3, ERR_INPUT},
		{CHECK_CLASS, 2, {1, 3}, 2, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct two x;

		two_init(&x, 1);
		two_give(&x, cases[i].rank, cases[i].dims, (float[]){1, 2, 3}, (float[]){1, 2, 3});
		x.data.labels = &cases[i].label;
		x.o.task = cases[i].task;
		assert_int_equal(check_compare(&x.r, NULL, &x.data, &x.o, &x.e), cases[i].status);
		check_result_release(&x.r);
	}
}

/* ---- unique ------------------------------------------------------------------------------------------------------ */

/* The same pattern in another version of a library is the same inconsistency, with another library it is another. */
static void unique_for_each_pair(void **state)
{
	static const struct {
		char *name, *backend;
		float y;
	} all[] = {{"ort@1.17.0", "ort", 1}, {"ort@1.31.1", "ort", 1}, {"tf", "tf", 4}, {"tract", "tract", 1}};
	struct check_result r = {.n_backends = 4, .backends = mem_array(4, sizeof *r.backends)};
	struct check_data data = {.n = 1, .batch = 1};
	struct check_options o = {0};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct check_backend *b = &r.backends[i];

		b->party.spec.name = mem_strdup(all[i].name);
		b->party.spec.backend = mem_strdup(all[i].backend);
		b->runs = mem_array(1, sizeof *b->runs);
		b->runs->values = mem_array(1, sizeof(struct value *));
		b->runs->values[0] = floats(2, (int64_t[]){1, 1}, &all[i].y);
		b->runs->n = b->n = 1;
	}
	assert_int_equal(check_compare(&r, NULL, &data, &o, &e), 0);
	assert_int_equal(r.n_pairs, 6);
	assert_int_equal(r.n_patterns, 1);
	assert_int_equal(r.n_unique, 2); /* ort / tf, of two versions; tf / tract */
	check_result_release(&r);
}

/* Another shape is further than any number; two that agree on it are compared with each other. */
static void another_shape(void **state)
{
	static const struct {
		int64_t n;
		float y[3];
	} all[] = {{2, {1, 2}}, {3, {1, 2, 3}}, {3, {1, 2, 3}}};
	struct check_result r = {.n_backends = 3, .backends = mem_array(3, sizeof *r.backends)};
	struct check_data data = {.n = 1, .batch = 1};
	struct check_options o = {0};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct check_backend *b = &r.backends[i];

		b->runs = mem_array(1, sizeof *b->runs);
		b->runs->values = mem_array(1, sizeof(struct value *));
		b->runs->values[0] = floats(2, (int64_t[]){1, all[i].n}, all[i].y);
		b->runs->n = b->n = 1;
	}
	assert_int_equal(check_compare(&r, NULL, &data, &o, &e), 0);
	assert_true(r.pairs[0].inconsistent && isnan(r.pairs[0].max_mad));
	assert_true(r.pairs[1].inconsistent);
	assert_false(r.pairs[2].inconsistent);
	check_result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steering_angle),
		cmocka_unit_test(targets_of_a_batch),
		cmocka_unit_test(the_limit_belongs_to_it),
		cmocka_unit_test(pixels_are_no_classes),
		cmocka_unit_test(binary_of_one_value),
		cmocka_unit_test(binary_of_a_logit),
		cmocka_unit_test(scores_at_places),
		cmocka_unit_test(every_output_counts),
		cmocka_unit_test(decisions_that_flip),
		cmocka_unit_test(no_decisions_to_flip),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(unique_for_each_pair),
		cmocka_unit_test(another_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
