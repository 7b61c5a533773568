/* test_backend_swap.c - the cases of the paper on meta operators, and gradients of libraries through cuts.
 *
 * - The gradient of einsum in MXNet 1.6.0 is wrong (apache/mxnet#18102), and right in 1.9.1.
 * - A network is cut where TensorFlow has to give a tensor and what depends on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/backend.h"
#include "support/networks.h"
#include "support/swaps.h"

/* Attention without Dropout. */
static struct trial attention(void)
{
	struct model *m = net_begin((int64_t[]){1, 3, 5, 4}, 4);
	struct graph *g = m->graph;
	struct err e = ERR_INIT;

	NET_WEIGHTS(g, "k", -1, 1, 1, 3, 5, 4);
	NET_WEIGHTS(g, "v", -1, 2, 1, 3, 5, 4);
	net_ints(net_add(g, "Transpose", "k", "kt"), "perm", (int64_t[]){0, 1, 3, 2}, 4);
	net_add(g, "MatMul", "x kt", "scores");
	net_add(g, "Softmax", "scores", "p");
	assert_int_equal(node_set_string(net_add(g, "Einsum", "p v", "y"), "equation", "bnij,bnjc->bnic", &e), 0);
	return net_finish(m, "y", net_random(7, 4, (int64_t[]){1, 3, 5, 4}, -1, 1));
}

/* Skips the running test where a backend cannot be opened. */
static int is_there(const char *name)
{
	struct err e = ERR_INIT;
	struct party p;

	if (party_open(&p, name, NULL, &e)) {
		backend_skip(e.msg);
		return 0;
	}
	party_close(&p);
	return 1;
}

static void einsum_of_mxnet(void **state)
{
	struct trial t = attention();
	struct swap_result r;

	(void)state;
	if (!is_there("mxnet@1.6.0") || !is_there("mxnet@1.9.1"))
		return;
	r = swaps_run(&t, "reference", "mxnet@1.6.0");
	assert_string_equal(r.ops[0].node->op_type, "Einsum");
	assert_int_equal(r.ops[0].verdict, VERDICT_WRONG);
	assert_int_equal(r.ops[0].side, SWAP_TEST);
	assert_true(r.ops[0].gradient);
	assert_int_equal(r.ops[0].verified, 1);
	assert_true(r.ops[0].delta_g > SWAP_LIMIT && r.ops[0].delta_c < SWAP_LIMIT);
	for (size_t i = 1; i < r.n; i++)
		assert_false(verdict_is_finding(r.ops[i].verdict));
	swap_result_release(&r);
	r = swaps_run(&t, "mxnet@1.6.0", "mxnet@1.9.1"); /* the base is the wrong one */
	assert_string_equal(r.ops[0].node->op_type, "Einsum");
	assert_int_equal(r.ops[0].side, SWAP_BASE);
	swap_result_release(&r);
	r = swaps_run(&t, "reference", "mxnet@1.9.1");
	assert_true(r.gradients);
	assert_false(verdict_is_finding(r.verdict));
	swap_result_release(&r);
	trial_release(&t);
}

static void tf_seeds_that_depend_on_each_other(void **state)
{
	struct model *m = net_begin((int64_t[]){3}, 1);
	struct swap_result r;
	struct trial t;

	(void)state;
	if (!is_there("tf")) {
		model_free(m);
		return;
	}
	NET_WEIGHTS(m->graph, "b", -1, 1, 3);
	net_add(m->graph, "Add", "x b", "a");
	net_add(m->graph, "Sigmoid", "a", "s");
	net_add(m->graph, "Mul", "s a", "y");
	t = net_finish(m, "y", net_random(5, 1, (int64_t[]){3}, -1, 1));
	r = swaps_run(&t, "tf", "reference"); /* a and s are both outputs of TensorFlow's segment */
	assert_true(r.gradients);
	for (size_t i = 0; i < r.n; i++)
		if (verdict_is_finding(r.ops[i].verdict))
			fail_msg("%s: %s", r.ops[i].node->name, r.ops[i].reason);
	swap_result_release(&r);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(einsum_of_mxnet),
		cmocka_unit_test(tf_seeds_that_depend_on_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
