/* test_search.c - layers, edits of networks, genes, and Algorithm 1 on planted faults. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/search/internal.h"
#include "ops/op.h"
#include "support/workers.h"
#include "tensor/stats.h"
#include "zoo/zoo.h"

static struct layers *load_layers(void)
{
	struct layers *l = NULL;
	struct err e = ERR_INIT;

	if (layers_load("data/layers.yaml", &l, &e))
		fail_msg("%s", e.msg);
	return l;
}

/* A network of the zoo with inputs from a seed. */
static struct trial make_seed(const char *name, uint64_t seed)
{
	struct err e = ERR_INIT;
	struct trial t = {0};
	struct value **in = mem_array(2, sizeof *in);
	struct model *m = NULL;
	struct tensor *x;
	struct rng rng;

	rng_init(&rng, seed);
	assert_int_equal(zoo_build(zoo_find(name), 1, seed, NULL, &m, &e), 0);
	assert_int_equal(ops_bind(m, &e), 0);
	assert_int_equal(ops_infer(m, &e), 0); /* edits look at shapes */
	x = tensor_new(m->graph->inputs.at[0]->type.dtype, m->graph->inputs.at[0]->type.rank,
		       m->graph->inputs.at[0]->type.dims, &e);
	assert_int_equal(tensor_fill_random(x, &rng, 0, dtype_is_float(x->dtype) ? 1 : 999, &e), 0);
	in[0] = value_tensor(x, &e);
	assert_int_equal(trial_init(&t, m, in, seed, &e), 0);
	return t;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void layers_of_the_paper(void **state)
{
	struct layers *l = load_layers();

	(void)state;
	assert_int_equal(l->n, 25);
	assert_string_equal(l->at[1].name, "Conv2D"); /* shares its parameters with Conv1D through an alias */
	assert_int_equal(l->at[1].n_parameters, l->at[0].n_parameters);
	assert_int_equal(l->at[1].parameters[0].kind, LAYER_SPATIAL);
	assert_string_equal(l->at[1].parameters[0].invalid.at[0], "0");
	layers_free(l);
}

static void refuse(const char *text, const char *part)
{
	char path[] = "/tmp/layers-XXXXXX";
	int fd = mkstemp(path);
	struct layers *l = NULL;
	struct err e = ERR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	assert_int_equal(layers_load(path, &l, &e), ERR_INPUT);
	if (!strstr(e.msg, part))
		fail_msg("'%s' does not say '%s'", e.msg, part);
	unlink(path);
}

static void files_that_are_wrong(void **state)
{
	(void)state;
	refuse("layers: 3\n", "layers");
	refuse("layers:\n  - {layer: A, operator: NoSuch}\n", "there is no operator 'NoSuch'");
	refuse("layers:\n  - {layer: A, operator: Conv, colour: red}\n", "colour");
	refuse("layers:\n  - {layer: A, operator: Conv, parameters: [{name: group, type: int, values: [x]}]}\n",
	       "'x' is no whole number");
	refuse("layers:\n  - {layer: A, operator: Conv, parameters: [{name: group, type: whole, values: [1]}]}\n",
	       "type");
	refuse("layers: [\n", "cannot read");
}

/* ---- networks ---------------------------------------------------------------------------------------------------- */

/* Every variant is valid, or invalid on purpose and then refused by the reference. */
static void variants_of(const char *name, size_t n)
{
	struct trial seed = make_seed(name, 1);
	struct layers *l = load_layers();
	struct individual origin = {0};
	struct search_options o = {.layers = l};
	struct variation v = {.base = &seed, .level = SEARCH_NETWORK, .options = &o, .mutation = 1};
	size_t changed = 0, invalid = 0;
	struct err e = ERR_INIT;
	struct rng root;

	rng_init(&root, 7);
	assert_int_equal(trial_copy(&seed, &origin.trial, &e), 0);
	for (size_t i = 0; i < n; i++) {
		struct rng rng = rng_split(&root, i);
		struct individual x = {0};

		if (variation_child(&v, &origin, &origin, &rng, 1, &x, &e))
			fail_msg("%s %zu: %s", name, i, e.msg);
		if (trial_truth(&x.trial, &e))
			fail_msg("%s %zu (%s): %s", name, i, x.edits, e.msg);
		if (x.trial.invalid != x.invalid)
			fail_msg("%s %zu (%s): invalid %d, on purpose %d: %s", name, i, x.edits, x.trial.invalid,
				 x.invalid, x.trial.why.msg);
		changed += *x.edits != '\0';
		invalid += (size_t)x.invalid;
		individual_release(&x);
	}
	assert_true(changed > n / 2);
	assert_true(invalid > 0);
	individual_release(&origin);
	layers_free(l);
	trial_release(&seed);
}

static void variants_are_valid_or_refused(void **state)
{
	(void)state;
	variants_of("lenet5", 80);
	variants_of("gru", 60);
	variants_of("simplernn", 40);
}

static uint64_t gene(uint64_t i)
{
	struct rng rng;

	rng_init(&rng, i);
	return rng_u64(&rng) | 1;
}

static struct model *make_network(const struct trial *seed, const struct layers *l, uint64_t first, uint64_t second,
				  char *said)
{
	uint64_t genes[SEARCH_EDITS] = {first, second};
	struct model *m = NULL;
	struct err e = ERR_INIT;
	int invalid;

	if (network_make(seed->model, genes, l, &m, said, &invalid, &e))
		fail_msg("%s", e.msg);
	return m;
}

/* What an edit does depends on its gene, hardly on the edits before it. */
static void genes_mean_the_same_anywhere(void **state)
{
	struct trial seed = make_seed("lenet5", 1);
	struct layers *l = load_layers();
	size_t same = 0, tried = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		char alone[SEARCH_SAID], other[SEARCH_SAID], both[SEARCH_SAID];

		model_free(make_network(&seed, l, 0, gene(i), alone));
		model_free(make_network(&seed, l, gene(i + 1000), 0, other));
		model_free(make_network(&seed, l, gene(i + 1000), gene(i), both));
		tried += *alone && *other;
		same += *alone && *other && strstr(both, alone) != NULL;
	}
	assert_true(tried > 50);
	assert_true(same > tried * 3 / 4);
	layers_free(l);
	trial_release(&seed);
}

