/* test_check.c - pairs, patterns and verdicts of assay check. */
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
#include "zoo/zoo.h"

/* ---- distances, by hand ------------------------------------------------------------------------------------------ */

#define RUNS 3

/* Backend `b` gives the scores of row `run` for each run; [RUNS][4]. */
static void give(struct check_backend *b, const float scores[RUNS][4])
{
	struct err e = ERR_INIT;

	b->runs = mem_array(RUNS, sizeof *b->runs);
	assert_non_null(b->runs);
	for (b->n = 0; b->n < RUNS; b->n++) {
		struct tensor *t = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){1, 4}, &e);

		memcpy(t->data, scores[b->n], 4 * sizeof(float));
		b->runs[b->n].n = 1;
		b->runs[b->n].values = mem_array(1, sizeof(struct value *));
		b->runs[b->n].values[0] = value_tensor(t, &e);
	}
}

static const float right[RUNS][4] = {{.7f, .1f, .1f, .1f}, {.1f, .7f, .1f, .1f}, {.1f, .1f, .7f, .1f}};
/* Run 0: class 0 falls to rank 2 (16 - 8 = 8).  Run 1: to rank 4 (16 - 2 = 14).  Run 2: the same. */
static const float wrong[RUNS][4] = {{.2f, .6f, .1f, .1f}, {.4f, .0f, .3f, .3f}, {.1f, .1f, .7f, .1f}};

static struct check_result three(const float a[RUNS][4], const float b[RUNS][4], const float c[RUNS][4])
{
	struct check_result r = {.n_backends = 3};

	r.backends = mem_array(3, sizeof *r.backends);
	give(&r.backends[0], a);
	give(&r.backends[1], b);
	give(&r.backends[2], c);
	return r;
}

static void pairs_with_labels(void **state)
{
	static const int64_t labels[RUNS] = {0, 1, 2};
	struct check_data data = {.n = RUNS, .batch = 1, .labels = labels};
	struct check_result r = three(right, wrong, right);
	struct check_options o = {0};
	struct err e = ERR_INIT;
	const struct check_pair *p;

	(void)state;
	assert_int_equal(check_compare(&r, NULL, &data, &o, &e), 0);
	assert_int_equal(r.n_pairs, 3);
	p = &r.pairs[0]; /* right, wrong */
	assert_true(p->inconsistent);
	assert_true(p->max_class == 14);
	assert_int_equal(p->worst_item, 1);
	assert_int_equal(p->triggering, 2);    /* 8 and 14 */
	assert_int_equal(p->class_bins[1], 2); /* 15-8 */
	assert_int_equal(p->class_bins[5], 1); /* 0 */
	assert_false(r.pairs[1].inconsistent); /* right, right */
	assert_true(r.pairs[1].max_class == 0 && r.pairs[1].max_mad == 0);
	assert_true(r.pairs[2].inconsistent); /* wrong, right: the same pattern as the first */
	assert_int_equal(r.n_patterns, 1);
	assert_int_equal(r.pairs[2].pattern, r.pairs[0].pattern);
	assert_int_equal(r.n_unique, 2); /* another pair of libraries */
	/* Run 0 with label 0: δ = .15 and .4 to the one-hot vector: .25 / .55 = .45; run 1: .15 and .5: .54 */
	assert_true(fabs(p->max_mad - 7.0 / 13) < 1e-6);
	assert_int_equal(p->mad_bins[2], 2); /* 0.4-0.6 */
	check_result_release(&r);
}

/* Without labels most backends decide; a share of the inputs may be asked for. */
static void pairs_without_labels(void **state)
{
	struct check_data data = {.n = RUNS, .batch = 1};
	struct check_result r = three(right, right, wrong);
	struct check_options o = {.share = 0.9};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(check_compare(&r, NULL, &data, &o, &e), 0);
	assert_true(r.pairs[1].max_class == 14);
	assert_false(r.pairs[1].inconsistent); /* two of three inputs are less than nine tenths */
	check_result_release(&r);
}

static const float broken[RUNS][4] = {{NAN, NAN, NAN, NAN}, {.1f, .7f, .1f, .1f}, {.1f, .1f, .7f, .1f}};

