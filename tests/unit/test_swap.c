/* test_swap.c - mixed execution against the reference, and Algorithm 1 on planted faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "faults/fault.h"
#include "support/networks.h"
#include "support/swaps.h"
#include "support/trials.h"

/* ---- mixed execution --------------------------------------------------------------------------------------------- */

static struct mixed *open_mix(struct trial *t, struct party *const *parties, size_t n, size_t every)
{
	size_t nodes = t->model->graph->nodes.n, *binding = mem_array(nodes, sizeof *binding);
	struct err e = ERR_INIT;
	struct mixed *m = NULL;

	for (size_t i = 0; i < nodes; i++)
		binding[i] = i / every % n;
	if (mixed_open(t, parties, n, binding, 1, &m, &e))
		fail_msg("%s", e.msg);
	mem_free(binding);
	return m;
}

static struct mixed_run run_mix(struct mixed *m)
{
	struct mixed_run run = {0};
	struct err e = ERR_INIT;

	if (mixed_forward(m, &run, &e) || mixed_backward(m, &run, &e))
		fail_msg("%s", e.msg);
	if (run.report.result != WORKER_OK)
		fail_msg("%s", run.report.message);
	return run;
}

static void check_right(const struct trial *t, const struct mixed_run *run)
{
	struct judgement j;

	assert_int_equal(run->n_outputs, t->truth.n);
	assert_int_equal(run->n_grads, t->n_grads);
	for (size_t i = 0; i < run->n_outputs; i++) {
		judge_value(t->truth.outputs[i].value, t->truth.outputs[i].noise, run->outputs[i], JUDGE_LIMIT, &j);
		if (verdict_is_finding(j.verdict))
			fail_msg("output %zu: %s", i, j.reason);
	}
	for (size_t i = 0; i < run->n_grads; i++) {
		judge_tensor(t->grads[i], t->grad_noise[i], run->grads[i], JUDGE_LIMIT, &j);
		if (verdict_is_finding(j.verdict))
			fail_msg("gradient of %s: %s", t->grad_wires[i]->name, j.reason);
	}
}

/* However a network is cut, outputs and gradients are right, and rebinding a node adds two segments at most. */
static void mixes_are_right(void **state)
{
	static const char *const names[] = {"lenet5", "mlp", "rows_lstm", "transformer"};
	struct party a = {0}, b = {0};
	struct party *parties[] = {&a, &b};

	(void)state;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		struct trial t = swaps_network(names[k]);
		size_t nodes = t.model->graph->nodes.n;

		for (size_t every = 1; every <= 4; every += 3) {
			struct mixed *m = open_mix(&t, parties, 2, every);
			struct mixed_run run = run_mix(m);

			assert_int_equal(run.segments, (nodes + every - 1) / every);
			check_right(&t, &run);
			mixed_run_release(&run);
			for (size_t i = 0; i < nodes; i++)
				mixed_rebind(m, t.model->graph->nodes.at[i], i == nodes / 2);
			run = run_mix(m);
			assert_int_equal(run.segments, 3);
			check_right(&t, &run);
			mixed_run_release(&run);
			mixed_close(m);
		}
		trial_release(&t);
	}
}

/* All nodes on one library are one segment, which gives what the library gives. */
static void one_library_is_itself(void **state)
{
	struct trial t = swaps_network("lenet5");
	struct party p = {0}, *parties[] = {&p};
	struct outcome forward = {0}, back = {0};
	struct mixed_run run;
	struct err e = ERR_INIT;
	struct mixed *m;

	(void)state;
	assert_int_equal(party_open(&p, "fault:relu6", NULL, &e), 0);
	m = open_mix(&t, parties, 1, 1);
	run = run_mix(m);
	assert_int_equal(run.segments, 1);
	assert_int_equal(trial_judge(&t, &p, NULL, &forward, &e), 0);
	assert_int_equal(trial_judge_gradients(&t, &p, NULL, &back, &e), 0);
	assert_int_equal(forward.n, run.n_outputs);
	for (size_t i = 0; i < forward.values[0]->tensor->count; i++)
		assert_true(tensor_get(forward.values[0]->tensor, i) == tensor_get(run.outputs[0]->tensor, i));
	assert_int_equal(back.n, run.n_grads);
	for (size_t k = 0; k < back.n; k++)
		for (size_t i = 0; i < back.grads[k]->count; i++)
			assert_true(tensor_get(back.grads[k], i) == tensor_get(run.grads[k], i));
	mixed_run_release(&run);
	mixed_close(m);
	outcome_release(&forward);
	outcome_release(&back);
	party_close(&p);
	trial_release(&t);
}