/* A window of 35 on 32 elements and a padding of 1 on both sides: an edge of none. */
static void networks_without_elements_are_no_networks(void **state)
{
	struct trial seed = make_seed("resnet20", 1);
	struct err e = ERR_INIT;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	for (int64_t dilation = 14; dilation <= 17; dilation += 3) {
		struct model *m = NULL;
		int rc;

		assert_int_equal(model_copy(seed.model, &m, &e), 0);
		rc = node_set_ints(m->graph->nodes.at[0], "dilations", (int64_t[]){dilation, dilation}, 2, &e);
		assert_int_equal(rc, 0);
		rc = repair_model(m, &rng, &e);
		if (rc != (dilation == 14 ? 0 : ERR_INPUT))
			fail_msg("dilations of %d: %s", (int)dilation, e.msg);
		model_free(m);
	}
	trial_release(&seed);
}

/* AveragePool has no dilations in the zoo's opset: a MaxPool that becomes one leaves them behind. */
static void replaced_layers_have_no_foreign_parameters(void **state)
{
	struct trial seed = make_seed("lenet5", 1);
	struct layers *l = load_layers();
	struct node *pool = seed.model->graph->nodes.at[0];
	struct err e = ERR_INIT;
	size_t replaced = 0;

	(void)state;
	for (size_t i = 0; i < seed.model->graph->nodes.n; i++)
		if (!strcmp(seed.model->graph->nodes.at[i]->op_type, "MaxPool"))
			pool = seed.model->graph->nodes.at[i];
	assert_int_equal(node_set_ints(pool, "dilations", (int64_t[]){1, 1}, 2, &e), 0);
	for (uint64_t i = 0; i < 300; i++) {
		char said[SEARCH_SAID];
		struct model *m = make_network(&seed, l, gene(i), 0, said);

		for (size_t k = 0; k < m->graph->nodes.n; k++)
			if (!strcmp(m->graph->nodes.at[k]->op_type, "AveragePool")) {
				replaced++;
				assert_false(node_has(m->graph->nodes.at[k], "dilations"));
			}
		model_free(m);
	}
	assert_true(replaced > 0);
	layers_free(l);
	trial_release(&seed);
}

