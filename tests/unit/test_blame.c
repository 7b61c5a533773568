/* test_blame.c - the arithmetic of the localization map by hand; faults planted in a network: the guilty node comes
 * first, with its parameter, and swapping it makes the difference go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "blame/internal.h"
#include "support/networks.h"

/* ---- networks ---------------------------------------------------------------------------------------------------- */

/* Two branches that meet, 24 nodes: each of the operators that are asked about stands once. */
static struct trial network(void)
{
	static const char *const stages[][3] = {
		{"w1", "conv1", "act1"}, {"w2", "conv2", "act2"}, {"w3", "conv3", "act3"}, {"w4", "conv4", "act4"}};
	static const char *const statistics[] = {"scale", "shift", "mean", "var"};
	struct model *m = net_begin((int64_t[]){1, 4, 8, 8}, 4);
	struct graph *g = m->graph;
	struct err e = ERR_INIT;
	const char *from = "x";
	char inputs[64];

	for (size_t i = 0; i < 4; i++) {
		NET_WEIGHTS(g, stages[i][0], -0.5, 0.5, 4, 4, 3, 3);
		snprintf(inputs, sizeof inputs, "%s %s", from, stages[i][0]);
		net_ints(net_add(g, "Conv", inputs, stages[i][1]), "pads", (int64_t[]){1, 1, 1, 1}, 4);
		net_add(g, "Tanh", stages[i][1], stages[i][2]);
		from = stages[i][2];
	}
	for (size_t i = 0; i < 4; i++)
		NET_WEIGHTS(g, statistics[i], 0.5, 1.5, 4);
	net_add(g, "BatchNormalization", "act4 scale shift mean var", "bn");
	assert_int_equal(node_set_float(net_add(g, "Elu", "bn", "elu"), "alpha", 2, &e), 0);
	net_add(g, "Sigmoid", "act2", "gate");
	assert_int_equal(node_set_int(net_add(g, "Concat", "elu gate", "cat"), "axis", 1, &e), 0);
	net_ints(net_add(g, "AveragePool", "cat", "pool"), "kernel_shape", (int64_t[]){3, 3}, 2);
	net_add(g, "Shape", "pool", "dims");
	net_add(g, "Reshape", "pool dims", "same");
	net_add(g, "Relu", "same", "relu");
	net_add(g, "GlobalAveragePool", "relu", "mean_of");
	assert_int_equal(node_set_int(net_add(g, "Flatten", "mean_of", "flat"), "axis", 1, &e), 0);
	NET_WEIGHTS(g, "w5", -1, 1, 8, 5);
	net_add(g, "MatMul", "flat w5", "scores");
	net_add(g, "Softmax", "scores", "y");
	return net_finish(m, "y", net_random(1, 4, (int64_t[]){1, 4, 8, 8}, -1, 1));
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

struct question {
	struct trial t;
	struct party p;
	struct outcome o;
	struct blame b;
};

static void ask(struct question *q, const char *backend, const char *blamers, double seconds)
{
	struct worker_limits limits = {.run_seconds = seconds};
	struct err e = ERR_INIT;

	if (party_open(&q->p, backend, &limits, &e))
		fail_msg("%s: %s", backend, e.msg);
	if (trial_judge(&q->t, &q->p, NULL, &q->o, &e))
		fail_msg("%s: %s", backend, e.msg);
	if (!verdict_is_finding(q->o.verdict))
		fail_msg("%s: %s", backend, verdict_name(q->o.verdict));
	struct blame_request r = {.trial = &q->t, .accused = &q->p, .outcome = &q->o, .blamers = blamers};
	if (blame_run(&r, &q->b, &e))
		fail_msg("%s: %s", backend, e.msg);
}

static void end(struct question *q)
{
	blame_release(&q->b);
	outcome_release(&q->o);
	party_close(&q->p);
	trial_release(&q->t);
}

static void assert_first(const struct question *q, const char *node)
{
	if (!q->b.n || strcmp(q->b.at[0].node->name, node) != 0)
		fail_msg("first is '%s', wanted '%s': %s", q->b.n ? q->b.at[0].node->name : "nobody", node,
			 q->b.evidence);
	assert_int_equal(q->b.at[0].rank, 1);
}

/* What blamer `who` said under `key`; the caller drops the reference. */
static json_t *said(const struct question *q, const char *who, const char *key)
{
	json_t *all = json_loads(q->b.evidence, 0, NULL), *found;

	assert_non_null(all);
	found = json_incref(json_object_get(json_object_get(all, who), key));
	json_decref(all);
	return found;
}

/* ---- the map ----------------------------------------------------------------------------------------------------- */

/* a = f(x), b = g(a), c = h(a, b), d = k(c):  rates by hand from equation 6. */
static struct model *four_nodes(struct blame_map_entry entries[4])
{
	struct model *m = net_begin((int64_t[]){2}, 1);