/* x is read by two segments, and by none of one's own: its gradient is the sum. */
static void gradients_add_up(void **state)
{
	struct model *model = net_begin((int64_t[]){2, 3}, 2);
	struct party p = {0}, *parties[] = {&p, &p};
	struct mixed_run run;
	struct mixed *m;
	struct trial t;

	(void)state;
	NET_WEIGHTS(model->graph, "w", -1, 1, 2, 3);
	net_add(model->graph, "Sigmoid", "x", "a");
	net_add(model->graph, "Mul", "a w", "b");
	net_add(model->graph, "Mul", "b x", "c");
	net_add(model->graph, "Add", "c a", "y");
	t = net_finish(model, "y", net_random(5, 2, (int64_t[]){2, 3}, -1, 1));
	m = open_mix(&t, parties, 2, 1);
	run = run_mix(m);
	assert_int_equal(run.segments, 4);
	check_right(&t, &run);
	mixed_run_release(&run);
	mixed_close(m);
	trial_release(&t);
}

/* ---- Algorithm 1 ------------------------------------------------------------------------------------------------- */

static void gradient_faults_are_found(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct fault_example *x = fault_examples; x->fault; x++) {
		char backend[128];
		struct swap_result r;
		struct trial t;

		if (fault_find(x->fault)->fault->kind != FAULT_GRADIENT)
			continue;
		n++;
		snprintf(backend, sizeof backend, "fault:%s", x->fault);
		t = trials_line(x->line, 1);
		r = swaps_run(&t, "reference", backend);
		if (r.ops[0].verdict != VERDICT_WRONG || !r.ops[0].gradient || r.ops[0].effect != SWAP_GOES)
			fail_msg("%s, %s: %s, effect %d: %s", x->fault, x->line, verdict_name(r.ops[0].verdict),
				 r.ops[0].effect, *r.no_gradients ? r.no_gradients : r.ops[0].reason);
		assert_int_equal(r.ops[0].side, SWAP_TEST);
		swap_result_release(&r);
		trial_release(&t);
	}
	assert_true(n >= 7);
}

/* The library that is wrong is named, whichever stands first, and the other nodes are cleared. */
static void culprit_is_named(void **state)
{
	static const char *const names[][2] = {{"reference", "fault:kernel_mirrored@conv2"},
					       {"fault:kernel_mirrored@conv2", "reference"}};
	struct trial t = swaps_network("lenet5");

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct swap_result r = swaps_run(&t, names[i][0], names[i][1]);

		assert_int_equal(r.n, t.model->graph->nodes.n);
		assert_string_equal(r.ops[0].node->name, "conv2");
		assert_int_equal(r.ops[0].verdict, VERDICT_WRONG);
		assert_int_equal(r.ops[0].side, i ? SWAP_BASE : SWAP_TEST);
		assert_int_equal(r.ops[0].effect, SWAP_GOES);
		assert_true(r.ops[0].delta_c > SWAP_LIMIT && r.ops[0].beyond);
		for (size_t k = 1; k < r.n; k++)
			if (verdict_is_finding(r.ops[k].verdict))
				fail_msg("%s: %s", r.ops[k].node->name, r.ops[k].reason);
		swap_result_release(&r);
	}
	trial_release(&t);
}