/* What decides is looked at before it is squeezed, whatever squeezes it. */
static void the_layer_before_the_decision(void **state)
{
	struct trial seed = make_seed("lenet5", 1);
	struct graph *g = seed.model->graph;
	struct err e = ERR_INIT;
	int exposed;

	(void)state;
	g->outputs.at[0]->producer->op_type = arena_strdup(&seed.model->arena, "Sigmoid");
	assert_int_equal(expose_logits(seed.model, &exposed, &e), 0);
	assert_true(exposed);
	assert_int_equal(g->outputs.n, 2);
	assert_string_equal(g->outputs.at[1]->producer->op_type, "Gemm");
	assert_int_equal(expose_logits(seed.model, &exposed, &e), 0);
	assert_false(exposed); /* it is there */
	trial_release(&seed);
}

/* ---- genes ------------------------------------------------------------------------------------------------------- */

static void crossover_takes_from_both(void **state)
{
	struct trial seed = make_seed("lenet5", 1), other = make_seed("lenet5", 2);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_BOTH, .options = &o, .crossover = 0.25, .mutation = 0};
	struct individual a = {.trial = seed}, b = {.trial = other}, x = {0};
	const struct tensor *ta = seed.inputs[0]->tensor, *tb = other.inputs[0]->tensor, *tx;
	size_t from_a = 0;
	struct err e = ERR_INIT;
	struct rng rng;

	(void)state;
	rng_init(&rng, 3);
	assert_int_equal(variation_child(&v, &a, &b, &rng, 0, &x, &e), 0);
	tx = x.trial.inputs[0]->tensor;
	for (size_t i = 0; i < tx->count; i++) {
		double got = tensor_get(tx, i);

		assert_true(got == tensor_get(ta, i) || got == tensor_get(tb, i));
		from_a += got == tensor_get(ta, i);
	}
	assert_true(from_a > tx->count / 5 && from_a < tx->count * 3 / 10); /* r1 = 0.25 of 784 */
	individual_release(&x);
	trial_release(&seed);
	trial_release(&other);
}

static void words_stay_words(void **state)
{
	struct trial seed = make_seed("gru", 1);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o, .crossover = 0.5, .mutation = 1};
	struct individual a = {.trial = seed};
	struct tensor_stats s;
	struct err e = ERR_INIT;
	size_t moved = 0;
	struct rng rng;

	(void)state;
	tensor_stats(seed.inputs[0]->tensor, &s);
	rng_init(&rng, 5);
	for (int k = 0; k < 10; k++) {
		struct individual x = {0};
		const struct tensor *t;

		assert_int_equal(variation_child(&v, &a, &a, &rng, 1, &x, &e), 0);
		t = x.trial.inputs[0]->tensor;
		for (size_t i = 0; i < t->count; i++) {
			assert_true(tensor_get(t, i) >= s.min && tensor_get(t, i) <= s.max);
			moved += tensor_get(t, i) != tensor_get(seed.inputs[0]->tensor, i);
		}
		individual_release(&x);
	}
	assert_true(moved > 0);
	trial_release(&seed);
}

static double largest_change(const struct tensor *a, const struct tensor *b)
{
	double most = 0;

	for (size_t i = 0; i < a->count; i++)
		most = fmax(most, fabs(tensor_get(a, i) - tensor_get(b, i)));
	return most;
}

