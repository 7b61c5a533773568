/* questions.c - see questions.h. */
#include "support/questions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/networks.h"

struct trial questions_network(void)
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

void question_ask(struct question *q, const char *backend, const char *blamers, double seconds)
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

void question_end(struct question *q)
{
	blame_release(&q->b);
	outcome_release(&q->o);
	party_close(&q->p);
	trial_release(&q->t);
}

void question_assert_first(const struct question *q, const char *node)
{
	if (!q->b.n || strcmp(q->b.at[0].node->name, node) != 0)
		fail_msg("first is '%s', wanted '%s': %s", q->b.n ? q->b.at[0].node->name : "nobody", node,
			 q->b.evidence);
	assert_int_equal(q->b.at[0].rank, 1);
}

json_t *question_said(const struct question *q, const char *who, const char *key)
{
	json_t *all = json_loads(q->b.evidence, 0, NULL), *found;

	assert_non_null(all);
	found = json_incref(json_object_get(json_object_get(all, who), key));
	json_decref(all);
	return found;
}