	net_add(m->graph, "Relu", "x", "a");
	net_add(m->graph, "Tanh", "a", "b");
	net_add(m->graph, "Add", "a b", "c");
	net_add(m->graph, "Relu", "c", "d");
	for (int i = 0; i < 4; i++)
		entries[i] = (struct blame_map_entry){.node = m->graph->nodes.at[i]};
	return m;
}

static void assert_close(double x, double wanted)
{
	if (!(fabs(x - wanted) <= 1e-9 * fabs(wanted)))
		fail_msg("%.17g, wanted %.17g", x, wanted);
}

static void test_rates(void **state)
{
	struct blame_map_entry entries[4];
	struct blame_map map = {.at = entries, .n = 4};
	struct model *m = four_nodes(entries);
	struct err e = ERR_INIT;

	(void)state;
	entries[0].delta = 1e-6;
	entries[1].delta = 3e-6;
	entries[2].delta = 1e-3;
	entries[3].delta = 2e-3;
	assert_int_equal(blame_map_rates(&map, &e), 0);
	assert_close(entries[0].rate, 10);                                    /* (1e-6 - 0) / 1e-7 */
	assert_close(entries[1].rate, 2e-6 / 1.1e-6);                         /* δ_pre 1e-6 */
	assert_close(entries[2].rate, 997e-6 / 3.1e-6);                       /* δ_pre the larger of 1e-6 and 3e-6 */
	assert_close(entries[3].rate, 1e-3 / 1.0001e-3);                      /* it doubles what it gets: no news */
	assert_close(map.third_quartile, 10 + 0.25 * (997e-6 / 3.1e-6 - 10)); /* a quarter between the two largest */
	for (int i = 0; i < 4; i++)
		assert_int_equal(entries[i].above, i == 2);
	model_free(m);
}

/* Who makes infinity out of numbers stands out; who passes it on does not; constants have no rate. */
static void test_rates_not_finite(void **state)
{
	struct blame_map_entry entries[4];
	struct blame_map map = {.at = entries, .n = 4};
	struct model *m = four_nodes(entries);
	struct err e = ERR_INIT;

	(void)state;
	entries[0].rate = (double)NAN;
	entries[1].delta = 1e-7;
	entries[2].delta = entries[3].delta = (double)INFINITY;
	assert_int_equal(blame_map_rates(&map, &e), 0);
	assert_true(isnan(entries[0].rate) && !entries[0].above);
	assert_close(entries[1].rate, 1);
	assert_true(isinf(entries[2].rate) && entries[2].above);
	assert_true(entries[3].rate == 0 && !entries[3].above);
	model_free(m);
}

static void test_map(void **state)
{
	struct question q = {.t = network()};
	struct blame_map map = {0};
	struct err e = ERR_INIT;

	(void)state;
	ask(&q, "fault:elu_alpha_ignored", "map", 0);
	assert_first(&q, "elu");
	assert_false(q.b.exposing_hides);
	assert_true(q.b.at[0].rate > 1e3 && q.b.at[0].delta > 1e-3 && isnan(q.b.at[0].noise_ratio));
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .outcome = &q.o};
	assert_int_equal(blame_map_make(&r, &map, &e), 0);
	assert_int_equal(map.n, q.t.model->graph->nodes.n);
	for (size_t i = 0; i < map.n; i++) { /* nothing but rounding before the fault, much more behind it */
		const struct node *n = map.at[i].node;

		assert_int_equal(n->index, i);
		if (!strcmp(n->name, "elu") || !strcmp(n->name, "relu"))
			assert_true(map.at[i].noise_ratio > JUDGE_LIMIT);
		if (!strcmp(n->name, "bn") || !strcmp(n->name, "gate"))
			assert_true(map.at[i].noise_ratio <= JUDGE_LIMIT);
	}
	blame_map_release(&map);
	end(&q);
}