static void nan_is_inconsistent(void **state)
{
	struct check_data data = {.n = RUNS, .batch = 1};
	struct check_result r = three(right, broken, right);
	struct check_options o = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(check_compare(&r, NULL, &data, &o, &e), 0);
	assert_true(isnan(r.pairs[0].max_mad));
	assert_true(r.pairs[0].inconsistent);
	assert_int_equal(r.pairs[0].worst_item, 0);
	check_result_release(&r);
}

static void nan_on_both_sides_is_not(void **state)
{
	struct check_data data = {.n = RUNS, .batch = 1};
	struct check_result r = three(broken, broken, right);
	struct check_options o = {0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(check_compare(&r, NULL, &data, &o, &e), 0);
	assert_true(r.pairs[0].max_mad == 0);
	assert_false(r.pairs[0].inconsistent);
	assert_true(r.pairs[1].inconsistent);
	check_result_release(&r);
}

/* ---- a network with a planted fault ------------------------------------------------------------------------------ */

#define INPUTS 4

/* Parts of a model that cannot be sent: the verdict stands without a place. */
static void too_large_to_localize(struct trial *t, struct check_result *r, const struct check_data *data)
{
	struct check_blame found = {.backend = 2};
	struct check_options o = {0};
	struct err e = ERR_INIT;
	size_t usual = model_max_message;

	model_max_message = 16;
	if (check_localize(t, r, data, &o, &found, &e))
		fail_msg("%s", e.msg);
	model_max_message = usual;
	assert_int_equal(found.map.n, 0);
	blame_release(&found.blame);
	blame_map_release(&found.map);
}

static void culprit_is_named(void **state)
{
	static const char *const names[] = {"reference", "ort", "fault:pads_swapped"};
	struct value *in[INPUTS][1], **runs[INPUTS], **none = mem_array(1, sizeof *none);
	struct check_data data = {.runs = runs, .n = INPUTS, .batch = 1};
	struct check_options o = {0};
	struct check_result r;
	struct check_blame found = {.backend = 2};
	struct party parties[3];
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct trial t;
	struct rng rng;

	(void)state;
	assert_int_equal(zoo_build(zoo_find("inception"), 1, 1, NULL, &m, &e), 0);
	/* an asymmetric padding, without which this fault changes nothing */
	for (size_t i = 0; i < m->graph->nodes.n; i++)
		if (!strcmp(m->graph->nodes.at[i]->name, "stem"))
			assert_int_equal(node_set_ints(m->graph->nodes.at[i], "pads", (int64_t[]){0, 0, 1, 1}, 4, &e),
					 0);
	rng_init(&rng, 1);
	for (size_t k = 0; k < INPUTS; k++) {
		struct tensor *x = tensor_new(DT_FLOAT, 4, (int64_t[]){1, 3, 32, 32}, &e);

		for (size_t i = 0; i < x->count; i++)
			x->f[i] = rng_uniform(&rng, -1, 1);
		in[k][0] = value_tensor(x, &e);
		runs[k] = in[k];
	}
	assert_int_equal(trial_init(&t, m, none, 1, &e), 0);
	for (size_t i = 0; i < 3; i++)
		if (party_open(&parties[i], names[i], NULL, &e))
			fail_msg("%s", e.msg);
	if (check_run(&t, parties, 3, &data, &o, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(r.verdict, VERDICT_WRONG);
	assert_false(verdict_is_finding(r.backends[0].verdict));
	assert_false(verdict_is_finding(r.backends[1].verdict));
	assert_int_equal(r.backends[2].verdict, VERDICT_WRONG);
	assert_true(r.backends[2].ratio > JUDGE_LIMIT);
	if (check_localize(&t, &r, &data, &o, &found, &e))
		fail_msg("%s", e.msg);
	assert_true(found.blame.n > 0);
	assert_string_equal(found.blame.at[0].node->name, "stem");
	assert_int_equal(found.map.n, t.model->graph->nodes.n);
	blame_release(&found.blame);
	blame_map_release(&found.map);
	too_large_to_localize(&t, &r, &data);
	check_result_release(&r);
	trial_release(&t);
	for (size_t k = 0; k < INPUTS; k++)
		value_unref(in[k][0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_with_labels),   cmocka_unit_test(pairs_without_labels),
		cmocka_unit_test(nan_is_inconsistent), cmocka_unit_test(nan_on_both_sides_is_not),
		cmocka_unit_test(culprit_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
