/* test_backend_blame.c - bugs of ONNX Runtime 1.20.1 in the middle of networks.
 *
 * - The optimizer takes Pow, ReduceMean, Add, Sqrt, Div, Mul for a root mean square normalization whatever the exponent
 *   is (issue 29153): with exponent 3 the result is wrong, unless something between is looked at.
 * - It fuses MatMul and BatchNormalization to a Gemm whatever the rank is (issue 22512): the model is refused.
 * - MaxPool with ceil_mode counts a window that begins in the padding (issue 16752): the output has another shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "blame/internal.h"
#include "support/backend.h"
#include "support/networks.h"

#define VERSION "ort@1.20.1"
#define STAGES 5 /* of two nodes each, before the pattern and behind it */

static const char *const pattern[] = {"pow", "mean", "shifted", "root", "quotient", "scaled"};
#define PATTERN (sizeof pattern / sizeof *pattern)

static const char *const before[STAGES][3] = {
	{"w0", "m0", "s0"}, {"w1", "m1", "s1"}, {"w2", "m2", "s2"}, {"w3", "m3", "s3"}, {"w4", "m4", "s4"}};
static const char *const behind[STAGES][3] = {
	{"w5", "m5", "s5"}, {"w6", "m6", "s6"}, {"w7", "m7", "s7"}, {"w8", "m8", "s8"}, {"w9", "m9", "s9"}};

static void scalar(struct graph *g, const char *name, double x)
{
	struct err e = ERR_INIT;

	assert_int_equal(graph_add_init(g, name, tensor_scalar_f(DT_FLOAT, x, &e), NULL, &e), 0);
}

/* x → (MatMul, Sigmoid)… */
static const char *stages(struct graph *g, const char *from, const char *const names[STAGES][3])
{
	char inputs[64];

	for (int i = 0; i < STAGES; i++) {
		NET_WEIGHTS(g, names[i][0], -0.5, 0.5, 8, 8);
		snprintf(inputs, sizeof inputs, "%s %s", from, names[i][0]);
		net_add(g, "MatMul", inputs, names[i][1]);
		net_add(g, "Sigmoid", names[i][1], names[i][2]);
		from = names[i][2];
	}
	return from;
}

static struct trial network(void)
{
	struct model *m = net_begin((int64_t[]){2, 8}, 2);
	struct graph *g = m->graph;

	scalar(g, "three", 3);
	scalar(g, "epsilon", 1e-5);
	NET_WEIGHTS(g, "gamma", 0.5, 1.5, 8);
	assert_string_equal(stages(g, "x", before), "s4");
	net_add(g, "Pow", "s4 three", pattern[0]);
	net_ints(net_add(g, "ReduceMean", "pow", pattern[1]), "axes", (int64_t[]){-1}, 1);
	net_add(g, "Add", "mean epsilon", pattern[2]);
	net_add(g, "Sqrt", "shifted", pattern[3]);
	net_add(g, "Div", "s4 root", pattern[4]);
	net_add(g, "Mul", "quotient gamma", pattern[5]);
	return net_finish(m, stages(g, "scaled", behind), net_random(1, 2, (int64_t[]){2, 8}, 0.5, 1.5));
}

struct question {
	struct trial t;
	struct party p;
	struct outcome o;
	struct blame b;
};