/* Children of one parent, though the mutation rate is 0: others than it, but by no more than they should. */
static void noise_has_the_scale_that_is_wanted(void **state)
{
	struct trial seed = make_seed("lenet5", 1), words = make_seed("gru", 1);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o, .scale = -7, .has_scale = 1};
	struct individual a = {.trial = seed}, w = {.trial = words};
	struct err e = ERR_INIT;
	struct rng rng;

	(void)state;
	rng_init(&rng, 6);
	for (int k = 0; k < 10; k++) {
		struct individual x = {0}, y = {0};
		double change;

		v.base = &seed;
		assert_int_equal(variation_child(&v, &a, &a, &rng, 0, &x, &e), 0);
		change = largest_change(x.trial.inputs[0]->tensor, seed.inputs[0]->tensor);
		assert_true(change > 0 && change < 0.1);
		v.base = &words;
		assert_int_equal(variation_child(&v, &w, &w, &rng, 0, &y, &e), 0);
		assert_true(largest_change(y.trial.inputs[0]->tensor, words.inputs[0]->tensor) == 0);
		individual_release(&x);
		individual_release(&y);
	}
	trial_release(&seed);
	trial_release(&words);
}

/* Some children are on the line between their parents: every element at the same share of the way. */
static void children_between_their_parents(void **state)
{
	struct trial seed = make_seed("lenet5", 1), other = make_seed("lenet5", 2);
	struct search_options o = {0};
	struct variation v = {.base = &seed, .level = SEARCH_INPUT, .options = &o, .crossover = 0.5};
	struct individual a = {.trial = seed}, b = {.trial = other};
	const struct tensor *ta = seed.inputs[0]->tensor, *tb = other.inputs[0]->tensor;
	struct err e = ERR_INIT;
	size_t between = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 8);
	for (int k = 0; k < 40; k++) {
		struct individual x = {0};
		const struct tensor *t;
		double at;

		assert_int_equal(variation_child(&v, &a, &b, &rng, 0, &x, &e), 0);
		t = x.trial.inputs[0]->tensor;
		at = (tensor_get(t, 0) - tensor_get(ta, 0)) / (tensor_get(tb, 0) - tensor_get(ta, 0));
		if (at != 0 && at != 1) {
			between++;
			for (size_t i = 0; i < t->count; i++)
				assert_true(fabs(tensor_get(ta, i) + at * (tensor_get(tb, i) - tensor_get(ta, i)) -
						 tensor_get(t, i)) < 1e-4);
		}
		individual_release(&x);
	}
	assert_true(between > 2 && between < 30);
	trial_release(&seed);
	trial_release(&other);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

struct told {
	size_t n;
	size_t backend;
	enum verdict verdict;
	char evidence[256];
};

static int note(const struct search_failure *f, void *arg, struct err *e)
{
	struct told *t = arg;

	(void)e;
	t->n++;
	t->backend = f->backend;
	t->verdict = f->outcome->verdict;
	snprintf(t->evidence, sizeof t->evidence, "%.250s", f->evidence);
	return 0;
}

/* `twin`: what the second backend calls itself; NULL: what it is. */
static struct search_result search_as(const char *network, const char *backends, const char *twin,
				      struct search_options *o, size_t jobs)
{
	struct trial seed = make_seed(network, 1);
	struct layers *l = load_layers();
	struct spec_list specs = {0};
	struct rivals *rivals = NULL;
	struct search_result r = {0};
	struct err e = ERR_INIT;

	o->layers = l;
	if (spec_make_list(backends, &specs, &e))
		fail_msg("%s", e.msg);
	if (twin) {
		mem_free(specs.at[1].backend);
		specs.at[1].backend = mem_strdup(twin);
	}
	if (rivals_open(&specs, jobs, &rivals, &e) || search_run(&seed, rivals, o, &r, &e))
		fail_msg("%s", e.msg);
	rivals_close(rivals);
	spec_list_release(&specs);
	layers_free(l);
	trial_release(&seed);
	return r;
}

