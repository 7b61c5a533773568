/* test_search_network.c - layers of the search's file, and the networks that its edits make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "methods/search/internal.h"
#include "support/seeds.h"

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void layers_of_the_paper(void **state)
{
	struct layers *l = seeds_layers();

	(void)state;
	assert_int_equal(l->n, 27);
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
	       "'x' is not a whole number");
	refuse("layers:\n  - {layer: A, operator: Conv, parameters: [{name: group, type: whole, values: [1]}]}\n",
	       "type");
	refuse("layers:\n  - {layer: A, operator: Clip, parameters: [{name: max, type: number, values: [6]}]}\n",
	       "'input' is 1 or more");
	refuse("layers:\n  - {layer: A, operator: Clip, parameters: [{name: x, type: number, input: 99, values: "
	       "[6]}]}\n",
	       "there is no such input");
	refuse("layers:\n  - {layer: A, operator: Conv, parameters: [{name: b, type: optional, input: 2, values: [1]}]}"
	       "\n",
	       "'1' is not yes or no");
	refuse("layers:\n  - {layer: A, operator: Conv, then: B}\n", "there is no layer 'B' to follow it");
	refuse("layers: [\n", "cannot read");
}

/* ---- networks ---------------------------------------------------------------------------------------------------- */

/* Every variant is valid, or invalid on purpose and then refused by the reference. */
static void variants_of(const char *name, size_t n)
{
	struct trial seed = seeds_network(name, 1);
	struct layers *l = seeds_layers();
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
	struct trial seed = seeds_network("lenet5", 1);
	struct layers *l = seeds_layers();
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
	struct trial seed = seeds_network("resnet20", 1);
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
	struct trial seed = seeds_network("lenet5", 1);
	struct layers *l = seeds_layers();
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

/* The first network of one edit that says so. */
static struct model *find_network(const struct trial *seed, const struct layers *l, const char *said_part)
{
	for (uint64_t i = 0; i < 3000; i++) {
		char said[SEARCH_SAID];
		struct model *m = make_network(seed, l, gene(i), 0, said);

		if (strstr(said, said_part))
			return m;
		model_free(m);
	}
	fail_msg("no edit says '%s'", said_part);
	return NULL;
}

static const struct node *find_node(const struct model *m, const char *op, const char *name)
{
	for (size_t i = 0; i < m->graph->nodes.n; i++) {
		const struct node *n = m->graph->nodes.at[i];

		if (!strcmp(n->op_type, op) && (!name || (n->out[0] && !strncmp(n->out[0]->name, name, strlen(name)))))
			return n;
	}
	fail_msg("there is no %s %s", op, name ? name : "");
	return NULL;
}

static int64_t weight_size(const struct node *n, int i, int axis)
{
	return i < n->n_in && n->in[i] && n->in[i]->init ? n->in[i]->init->dims[axis] : -1;
}

/* Layers that no seed has are put in, with weights that fit; each is valid, or network_make() would have failed. */
static void layers_that_seeds_lack_are_added(void **state)
{
	struct trial lenet5 = seeds_network("lenet5", 1), gru = seeds_network("gru", 1);
	struct layers *l = seeds_layers();
	struct model *m = find_network(&lenet5, l, "SeparableConv2D added");
	const struct node *n = find_node(m, "Conv", "SeparableConv2D");

	(void)state;
	assert_int_equal(weight_size(n, 1, 0), node_int(n, "group", 1)); /* one filter a channel … */
	assert_int_equal(weight_size(n, 1, 1), 1);
	n = find_node(m, "Conv", "Conv2D_");
	assert_ptr_equal(n->in[0], find_node(m, "Conv", "SeparableConv2D")->out[0]); /* … then one by one pixel */
	assert_int_equal(weight_size(n, 1, 2), 1);
	model_free(m);
	m = find_network(&lenet5, l, "BatchNormalization added");
	for (int i = 1; i <= 4; i++)
		assert_true(weight_size(find_node(m, "BatchNormalization", NULL), i, 0) > 0);
	model_free(m);
	m = find_network(&lenet5, l, "Conv2DTranspose added");
	assert_int_equal(weight_size(find_node(m, "ConvTranspose", NULL), 1, 2), 1);
	model_free(m);
	m = find_network(&gru, l, "Conv1D added");
	assert_int_equal(find_node(m, "Conv", NULL)->in[0]->type.rank, 3);
	model_free(m);
	for (int k = 0; k < 2; k++) {
		m = find_network(&lenet5, l, k ? "becomes ReLU6" : "ReLU6 added");
		n = find_node(m, "Clip", NULL);
		assert_int_equal(n->n_in, 3);
		assert_float_equal(tensor_get(n->in[1]->init, 0), 0, 0);
		assert_float_equal(tensor_get(n->in[2]->init, 0), 6, 0);
		model_free(m);
	}
	layers_free(l);
	trial_release(&lenet5);
	trial_release(&gru);
}

static void bias_and_directions_change(void **state)
{
	struct trial lenet5 = seeds_network("lenet5", 1), gru = seeds_network("gru", 1);
	struct layers *l = seeds_layers();
	struct model *m = find_network(&lenet5, l, "Conv 'conv1': use_bias=no");
	const struct node *n;

	(void)state;
	assert_int_equal(m->graph->nodes.at[0]->n_in, 2);
	model_free(m);
	m = find_network(&gru, l, "direction=bidirectional");
	n = find_node(m, "GRU", NULL);
	for (int i = 1; i <= 3; i++)
		assert_int_equal(weight_size(n, i, 0), 2);
	n = find_node(m, "ReduceSum", NULL); /* of what was squeezed */
	assert_int_equal(node_int(n, "keepdims", 1), 0);
	model_free(m);
	layers_free(l);
	trial_release(&lenet5);
	trial_release(&gru);
}

/* What decides is looked at before it is squeezed, whatever squeezes it. */
static void the_layer_before_the_decision(void **state)
{
	struct trial seed = seeds_network("lenet5", 1);
	struct graph *g = seed.model->graph;
	struct err e = ERR_INIT;
	int exposed;

	(void)state;
	g->outputs.at[0]->producer->op_type = arena_strdup(&seed.model->arena, "Sigmoid");
	assert_int_equal(search_expose_logits(seed.model, &exposed, &e), 0);
	assert_true(exposed);
	assert_int_equal(g->outputs.n, 2);
	assert_string_equal(g->outputs.at[1]->producer->op_type, "Gemm");
	assert_int_equal(search_expose_logits(seed.model, &exposed, &e), 0);
	assert_true(exposed); /* it is there, as in a variant that was saved */
	assert_int_equal(g->outputs.n, 2);
	trial_release(&seed);
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
		cmocka_unit_test(layers_that_seeds_lack_are_added),
		cmocka_unit_test(bias_and_directions_change),
		cmocka_unit_test(the_layer_before_the_decision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
