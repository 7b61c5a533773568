/* test_blame.c - faults planted in networks: the guilty node comes first, with its parameter, and swapping it makes the
 * difference go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "blame/internal.h"
#include "support/networks.h"
#include "support/questions.h"
#include "support/trials.h"

#define CHAIN 40

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
		struct question q = {.t = questions_network()};

		question_ask(&q, planted[i].backend, NULL, 0);
		question_assert_first(&q, planted[i].node);
		assert_string_equal(q.b.at[0].parameter, planted[i].parameter);
		assert_int_equal(q.b.at[0].effect, SWAP_GOES);
		assert_true(q.b.at[0].noise_ratio > JUDGE_LIMIT);
		assert_true(q.b.n < 2 || q.b.at[1].score < q.b.at[0].score - 1);
		assert_true(q.b.seconds > 0);
		question_end(&q);
	}
}

/* One node of a network of one; its parameters, and those alone, without which the failure goes. */
static void assert_parameters(const char *line, const char *backend, const char *wanted)
{
	struct question q = {.t = trials_line(line, 3)};

	question_ask(&q, backend, "isolated", 0);
	assert_string_equal(q.b.at[0].parameter, wanted);
	question_end(&q);
}

static void test_parameters(void **state)
{
	(void)state;
	/* P is right, and not in the way */
	assert_parameters("LSTM-14 f32[3,2,4] f32[1,20,4] f32[1,20,5] f32[1,40] - f32[1,2,5] f32[1,2,5] f32[1,15] "
			  "hidden_size=5",
			  "fault:initial_state_ignored", "initial_h");
	/* differences of 1e-8: every change leaves less than Audee's t2, and none is a cure */
	assert_parameters("Conv-11 f32[1,2,5,5]@-1e-8:1e-8 f32[2,2,3,3] pads=[1,1,1,1] strides=[2,2]",
			  "fault:kernel_mirrored", "");
	assert_parameters("Gemm-13 f32[3,4] f32[4,2] f32[2] alpha=0.5", "fault:gemm_alpha_ignored", "alpha");
	/* both are ignored: neither alone is a cure */
	assert_parameters("Gemm-13 f32[3,4] f32[4,2] f32[2] alpha=0.5 beta=0.25", "fault:gemm_alpha_ignored", "");
}

/* Every convolution is wrong: each is found alone, and only all of them together explain the difference. */
static void test_several(void **state)
{
	struct question q = {.t = questions_network()};
	json_t *swapped;

	(void)state;
	question_ask(&q, "fault:kernel_mirrored", "isolated,swap", 0);
	assert_int_equal(q.b.n, 4);
	for (size_t i = 0; i < q.b.n; i++) {
		assert_string_equal(q.b.at[i].node->op_type, "Conv");
		assert_int_equal(q.b.at[i].effect, SWAP_GOES);
	}
	swapped = question_said(&q, "swap", "swapped");
	assert_int_equal(json_array_size(swapped), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(swapped, 0), "difference")), "gone");
	json_decref(swapped);
	question_end(&q);
}

/* Two outputs, and only what makes the wrong one is accused. */
static void test_right_outputs_accuse_nobody(void **state)
{
	struct model *m = net_begin((int64_t[]){2, 3}, 2);
	struct question q = {0};
	struct err e = ERR_INIT;
	struct blame_request r;

	(void)state;
	net_add(m->graph, "Sigmoid", "x", "right");
	net_add(m->graph, "Tanh", "x", "t");
	net_add(m->graph, "Sigmoid", "t", "wrong");
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, "right"), &e), 0);
	q.t = net_finish(m, "wrong", net_random(1, 2, (int64_t[]){2, 3}, -1, 1));
	question_ask(&q, "fault:sigmoid_hard", "isolated", 0);
	assert_int_equal(q.b.n, 2);
	blame_release(&q.b);
	q.o.judged[0].verdict = VERDICT_ROUNDING; /* as doubt may find */
	r = (struct blame_request){.trial = &q.t, .accused = &q.p, .outcome = &q.o, .blamers = "isolated"};
	assert_int_equal(blame_run(&r, &q.b, &e), 0);
	assert_int_equal(q.b.n, 1);
	question_assert_first(&q, "wrong");
	question_end(&q);
}

/* A swap must be able to say no: the map's first three are not all guilty, and a right node changes nothing. */
static void test_swap_refutes(void **state)
{
	struct question q = {.t = questions_network()};
	int gone = 0, stays = 0;

	(void)state;
	question_ask(&q, "fault:mean_off_by_one", "map,swap", 0);
	question_assert_first(&q, "mean_of");
	for (size_t i = 0; i < q.b.n; i++) {
		gone += q.b.at[i].effect == SWAP_GOES;
		stays += q.b.at[i].effect == SWAP_STAYS;
		assert_true(q.b.at[i].effect != SWAP_GOES || !strcmp(q.b.at[i].node->name, "mean_of"));
	}
	assert_int_equal(gone, 1);
	question_end(&q);
	q = (struct question){.t = questions_network()};
	question_ask(&q, "fault:kernel_mirrored", "map,swap", 0); /* four are: one alone never does it */
	for (size_t i = 0; i < q.b.n; i++)
		stays += q.b.at[i].effect == SWAP_STAYS;
	assert_int_equal(stays, 3);
	question_end(&q);
}

/* Audee, Algorithm 2: the layer, then the parameter at whose default the difference goes. */
static void test_causal(void **state)
{
	struct question q = {.t = questions_network()};
	json_t *layers;

	(void)state;
	question_ask(&q, "fault:elu_alpha_ignored", "causal", 0);
	question_assert_first(&q, "elu");
	assert_string_equal(q.b.at[0].parameter, "alpha");
	layers = question_said(&q, "causal", "layers");
	assert_int_equal(json_array_size(layers), 1); /* once it is fixed no other layer stands out */
	json_decref(layers);
	question_end(&q);
}