static struct search_result search(const char *network, const char *backends, struct search_options *o, size_t jobs)
{
	return search_as(network, backends, NULL, o, jobs);
}

/* The worker of tests/support gives NaN with every second run of a process. */
static void what_an_invalid_case_does_is_not_the_next_ones_fault(void **state)
{
	struct backend_option options[] = {{"model", "any"}, {"run", "flaky"}};
	struct worker_spec spec = fault_spec();
	struct spec_list specs = {.at = &spec, .n = 1};
	struct individual cases[2] = {{.invalid = 1}}, *both[] = {&cases[0], &cases[1]};
	struct search_options o = {0};
	struct rivals *rivals = NULL;
	struct err e = ERR_INIT;

	(void)state;
	spec.backend = "faulty";
	spec.options = options;
	spec.n_options = 2;
	for (size_t i = 0; i < 2; i++)
		cases[i].trial = make_seed("lenet5", 1);
	if (rivals_open(&specs, 0, &rivals, &e) || rivals_run(rivals, both, 2, 0, &o, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < 2; i++) {
		const struct value *v = cases[i].outcomes[0].values[0];

		assert_int_equal(tensor_same_bits(v->tensor, cases[i].trial.inputs[0]->tensor), 1);
	}
	rivals_close(rivals);
	for (size_t i = 0; i < 2; i++)
		individual_release(&cases[i]);
}

/* Two libraries that do the same are no bug; one library twice is no second opinion. */
static void what_two_libraries_do_is_a_difference(void **state)
{
	const char *same = "fault:relu6,fault:relu6,reference";
	struct search_options o = {.levels = 1u << SEARCH_BOTH, .fitness = SEARCH_NAN, .cases = 30, .bases = 1};
	struct search_result two = search_as("lenet5", same, "another", &o, 0);
	struct search_result twice = search("lenet5", same, &o, 0);

	(void)state;
	assert_true(two.levels[SEARCH_BOTH].by_class[SEARCH_DIFFERENCE] > 0);
	assert_int_equal(two.levels[SEARCH_BOTH].by_class[SEARCH_BUG], 0);
	assert_int_equal(twice.levels[SEARCH_BOTH].by_class[SEARCH_DIFFERENCE], 0);
	assert_int_equal(twice.levels[SEARCH_BOTH].by_class[SEARCH_BUG],
			 two.levels[SEARCH_BOTH].by_class[SEARCH_DIFFERENCE]);
}

static void names_the_faulty_backend(void **state)
{
	struct told told = {0};
	struct search_options o = {.levels = 1u << SEARCH_INPUT,
				   .fitness = SEARCH_INCONSISTENCY,
				   .cases = 20,
				   .population = 10,
				   .parents = 3,
				   .failure = note,
				   .arg = &told};
	struct search_result r = search("lenet5", "reference,fault:kernel_mirrored@conv2", &o, 0);
	const struct search_counts *c = &r.levels[SEARCH_INPUT];

	(void)state;
	assert_int_equal(c->cases, 20);
	assert_int_equal(c->evaluations, 40);
	assert_true(told.n > 0);
	assert_int_equal(told.backend, 1);
	assert_int_equal(told.verdict, VERDICT_WRONG);
	assert_true(c->by_class[SEARCH_BUG] > 0);
}

/* Two right backends: nothing is found, whatever the numbers become. */
static void right_backends_have_no_bugs(void **state)
{
	struct told told = {0};
	struct search_options o = {.fitness = SEARCH_INCONSISTENCY, .cases = 20, .failure = note, .arg = &told};
	struct search_result r = search("lenet5", "reference,reference", &o, 0);

	(void)state;
	for (int i = 0; i < SEARCH_LEVELS; i++) {
		assert_true(r.levels[i].cases >= 20);
		assert_int_equal(r.levels[i].inconsistent, 0);
		assert_int_equal(r.levels[i].by_class[SEARCH_BUG], 0);
	}
	assert_int_equal(told.n, 0);
}

/* Numbers grow until float32 overflows, which the reference says is nobody's fault. */
static void nan_is_reached_and_sorted(void **state)
{
	struct told told = {0};
	struct search_options o = {.levels = 1u << SEARCH_BOTH,
				   .fitness = SEARCH_NAN,
				   .cases = 400,
				   .bases = 1,
				   .until = SEARCH_NAN,
				   .failure = note,
				   .arg = &told};
	struct search_result r = search("lenet5", "reference", &o, 0);
	const struct search_counts *c = &r.levels[SEARCH_BOTH];

	(void)state;
	assert_true(c->first_nan > 0);
	assert_true(c->cases < 400);
	assert_int_equal(c->networks, 1);
	assert_int_equal(c->networks_nan, 1);
	assert_true(c->by_class[SEARCH_PRECISION] > 0);
	assert_int_equal(c->by_class[SEARCH_BUG], 0);
	assert_int_equal(told.n, 0);
}

struct sources {
	size_t n, single; /* failures; those of a single edit */
};

static int note_smallest(const struct search_failure *f, void *arg, struct err *e)
{
	static const struct judge_options judge = {0};
	struct sources *s = arg;
	char said[SEARCH_SAID];
	int rc = search_smallest(f, &judge, 60, said, e);

	if (!rc) {
		s->n++;
		s->single += !strchr(said, ';');
		assert_true(strstr(said, "alpha=") || strstr(said, "beta="));
		assert_true(strlen(said) <= strlen(f->edits));
	}
	return rc;
}

/* Of all the edits, only those of Gemm lead to a fault that ignores its factors. */
static void failures_come_down_to_their_edits(void **state)
{
	struct sources s = {0};
	struct search_options o = {.levels = 1u << SEARCH_NETWORK, .cases = 150, .failure = note_smallest, .arg = &s};

	(void)state;
	search("lenet5", "reference,fault:gemm_alpha_ignored", &o, 0);
	assert_true(s.n > 3);
	assert_int_equal(s.single, s.n);
}

static void jobs_do_not_matter(void **state)
{
	struct told a = {0}, b = {0};
	struct search_options o = {
		.fitness = SEARCH_INCONSISTENCY | SEARCH_NAN, .cases = 25, .seed = 9, .failure = note, .arg = &a};
	struct search_result one = search("gru", "reference,fault:relu6", &o, 1), all;

	(void)state;
	o.arg = &b;
	all = search("gru", "reference,fault:relu6", &o, 0);
	assert_int_equal(a.n, b.n);
	for (int i = 0; i < SEARCH_LEVELS; i++) {
		one.levels[i].seconds = all.levels[i].seconds = 0;
		assert_memory_equal(&one.levels[i], &all.levels[i], sizeof one.levels[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_of_the_paper),
		cmocka_unit_test(files_that_are_wrong),
		cmocka_unit_test(variants_are_valid_or_refused),
		cmocka_unit_test(genes_mean_the_same_anywhere),
		cmocka_unit_test(networks_without_elements_are_no_networks),
		cmocka_unit_test(replaced_layers_have_no_foreign_parameters),
		cmocka_unit_test(the_layer_before_the_decision),
		cmocka_unit_test(crossover_takes_from_both),
		cmocka_unit_test(noise_has_the_scale_that_is_wanted),
		cmocka_unit_test(children_between_their_parents),
		cmocka_unit_test(words_stay_words),
		cmocka_unit_test(names_the_faulty_backend),
		cmocka_unit_test(what_an_invalid_case_does_is_not_the_next_ones_fault),
		cmocka_unit_test(what_two_libraries_do_is_a_difference),
		cmocka_unit_test(right_backends_have_no_bugs),
		cmocka_unit_test(nan_is_reached_and_sorted),
		cmocka_unit_test(failures_come_down_to_their_edits),
		cmocka_unit_test(jobs_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
