/* test_backend_blame.c - a bug of ONNX Runtime that no node shows alone.
 *
 * Up to 1.27 the optimizer takes Pow, ReduceMean, Add, Sqrt, Div, Mul for a root mean square normalization whatever the
 * exponent is (issue 29153): with exponent 3 the result is wrong, unless something between is looked at. */
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
	static const char *const before[STAGES][3] = {
		{"w0", "m0", "s0"}, {"w1", "m1", "s1"}, {"w2", "m2", "s2"}, {"w3", "m3", "s3"}, {"w4", "m4", "s4"}};
	static const char *const behind[STAGES][3] = {
		{"w5", "m5", "s5"}, {"w6", "m6", "s6"}, {"w7", "m7", "s7"}, {"w8", "m8", "s8"}, {"w9", "m9", "s9"}};
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

static void test_only_together(void **state)
{
	struct trial t = network();
	struct party p;
	struct outcome o;
	struct blame b;
	struct err e = ERR_INIT;

	(void)state;
	if (party_open(&p, VERSION, NULL, &e) || trial_judge(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	struct blame_request r = {.trial = &t, .accused = &p, .outcome = &o};
	if (blame_run(&r, &b, &e))
		fail_msg("%s", e.msg);
	assert_true(b.exposing_hides);
	for (size_t i = 0; i < PATTERN; i++) {
		size_t k = 0;

		while (k < b.n && strcmp(b.at[k].node->name, pattern[i]) != 0)
			k++;
		if (k >= PATTERN)
			fail_msg("'%s' is not among the first %zu: %s", pattern[i], PATTERN, b.evidence);
		assert_int_equal(b.at[k].verified, 1);
	}
	assert_string_equal(b.at[0].node->name, "scaled"); /* where it shows */
	assert_true(b.n == PATTERN || b.at[PATTERN].score < b.at[PATTERN - 1].score - 1);
	assert_non_null(strstr(b.evidence, "only_together"));
	blame_release(&b);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_together),
	};
	int rc = backend_test_start(VERSION);

	if (rc)
		return rc;
	backend_test_stop();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