/* All outputs behind the wrong node are off, and one is off by much more than it; the node is told from those that pass
 * it on.  A library that is right hides nothing. */
static void test_exposed(void **state)
{
	struct model *m = net_begin((int64_t[]){2, 4}, 2);
	struct question q = {0};
	struct blaming b;
	struct exposure x;
	struct err e = ERR_INIT;

	(void)state;
	NET_WEIGHTS(m->graph, "w", 1e3, 2e3, 4, 4);
	net_add(m->graph, "Tanh", "x", "before");
	net_add(m->graph, "Elu", "before", "elu");
	assert_int_equal(node_set_float(m->graph->nodes.at[1], "alpha", 0.5f, &e), 0);
	net_add(m->graph, "MatMul", "elu w", "large");
	net_add(m->graph, "Sign", "large", "y");
	q.t = net_finish(m, "y", net_random(1, 2, (int64_t[]){2, 4}, -1, 0.5));
	question_ask(&q, "fault:elu_alpha_ignored", "isolated", 0);
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .outcome = &q.o};
	struct blame found = {0};
	assert_int_equal(blaming_begin(&b, &r, &found, &e), 0);
	assert_int_equal(blame_expose(&b, &q.t, &x, &e), 0);
	assert_int_equal(x.index, 1);
	assert_false(x.hides);
	party_close(&q.p);
	assert_int_equal(party_open(&q.p, "reference", NULL, &e), 0);
	assert_int_equal(blame_expose(&b, &q.t, &x, &e), 0);
	assert_int_equal(x.index, -1);
	assert_true(x.hides);
	blaming_end(&b);
	blame_release(&found);
	question_end(&q);
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
	question_ask(&q, "fault:crash_large_kernel", NULL, 0);
	assert_int_equal(q.o.verdict, VERDICT_CRASH);
	question_assert_first(&q, "conv3");
	assert_int_equal(q.b.n, 1);
	question_end(&q);
}

static void test_hang(void **state)
{
	struct question q = {.t = large_windows()};

	(void)state;
	question_ask(&q, "fault:hang_large_stride", NULL, 1);
	assert_int_equal(q.o.verdict, VERDICT_HANG);
	question_assert_first(&q, "pool");
	assert_int_equal(q.b.n, 1);
	assert_string_equal(q.b.at[0].parameter, "strides"); /* at the default stride it comes back */
	question_end(&q);
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
	question_ask(&q, "fault:softmax_overflow", NULL, 0);
	assert_int_equal(q.o.verdict, VERDICT_NAN);
	question_assert_first(&q, "soft");
	maker = question_said(&q, "map", "makes_nonfinite");
	assert_string_equal(json_string_value(maker), "soft");
	json_decref(maker);
	question_end(&q);
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
	question_assert_first(&q, "soft");
	assert_int_equal(q.b.n, 1);
	question_end(&q);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void test_json(void **state)
{
	static const char *const keys[] = {"backend", "node", "op", "rank", "rate", "noise_ratio"};
	struct question q = {.t = questions_network()};
	json_t *list;

	(void)state;
	question_ask(&q, "fault:concat_order", NULL, 0);
	list = blame_to_json(&q.b, "fault:concat_order");
	assert_int_equal(json_array_size(list), q.b.n);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_non_null(json_object_get(json_array_get(list, 0), keys[i]));
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "node")), "cat");
	json_decref(list);
	question_end(&q);
}

static void test_refusals(void **state)
{
	struct question q = {.t = questions_network()};
	struct err e = ERR_INIT;

	(void)state;
	question_ask(&q, "fault:concat_order", "map", 0);
	struct blame_request r = {.trial = &q.t, .accused = &q.p, .outcome = &q.o, .blamers = "map,guess"};
	struct blame none = {0};
	assert_int_equal(blame_run(&r, &none, &e), ERR_USAGE);
	assert_string_equal(e.msg, "no blamer 'guess'");
	q.o.verdict = VERDICT_AGREE;
	assert_int_equal(blame_run(&r, &none, &e), ERR_INPUT);
	question_end(&q);
}

/* A chain of constants is computed in each part of it, and so is each part of a part: the search must end all the same.
 */
static void test_chain_of_constants(void **state)
{
	struct model *m = net_begin((int64_t[]){2}, 1);
	struct graph *g = m->graph;
	static char names[CHAIN][16];
	const char *from = "w";
	char inputs[32];
	struct question q = {0};

	(void)state;
	NET_WEIGHTS(g, "w", 1, 2, 2);
	for (int i = 0; i < CHAIN; i++) {
		snprintf(names[i], sizeof names[i], "c%d", i);
		net_add(g, "Neg", from, names[i]);
		from = names[i];
	}
	snprintf(inputs, sizeof inputs, "x %s", from);
	net_add(g, "Add", inputs, "sum");
	q.t = net_finish(m, "sum", net_random(1, 1, (int64_t[]){2}, 0.5, 1.5));
	question_ask(&q, "exec:python3 tests/support/crowd_worker.py", "isolated", 0);
	assert_non_null(strstr(q.b.evidence, "only_together"));
	question_end(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_exposed),
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_swap_refutes),
		cmocka_unit_test(test_causal),
		cmocka_unit_test(test_crash),
		cmocka_unit_test(test_hang),
		cmocka_unit_test(test_nan),
		cmocka_unit_test(test_gradient),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_right_outputs_accuse_nobody),
		cmocka_unit_test(test_chain_of_constants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
