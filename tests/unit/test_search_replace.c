/* test_search_replace.c - Algorithm 2 with the values of data/layers.yaml, its thresholds, and NaN in every layer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "methods/search/internal.h"
#include "methods/search/keep.h"
#include "support/networks.h"
#include "support/questions.h"
#include "support/seeds.h"
#include "support/trials.h"

/* A case on a backend with a fault, localized by Algorithm 2 as `causal` says. */
static void localize(struct question *q, const char *backend, const struct blame_causal *causal)
{
	struct err e = ERR_INIT;
	struct blame_request r = {
		.trial = &q->t, .accused = &q->p, .outcome = &q->o, .blamers = "causal", .causal = causal};

	if (party_open(&q->p, backend, NULL, &e) || trial_judge(&q->t, &q->p, NULL, &q->o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(q->o.verdict, VERDICT_WRONG);
	if (blame_run(&r, &q->b, &e))
		fail_msg("%s", e.msg);
}

/* What became of a difference with a parameter at a value, of the first layer; "": it was not tried. */
static const char *result_of(const struct question *q, const char *value, json_t **held)
{
	const json_t *tried, *row;
	size_t i;

	*held = question_said(q, "causal", "layers");
	tried = json_object_get(json_array_get(*held, 0), "parameters");
	json_array_foreach(tried, i, row) if (!strcmp(json_string_value(json_object_get(row, "parameter")),
						      value)) return json_string_value(json_object_get(row, "result"));
	return "";
}

static void all_values_are_tried(void **state)
{
	struct layers *layers = seeds_layers();
	struct blame_causal causal = {0};
	struct search_replaced replaced;
	struct question q = {.t = questions_network()};
	json_t *held;

	(void)state;
	search_replaced_begin(&replaced, layers, &causal);
	localize(&q, "fault:elu_alpha_ignored", &causal);
	question_assert_first(&q, "elu");
	assert_string_equal(q.b.at[0].parameter, "alpha"); /* once, though several values are cures */
	assert_string_equal(result_of(&q, "alpha=0.3", &held), "stays");
	json_decref(held);
	assert_string_equal(result_of(&q, "alpha=1", &held), "gone");
	json_decref(held);
	assert_int_equal(replaced.n, 0);
	question_end(&q);
	search_replaced_release(&replaced);
	layers_free(layers);
}

/* Averages that do not count the padding where they should: with a kernel of 1 a window has nothing else, 0 / 0. */
static void what_a_value_breaks_is_kept(void **state)
{
	struct layers *layers = seeds_layers();
	struct blame_causal causal = {0};
	struct search_replaced replaced;
	struct question q = {.t = trials_line("AveragePool-11 f32[1,1,4,4]@1:2 kernel_shape=[2,2] pads=[1,1,1,1] "
					      "count_include_pad=1",
					      3)};

	(void)state;
	search_replaced_begin(&replaced, layers, &causal);
	localize(&q, "fault:pool_counts_pad", &causal);
	assert_true(replaced.n > 0);
	assert_non_null(strstr(replaced.said[0], "AveragePool"));
	assert_non_null(strstr(replaced.said[0], "kernel_shape=1"));
	assert_int_equal(replaced.at[0].model->graph->nodes.n, 1);
	question_end(&q);
	search_replaced_release(&replaced);
	layers_free(layers);
}

static void thresholds_decide(void **state)
{
	struct question strict = {.t = questions_network()}, mild = {.t = questions_network()};
	json_t *held;

	(void)state;
	localize(&strict, "fault:elu_alpha_ignored", &(struct blame_causal){.inconsistent = 1e30});
	assert_int_equal(strict.b.n, 0); /* no layer is above t1 */
	question_end(&strict);
	/* Below so high a t2 everything counts as gone, though rounding explains nothing of it. */
	localize(&mild, "fault:kernel_mirrored@conv2", &(struct blame_causal){.consistent = 1e30});
	question_assert_first(&mild, "conv2");
	assert_string_equal(result_of(&mild, "pads", &held), "gone");
	json_decref(held);
	question_end(&mild);
}

/* NaN that a later layer hides. */
static size_t count_nan(int nan_layers)
{
	struct model *m = net_begin((int64_t[]){1, 4}, 2);
	struct search_options o = {.levels = 1u << SEARCH_NETWORK, .cases = 1, .no_judge = 1, .nan_layers = nan_layers};
	struct search_result r = {0};
	struct spec_list specs = {0};
	struct rivals *rivals = NULL;
	struct err e = ERR_INIT;
	struct trial seed;

	net_add(m->graph, "Sqrt", "x", "root");
	net_add(m->graph, "Relu", "root", "hidden");
	net_add(m->graph, "Softmax", "hidden", "y");
	seed = net_finish(m, "y", net_random(1, 2, (int64_t[]){1, 4}, -2, -1));
	o.layers = seeds_layers();
	if (spec_make_list("fault:relu_drops_nan", &specs, &e) || rivals_open(&specs, 0, &rivals, &e) ||
	    search_run(&seed, rivals, &o, &r, &e))
		fail_msg("%s", e.msg);
	rivals_close(rivals);
	spec_list_release(&specs);
	layers_free((struct layers *)o.layers);
	trial_release(&seed);
	assert_int_equal(r.levels[SEARCH_NETWORK].cases, 1);
	return r.levels[SEARCH_NETWORK].nan;
}

static void hidden_nan_is_seen_in_its_layer(void **state)
{
	(void)state;
	assert_int_equal(count_nan(0), 0);
	assert_int_equal(count_nan(1), 1);
}

/* The layer before the decision stays the last output. */
static void exposed_layers_come_before_the_logits(void **state)
{
	struct trial t = seeds_network("lenet5", 1);
	struct graph *g = t.model->graph;
	struct err e = ERR_INIT;
	int exposed;

	(void)state;
	assert_int_equal(search_expose_logits(t.model, &exposed, &e), 0);
	assert_int_equal(exposed, 1);
	assert_int_equal(search_expose_layers(t.model, &e), 0);
	assert_string_equal(g->outputs.at[0]->name, "probabilities");
	assert_string_equal(g->outputs.at[g->outputs.n - 1]->name, "logits");
	assert_int_equal(g->outputs.n, g->nodes.n);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_values_are_tried),
		cmocka_unit_test(what_a_value_breaks_is_kept),
		cmocka_unit_test(thresholds_decide),
		cmocka_unit_test(hidden_nan_is_seen_in_its_layer),
		cmocka_unit_test(exposed_layers_come_before_the_logits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