/* Two libraries, as in the paper: the map is of the difference between them, whoever is right. */
static void test_map_of_two(void **state)
{
	struct question q = {.t = network()};
	struct party other;
	struct blame_map map = {0};
	struct err e = ERR_INIT;

	(void)state;
	ask(&q, "fault:elu_alpha_ignored", "map", 0);
	assert_int_equal(party_open(&other, "fault:elu_alpha_ignored", NULL, &e), 0);
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .other = &other, .outcome = &q.o};
	assert_int_equal(blame_map_make(&r, &map, &e), 0);
	for (size_t i = 0; i < map.n; i++) /* both have the same fault: nothing to see but for the reference */
		assert_true(map.at[i].delta == 0 && !map.at[i].above);
	assert_true(map.at[graph_wire(q.t.model->graph, "elu")->producer->index].noise_ratio > JUDGE_LIMIT);
	blame_map_release(&map);
	party_close(&other);
	assert_int_equal(party_open(&other, "fault:sigmoid_hard", NULL, &e), 0);
	assert_int_equal(blame_map_make(&r, &map, &e), 0);
	assert_true(map.at[graph_wire(q.t.model->graph, "elu")->producer->index].above);
	assert_true(map.at[graph_wire(q.t.model->graph, "gate")->producer->index].above);
	blame_map_release(&map);
	party_close(&other);
	end(&q);
}

/* ---- planted faults ---------------------------------------------------------------------------------------------- */

static void test_planted(void **state)
{
	static const struct {
		const char *backend, *node, *parameter;
	} planted[] = {
		{"fault:bn_scale_fixed", "bn", ""},          {"fault:bn_no_sqrt", "bn", ""},
		{"fault:elu_alpha_ignored", "elu", "alpha"}, {"fault:sigmoid_hard", "gate", ""},
		{"fault:concat_order", "cat", ""},           {"fault:mean_off_by_one", "mean_of", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
		struct question q = {.t = network()};

		ask(&q, planted[i].backend, NULL, 0);
		assert_first(&q, planted[i].node);
		assert_string_equal(q.b.at[0].parameter, planted[i].parameter);
		assert_int_equal(q.b.at[0].verified, 1);
		assert_true(q.b.at[0].noise_ratio > JUDGE_LIMIT);
		assert_true(q.b.n < 2 || q.b.at[1].score < q.b.at[0].score - 1);
		assert_true(q.b.seconds > 0);
		end(&q);
	}
}

/* Every convolution is wrong: each is found alone, and only all of them together explain the difference. */
static void test_several(void **state)
{
	struct question q = {.t = network()};
	json_t *swapped;

	(void)state;
	ask(&q, "fault:kernel_mirrored", "isolated,swap", 0);
	assert_int_equal(q.b.n, 4);
	for (size_t i = 0; i < q.b.n; i++) {
		assert_string_equal(q.b.at[i].node->op_type, "Conv");
		assert_int_equal(q.b.at[i].verified, 1);
	}
	swapped = said(&q, "swap", "swapped");
	assert_int_equal(json_array_size(swapped), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(swapped, 0), "difference")), "gone");
	json_decref(swapped);
	end(&q);
}