static void ask(struct question *q, enum verdict wanted)
{
	struct err e = ERR_INIT;

	if (party_open(&q->p, VERSION, NULL, &e) || trial_judge(&q->t, &q->p, NULL, &q->o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(q->o.verdict, wanted);
	struct blame_request r = {.trial = &q->t, .accused = &q->p, .outcome = &q->o};
	if (blame_run(&r, &q->b, &e))
		fail_msg("%s", e.msg);
}

static void end(struct question *q)
{
	blame_release(&q->b);
	outcome_release(&q->o);
	party_close(&q->p);
	trial_release(&q->t);
}

static void test_only_together(void **state)
{
	struct question q = {.t = network()};

	(void)state;
	ask(&q, VERDICT_WRONG);
	assert_true(q.b.exposing_hides);
	for (size_t i = 0; i < PATTERN; i++) {
		size_t k = 0;

		while (k < q.b.n && strcmp(q.b.at[k].node->name, pattern[i]) != 0)
			k++;
		if (k >= PATTERN)
			fail_msg("'%s' is not among the first %zu: %s", pattern[i], PATTERN, q.b.evidence);
		assert_int_equal(q.b.at[k].effect, SWAP_GOES);
	}
	assert_string_equal(q.b.at[0].node->name, "scaled"); /* where it shows */
	assert_true(q.b.n == PATTERN || q.b.at[PATTERN].score < q.b.at[PATTERN - 1].score - 1);
	assert_non_null(strstr(q.b.evidence, "only_together"));
	assert_non_null(strstr(q.b.evidence, "\"exposing_hides\":true")); /* fused: the set is named, no node of it */
	assert_true(q.b.at[0].together);
	end(&q);
}

/* The pair that is refused, and nothing else. */
static void test_refused(void **state)
{
	static const char *const statistics[] = {"scale", "shift", "center", "var"};
	struct model *m = net_begin((int64_t[]){2, 3, 8}, 3);
	struct graph *g = m->graph;
	struct question q = {0};

	(void)state;
	assert_string_equal(stages(g, "x", before), "s4");
	NET_WEIGHTS(g, "w", -0.5, 0.5, 8, 3);
	net_add(g, "MatMul", "s4 w", "product");
	for (size_t i = 0; i < 4; i++)
		NET_WEIGHTS(g, statistics[i], 0.5, 1.5, 3);
	net_add(g, "BatchNormalization", "product scale shift center var", "normal");
	net_add(g, "Tanh", "normal", "y");
	q.t = net_finish(m, "y", net_random(1, 3, (int64_t[]){2, 3, 8}, -1, 1));
	ask(&q, VERDICT_REJECTED);
	assert_int_equal(q.b.n, 2);
	assert_string_equal(q.b.at[0].node->name, "normal");
	assert_string_equal(q.b.at[1].node->name, "product");
	end(&q);
}

/* One node, wrong alone, at one parameter. */
static void test_parameter(void **state)
{
	struct model *m = net_begin((int64_t[]){1, 2, 6}, 3);
	struct graph *g = m->graph;
	struct question q = {0};
	struct err e = ERR_INIT;
	struct node *pool;

	(void)state;
	NET_WEIGHTS(g, "w", -0.5, 0.5, 2, 2, 3);
	net_ints(net_add(g, "Conv", "x w", "conv1"), "pads", (int64_t[]){1, 1}, 2);
	net_add(g, "Tanh", "conv1", "act1");
	pool = net_add(g, "MaxPool", "act1", "pool");
	net_ints(pool, "kernel_shape", (int64_t[]){2}, 1);
	net_ints(pool, "strides", (int64_t[]){3}, 1);
	net_ints(pool, "pads", (int64_t[]){0, 1}, 2);
	assert_int_equal(node_set_int(pool, "ceil_mode", 1, &e), 0);
	net_ints(net_add(g, "Conv", "pool w", "conv2"), "pads", (int64_t[]){1, 1}, 2);
	net_add(g, "Tanh", "conv2", "y");
	q.t = net_finish(m, "y", net_random(1, 3, (int64_t[]){1, 2, 6}, -1, 1));
	ask(&q, VERDICT_WRONG);
	assert_string_equal(q.b.at[0].node->name, "pool");
	/* without either there is no such window: both are named, and nothing else */
	if (strcmp(q.b.at[0].parameter, "ceil_mode, strides") != 0 &&
	    strcmp(q.b.at[0].parameter, "strides, ceil_mode") != 0)
		fail_msg("'%s'", q.b.at[0].parameter);
	assert_int_equal(q.b.at[0].effect, SWAP_GOES);
	end(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_together),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_parameter),
	};
	int rc = backend_test_start(VERSION);

	if (rc)
		return rc;
	backend_test_stop();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