/* A library that computes nothing of a network is not said to agree: the reference did it all. */
static void nothing_computed(void **state)
{
	static const char *const names[2][2] = {{"fault:crash_large_kernel", "reference"},
						{"reference", "fault:crash_large_kernel"}};
	struct model *m = net_begin((int64_t[]){1, 1, 2, 2}, 4);
	struct trial t;

	(void)state;
	NET_WEIGHTS(m->graph, "w", -1, 1, 1, 1, 3, 3);
	net_ints(net_add(m->graph, "Conv", "x w", "y"), "pads", (int64_t[]){1, 1, 1, 1}, 4);
	t = net_finish(m, "y", net_random(5, 4, (int64_t[]){1, 1, 2, 2}, -1, 1));
	for (int i = 0; i < 2; i++) {
		struct swap_result r = swaps_run(&t, names[i][0], names[i][1]);

		assert_int_equal(i ? r.test_verdict : r.base_verdict, VERDICT_UNSUPPORTED);
		assert_false(verdict_is_finding(i ? r.base_verdict : r.test_verdict));
		assert_int_not_equal(i ? r.base_verdict : r.test_verdict, VERDICT_UNSUPPORTED);
		swap_result_release(&r);
	}
	trial_release(&t);
}

/* A base library that fails on an operator gives it to the reference; the others go on, and the failure is its own. */
static void base_may_fail(void **state)
{
	struct model *m = net_begin((int64_t[]){1, 1, 2, 2}, 4);
	struct swap_result r;
	struct trial t;

	(void)state;
	NET_WEIGHTS(m->graph, "w", -1, 1, 1, 1, 3, 3);
	net_ints(net_add(m->graph, "Conv", "x w", "a"), "pads", (int64_t[]){1, 1, 1, 1}, 4);
	net_add(m->graph, "Sigmoid", "a", "y");
	t = net_finish(m, "y", net_random(5, 4, (int64_t[]){1, 1, 2, 2}, -1, 1));
	r = swaps_run(&t, "fault:crash_large_kernel", "reference");
	assert_string_equal(r.ops[0].node->op_type, "Conv");
	assert_int_equal(r.ops[0].home, SWAP_REFERENCE);
	assert_non_null(strstr(r.ops[0].lacking, "crash"));
	assert_int_equal(r.ops[0].verdict, VERDICT_CRASH);
	assert_int_equal(r.ops[0].side, SWAP_BASE);
	assert_int_equal(r.ops[0].effect, SWAP_GOES);
	assert_int_equal(r.ops[1].home, SWAP_BASE);
	assert_false(verdict_is_finding(r.ops[1].verdict));
	swap_result_release(&r);
	trial_release(&t);
}

/* What differs by rounding alone is cleared even where it is beyond the paper's threshold. */
static void rounding_is_cleared(void **state)
{
	struct swap_options o = {.gradients = 1, .limit_c = 1e-12, .limit_g = 1e-12};
	struct trial t = swaps_network("lenet5");
	struct party a = {0}, b = {0};
	struct swap_result r = {0};
	struct err e = ERR_INIT;
	int beyond = 0;

	(void)state;
	assert_int_equal(party_open(&b, "ort", NULL, &e), 0);
	if (swap_run(&t, &a, &b, &o, &r, &e))
		fail_msg("%s", e.msg);
	assert_false(r.gradients); /* ONNX Runtime computes none, and that is said */
	assert_non_null(strstr(r.no_gradients, "gradients"));
	assert_false(verdict_is_finding(r.verdict));
	for (size_t i = 0; i < r.n; i++)
		beyond += r.ops[i].beyond;
	assert_true(beyond > 0);
	swap_result_release(&r);
	party_close(&b);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mixes_are_right),           cmocka_unit_test(one_library_is_itself),
		cmocka_unit_test(gradients_add_up),          cmocka_unit_test(culprit_is_named),
		cmocka_unit_test(gradient_faults_are_found), cmocka_unit_test(rounding_is_cleared),
		cmocka_unit_test(nothing_computed),          cmocka_unit_test(base_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