/* A swap must be able to say no: the map's first three are not all guilty, and a right node changes nothing. */
static void test_swap_refutes(void **state)
{
	struct question q = {.t = network()};
	int gone = 0, stays = 0;

	(void)state;
	ask(&q, "fault:mean_off_by_one", "map,swap", 0);
	assert_first(&q, "mean_of");
	for (size_t i = 0; i < q.b.n; i++) {
		gone += q.b.at[i].verified == 1;
		stays += q.b.at[i].verified == 0;
		assert_true(q.b.at[i].verified != 1 || !strcmp(q.b.at[i].node->name, "mean_of"));
	}
	assert_int_equal(gone, 1);
	end(&q);
	q = (struct question){.t = network()};
	ask(&q, "fault:kernel_mirrored", "map,swap", 0); /* four are: one alone never does it */
	for (size_t i = 0; i < q.b.n; i++)
		stays += q.b.at[i].verified == 0;
	assert_int_equal(stays, 3);
	end(&q);
}

/* Audee, Algorithm 2: the layer, then the parameter at whose default the difference goes. */
static void test_causal(void **state)
{
	struct question q = {.t = network()};
	json_t *layers;

	(void)state;
	ask(&q, "fault:elu_alpha_ignored", "causal", 0);
	assert_first(&q, "elu");
	assert_string_equal(q.b.at[0].parameter, "alpha");
	layers = said(&q, "causal", "layers");
	assert_int_equal(json_array_size(layers), 1); /* once it is fixed no other layer stands out */
	json_decref(layers);
	end(&q);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* The third convolution has a kernel larger than its input; the last pool a stride larger than its own. */
static struct trial large_windows(void)
{
	struct model *m = net_begin((int64_t[]){1, 2, 4, 4}, 4);
	struct graph *g = m->graph;
	struct node *pool;

	NET_WEIGHTS(g, "w", -1, 1, 2, 2, 1, 1);
	NET_WEIGHTS(g, "wide", -1, 1, 2, 2, 5, 5);
	net_add(g, "Conv", "x w", "conv1");
	net_add(g, "Relu", "conv1", "relu1");
	net_add(g, "Conv", "relu1 w", "conv2");
	net_ints(net_add(g, "Conv", "conv2 wide", "conv3"), "pads", (int64_t[]){2, 2, 2, 2}, 4);
	net_add(g, "Relu", "conv3", "relu2");
	pool = net_add(g, "MaxPool", "relu2", "pool");
	net_ints(pool, "kernel_shape", (int64_t[]){2, 2}, 2);
	net_ints(pool, "strides", (int64_t[]){5, 5}, 2);
	net_add(g, "Tanh", "pool", "y");
	return net_finish(m, "y", net_random(1, 4, (int64_t[]){1, 2, 4, 4}, -1, 1));
}

static void test_crash(void **state)
{
	struct question q = {.t = large_windows()};

	(void)state;
	ask(&q, "fault:crash_large_kernel", NULL, 0);
	assert_int_equal(q.o.verdict, VERDICT_CRASH);
	assert_first(&q, "conv3");
	assert_int_equal(q.b.n, 1);
	end(&q);
}

static void test_hang(void **state)
{
	struct question q = {.t = large_windows()};

	(void)state;
	ask(&q, "fault:hang_large_stride", NULL, 1);
	assert_int_equal(q.o.verdict, VERDICT_HANG);
	assert_first(&q, "pool");
	assert_int_equal(q.b.n, 1);
	assert_string_equal(q.b.at[0].parameter, "strides"); /* at the default stride it comes back */
	end(&q);
}

/* Softmax overflows: the node that makes NaN of numbers is first, not those that pass it on. */
static void test_nan(void **state)
{
	struct model *m = net_begin((int64_t[]){2, 4}, 2);
	struct question q;
	json_t *maker;

	(void)state;
	NET_WEIGHTS(m->graph, "w", 100, 200, 4, 4);
	net_add(m->graph, "MatMul", "x w", "big");
	net_add(m->graph, "Softmax", "big", "soft");
	net_add(m->graph, "Add", "soft x", "sum");
	net_add(m->graph, "Tanh", "sum", "y");
	q = (struct question){.t = net_finish(m, "y", net_random(1, 2, (int64_t[]){2, 4}, 1, 3))};
	ask(&q, "fault:softmax_overflow", NULL, 0);
	assert_int_equal(q.o.verdict, VERDICT_NAN);
	assert_first(&q, "soft");
	maker = said(&q, "map", "makes_nonfinite");
	assert_string_equal(json_string_value(maker), "soft");
	json_decref(maker);
	end(&q);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

/* The forward run is right; each node backward on the reference's own gradients tells which one is not. */
static void test_gradient(void **state)
{
	struct model *m = net_begin((int64_t[]){2, 4}, 2);
	struct graph *g = m->graph;
	struct question q = {0};
	struct err e = ERR_INIT;

	(void)state;
	NET_WEIGHTS(g, "w1", -1, 1, 4, 6);
	NET_WEIGHTS(g, "w2", -1, 1, 6, 3);
	net_add(g, "MatMul", "x w1", "scores");
	net_add(g, "Softmax", "scores", "soft");
	net_add(g, "MatMul", "soft w2", "mixed");
	net_add(g, "Tanh", "mixed", "y");
	q.t = net_finish(m, "y", net_random(1, 2, (int64_t[]){2, 4}, -1, 1));
	if (party_open(&q.p, "fault:softmax_grad_diagonal", NULL, &e) ||
	    trial_judge_gradients(&q.t, &q.p, NULL, &q.o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(q.o.verdict, VERDICT_WRONG);
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .outcome = &q.o, .gradient = 1};
	if (blame_run(&r, &q.b, &e))
		fail_msg("%s", e.msg);
	assert_first(&q, "soft");
	assert_int_equal(q.b.n, 1);
	end(&q);
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

static int has(struct wire *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i]->name, name))
			return 1;
	return 0;
}

/* Reshape alone: its data is an input, its shape (which depends on shapes alone) an initializer. */
static void test_cut_shapes(void **state)
{
	struct trial t = network(), part = {0};
	struct node *reshape = graph_wire(t.model->graph, "same")->producer;
	struct err e = ERR_INIT;
	unsigned char *kinds;
	int empty;

	(void)state;
	assert_int_equal(trial_truth(&t, &e), 0);
	kinds = cut_kinds(&t, &e);
	assert_non_null(kinds);
	assert_int_equal(kinds[graph_wire(t.model->graph, "dims")->id], WIRE_SHAPE);
	assert_int_equal(kinds[graph_wire(t.model->graph, "same")->id], WIRE_DATA);
	assert_int_equal(kinds[graph_wire(t.model->graph, "w1")->id], WIRE_CONSTANT);
	if (cut_once(&t, kinds, &(struct cut_nodes){.at = &reshape, .n = 1, .values = 1}, &part, &empty, &e))
		fail_msg("%s", e.msg);
	assert_false(empty);
	assert_int_equal(part.model->graph->inputs.n, 1);
	assert_string_equal(part.model->graph->inputs.at[0]->name, "pool");
	assert_non_null(graph_wire(part.model->graph, "dims")->init);
	assert_int_equal(trial_truth(&part, &e), 0);
	assert_false(part.invalid);
	trial_release(&part);
	trial_release(&t);
	mem_free(kinds);
}

/* Nodes from the middle of a branch: what others read comes out, what others make goes in, once each. */
static void test_cut_borders(void **state)
{
	struct trial t = network();
	struct graph *g = t.model->graph;
	struct node *nodes[] = {graph_wire(g, "conv2")->producer, graph_wire(g, "act2")->producer,
				graph_wire(g, "conv3")->producer};
	struct err e = ERR_INIT;
	unsigned char *kinds = cut_kinds(&t, &e);
	struct cut c = {0};

	(void)state;
	assert_non_null(kinds);
	assert_int_equal(cut_plan(&t, kinds, nodes, 3, 0, &c, &e), 0);
	assert_int_equal(c.n_from, 1);
	assert_true(has(c.from, c.n_from, "act1"));
	assert_int_equal(c.n_to, 2);
	assert_true(has(c.to, c.n_to, "act2") && has(c.to, c.n_to, "conv3"));
	cut_release(&c);
	trial_release(&t);
	mem_free(kinds);
}

/* A node reads what the graphs inside of it take from outside. */
static void test_cut_captures(void **state)
{
	struct trial t = {0};
	struct model *m = net_begin((int64_t[]){2}, 1);
	struct graph *inner = graph_new(m, m->graph, "inner");
	struct node *choice, *first;
	struct err e = ERR_INIT;
	unsigned char *kinds;
	struct cut c = {0};

	(void)state;
	first = net_add(m->graph, "Relu", "x", "a");
	net_add(m->graph, "Neg", "a", "b");
	assert_int_equal(graph_add_init(m->graph, "yes", tensor_scalar_i(DT_BOOL, 1, &e), NULL, &e), 0);
	net_add(inner, "Abs", "b", "z");
	assert_int_equal(graph_add_output(inner, graph_wire(inner, "z"), &e), 0);
	choice = net_add(m->graph, "If", "yes", "y");
	assert_int_equal(node_set_graph(choice, "then_branch", inner, &e), 0);
	t = net_finish(m, "y", net_random(1, 1, (int64_t[]){2}, -1, 1));
	kinds = cut_kinds(&t, &e);
	assert_non_null(kinds);
	assert_int_equal(kinds[graph_wire(m->graph, "y")->id], WIRE_DATA);
	assert_int_equal(cut_plan(&t, kinds, &choice, 1, 0, &c, &e), 0);
	assert_int_equal(c.n_from, 1);
	assert_string_equal(c.from[0]->name, "b");
	cut_release(&c);
	assert_int_equal(cut_plan(&t, kinds, (struct node *[]){first, m->graph->nodes.at[1]}, 2, 0, &c, &e), 0);
	assert_int_equal(c.n_to, 1);
	assert_string_equal(c.to[0]->name, "b");
	cut_release(&c);
	mem_free(kinds);
	trial_release(&t);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void test_json(void **state)
{
	static const char *const keys[] = {"backend", "node", "op", "rank", "rate", "noise_ratio"};
	struct question q = {.t = network()};
	json_t *list;

	(void)state;
	ask(&q, "fault:concat_order", NULL, 0);
	list = blame_to_json(&q.b, "fault:concat_order");
	assert_int_equal(json_array_size(list), q.b.n);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_non_null(json_object_get(json_array_get(list, 0), keys[i]));
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "node")), "cat");
	json_decref(list);
	end(&q);
}

static void test_refusals(void **state)
{
	struct question q = {.t = network()};
	struct err e = ERR_INIT;

	(void)state;
	ask(&q, "fault:concat_order", "map", 0);
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .outcome = &q.o, .blamers = "map,guess"};
	struct blame none = {0};
	assert_int_equal(blame_run(&r, &none, &e), ERR_USAGE);
	assert_string_equal(e.msg, "no blamer 'guess'");
	q.o.verdict = VERDICT_AGREE;
	assert_int_equal(blame_run(&r, &none, &e), ERR_INPUT);
	end(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),        cmocka_unit_test(test_rates_not_finite),
		cmocka_unit_test(test_map),          cmocka_unit_test(test_map_of_two),
		cmocka_unit_test(test_planted),      cmocka_unit_test(test_several),
		cmocka_unit_test(test_swap_refutes), cmocka_unit_test(test_causal),
		cmocka_unit_test(test_crash),        cmocka_unit_test(test_hang),
		cmocka_unit_test(test_nan),          cmocka_unit_test(test_gradient),
		cmocka_unit_test(test_cut_shapes),   cmocka_unit_test(test_cut_borders),
		cmocka_unit_test(test_cut_captures), cmocka_unit_test(test_json),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
