/* test_backend_swap.c - the cases of the paper on meta operators, and gradients of libraries through cuts.
 *
 * - The gradient of einsum in MXNet 1.6.0 is wrong (apache/mxnet#18102), and right in 1.9.1.
 * - Other gradients of MXNet that are known to be wrong: of a product that has a zero (issue 17864, never mended), and
 * of Gather along an axis that is not the first, which adds to what is in the array (issue 19817).
 * - What a base library does not have is bound to the reference.
 * - A network is cut where TensorFlow has to give a tensor and what depends on it.
 * - A session gives the gradients of what it is fed now, however often it was asked before.
 * - A library's own optimizer takes the steps of a training, or says that there is none.
 * - All nodes on one library are that library, bit by bit, forward and backward (the paper's feasibility). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "judge/session.h"
#include "methods/swap/train.h"
#include "support/backend.h"
#include "support/networks.h"
#include "support/swaps.h"
#include "support/trials.h"

/* Compiling takes its time where many tests run at once. */
static const struct worker_limits patient = {.run_seconds = 600};

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
		backend_skip(&e);
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
	assert_int_equal(r.ops[0].effect, SWAP_GOES);
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

/* The second case of the paper: outputs differ, ReLU was suspected, and is cleared. */
static void relu_of_mxnet(void **state)
{
	struct trial t = swaps_network("lenet5");
	struct swap_result r;

	(void)state;
	if (!is_there("mxnet@1.6.0") || !is_there("tf"))
		return;
	r = swaps_run(&t, "tf", "mxnet@1.6.0");
	assert_int_equal(r.verdict, VERDICT_ROUNDING);
	for (size_t i = 0; i < r.n; i++)
		if (!strcmp(r.ops[i].node->op_type, "Relu")) {
			assert_int_equal(r.ops[i].verdict, VERDICT_AGREE);
			assert_true(r.ops[i].delta_c == 0);
		}
	swap_result_release(&r);
	trial_release(&t);
}

static struct swap_op first_of(const char *line, const char *backend)
{
	struct trial t = trials_line(line, 1);
	struct swap_result r = swaps_run(&t, "reference", backend);
	struct swap_op op = r.ops[0];

	if (!r.gradients)
		fail_msg("%s on %s: %s", line, backend, r.no_gradients);
	swap_result_release(&r);
	trial_release(&t);
	return op; /* its strings and numbers alone are alive */
}

static void known_gradients_of_mxnet(void **state)
{
	static const struct {
		const char *line;
		enum verdict verdict;
		int mended; /* 1.9.1 is right */
	} bugs[] = {
		{"Einsum-12 f32[1,1,5,3] f32[1,1,3,2] equation=\"bnij,bnjc->bnic\"", VERDICT_WRONG, 1},
		{"ReduceProd-13 f32{4,0}[1,2] axes=[1]", VERDICT_NAN, 0},
		{"Gather-13 f32[2,6,2] i64{1,3} axis=1", VERDICT_WRONG, 1},
	};

	(void)state;
	if (!is_there("mxnet@1.6.0") || !is_there("mxnet@1.9.1"))
		return;
	for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++) {
		struct swap_op op = first_of(bugs[i].line, "mxnet@1.6.0");

		assert_int_equal(op.verdict, bugs[i].verdict);
		assert_true(op.gradient);
		assert_int_equal(op.effect, SWAP_GOES);
		op = first_of(bugs[i].line, "mxnet@1.9.1");
		if (verdict_is_finding(op.verdict) == bugs[i].mended)
			fail_msg("%s: %s", bugs[i].line, op.reason);
	}
}

/* TensorFlow Lite has no Softplus: the reference computes it in its place, and the others are compared. */
static void base_may_lack(void **state)
{
	struct model *m = net_begin((int64_t[]){3}, 1);
	struct swap_result r;
	struct trial t;

	(void)state;
	if (!is_there("tflite") || !is_there("torch")) {
		model_free(m);
		return;
	}
	net_add(m->graph, "Sigmoid", "x", "a");
	net_add(m->graph, "Softplus", "a", "s");
	net_add(m->graph, "Tanh", "s", "y");
	t = net_finish(m, "y", net_random(5, 1, (int64_t[]){3}, -1, 1));
	r = swaps_run(&t, "tflite", "torch");
	for (size_t i = 0; i < r.n; i++) {
		int lacks = !strcmp(r.ops[i].node->op_type, "Softplus");

		assert_int_equal(r.ops[i].home, lacks ? SWAP_REFERENCE : SWAP_BASE);
		assert_int_equal(!*r.ops[i].lacking, !lacks);
		assert_false(verdict_is_finding(r.ops[i].verdict));
	}
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

/* Other inputs for lenet5. */
static void feed(struct trial *t, uint64_t seed)
{
	const struct type *type = &t->model->graph->inputs.at[0]->type;
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;

	in[0] = value_tensor(net_random(seed, type->rank, type->dims, -1, 1), &e);
	assert_int_equal(trial_set_inputs(t, in, &e), 0);
	assert_int_equal(trial_seed_gradients(t, &e), 0);
	assert_int_equal(trial_truth_gradients(t, &e), 0);
}

static void check_gradients(struct trial *t, struct party *p, uint64_t session)
{
	struct outcome o = {0};
	struct judgement j;
	struct err e = ERR_INIT;

	assert_int_equal(session_backward(p, t, session, &o, &e), 0);
	backend_require(o.report.result, &o.report);
	for (size_t i = 0; i < t->n_grads; i++) {
		judge_tensor(t->grads[i], t->grad_noise[i], o.grads[i], JUDGE_LIMIT, &j);
		if (verdict_is_finding(j.verdict))
			fail_msg("%s, gradient of %s: %s", p->spec.name, t->grad_wires[i]->name, j.reason);
	}
	outcome_release(&o);
}

/* Ten times: a graph that is derived once, and functions that are compiled when they were asked for often enough. */
static void sessions_keep_up(void **state)
{
	static const char *const names[] = {"tf", "tf:graph", "jax", "torch", "mxnet"};

	(void)state;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		struct trial t = swaps_network("lenet5");
		struct outcome loaded = {0};
		struct err e = ERR_INIT;
		struct party p = {0};
		uint64_t session = 0;

		if (party_open(&p, names[k], &patient, &e)) {
			assert_int_equal(backend_test_missing(&e), BACKEND_SKIPPED);
			trial_release(&t);
			continue;
		}
		session_load(&p, &t, &session, &loaded);
		backend_require(loaded.report.result, &loaded.report);
		for (uint64_t i = 0; i < 10; i++) {
			feed(&t, i);
			if (i == 5)
				t.n_grads--; /* something else is asked for */
			check_gradients(&t, &p, session);
			t.n_grads += i == 5;
		}
		party_close(&p);
		trial_release(&t);
	}
}

static void check_bits(const struct tensor *alone, const struct tensor *mixed, const char *library)
{
	assert_true(tensor_same_shape(alone, mixed));
	for (size_t i = 0; i < alone->count; i++) {
		double x = tensor_get(alone, i), y = tensor_get(mixed, i);

		if (memcmp(&x, &y, sizeof x) != 0)
			fail_msg("%s: element %zu is %.9g alone, %.9g mixed", library, i, x, y);
	}
}

/* A trial as a mixed run that is all on one party, and as the party's own run; `gradients`: the way back as well.
 * Returns 0 where the library does not have it. */
static int check_itself(struct party *p, struct trial *t, int gradients)
{
	size_t *binding = mem_array(t->model->graph->nodes.n, sizeof *binding); /* all zero */
	struct outcome forward = {0}, back = {0};
	struct party *parties[] = {p};
	struct mixed_run run = {0};
	struct mixed *m = NULL;
	struct err e = ERR_INIT;
	int has;

	if (gradients) {
		assert_int_equal(trial_seed_gradients(t, &e), 0);
		assert_int_equal(trial_truth_gradients(t, &e), 0);
	}
	assert_int_equal(trial_judge(t, p, NULL, &forward, &e), 0);
	has = forward.verdict != VERDICT_UNSUPPORTED;
	if (has && gradients) {
		assert_int_equal(trial_judge_gradients(t, p, NULL, &back, &e), 0);
		has = back.verdict != VERDICT_UNSUPPORTED;
	}
	if (has) {
		assert_int_equal(mixed_open(t, parties, 1, binding, gradients, &m, &e), 0);
		assert_int_equal(mixed_forward(m, &run, &e), 0);
		if (gradients)
			assert_int_equal(mixed_backward(m, &run, &e), 0);
		backend_require(run.report.result, &run.report);
		assert_int_equal(run.segments, 1);
		assert_int_equal(back.n, run.n_grads);
		check_bits(forward.values[0]->tensor, run.outputs[0]->tensor, p->spec.name);
		for (size_t i = 0; i < back.n; i++)
			check_bits(back.grads[i], run.grads[i], p->spec.name);
	}
	mixed_run_release(&run);
	mixed_close(m);
	outcome_release(&forward);
	outcome_release(&back);
	mem_free(binding);
	return has;
}

/* The operators of the paper on meta operators, one by one; returns how many the library has. */
static size_t check_operators(struct party *p, int gradients)
{
	static const char paper[] = "meta-operators\t";
	struct buf text;
	struct err e = ERR_INIT;
	size_t n = 0;

	buf_init(&text, (size_t)1 << 20);
	assert_int_equal(buf_read_file(&text, "data/paper-operators.tsv", (size_t)1 << 20, &e), 0);
	assert_int_equal(buf_add(&text, "", 1), 0);
	for (char *at = (char *)text.data, *end; (end = strchr(at, '\n')); at = end + 1) {
		char *line = strchr(at + sizeof paper - 1, '\t');
		struct trial t;

		*end = '\0';
		if (strncmp(at, paper, sizeof paper - 1) != 0)
			continue;
		*strchr(++line, '\t') = '\0';
		t = trials_line(line, 1);
		n += (size_t)check_itself(p, &t, gradients);
		trial_release(&t);
	}
	buf_release(&text);
	return n;
}

/* lenet5 has gradients of -0, which a sum that begins at 0 would lose. */
static void check_library(const char *name, int gradients)
{
	struct trial t = swaps_network("lenet5");
	struct err e = ERR_INIT;
	struct party p = {0};
	int network;
	size_t n;

	if (party_open(&p, name, &patient, &e)) {
		assert_int_equal(backend_test_missing(&e), BACKEND_SKIPPED);
	} else {
		network = check_itself(&p, &t, gradients);
		n = check_operators(&p, gradients);
		print_message("%s: itself on lenet5%s and on %zu cases of operators\n", name, network ? "" : " not", n);
		if (!network || n < 10)
			fail_msg("%s runs too little to say anything", name);
		party_close(&p);
	}
	trial_release(&t);
}

static void libraries_are_themselves(void **state)
{
	static const char *const names[] = {"tf", "torch", "mxnet", "mxnet@1.6.0", "jax", "keras"};

	(void)state;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		check_library(names[k], 1);
}

/* Those without gradients of their own. */
static void readers_are_themselves(void **state)
{
	static const char *const names[] = {"ort",         "openvino", "tract",  "tflite",   "mnn",   "ncnn",
					    "keras:numpy", "pytensor", "opencv", "tinygrad", "ortweb"};

	(void)state;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		check_library(names[k], 0);
}

/* Libraries that are right stay with the reference in training. */
static void training_stays_together(void **state)
{
	static const char *const names[] = {"tf", "torch", "mxnet", "jax"};
	struct swap_options o = {.gradients = 1};

	(void)state;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		struct trial t = swaps_network("lenet5");
		struct party reference = {0}, p = {0};
		struct train_result r = {0};
		struct err e = ERR_INIT;
		struct train_options train = {.steps = 4, .optimizer = optimizer_find("adam", &e)};
		const struct train_request q = {
			.trial = &t, .base = &reference, .test = &p, .swap = &o, .train = &train};

		if (party_open(&p, names[k], &patient, &e)) {
			assert_int_equal(backend_test_missing(&e), BACKEND_SKIPPED);
		} else {
			if (swap_train(&q, &r, &e))
				fail_msg("%s: %s", names[k], e.msg);
			assert_int_equal(r.n, 4);
			assert_int_equal(r.stand_ins, 0);
			assert_int_equal(r.parted, 0);
			assert_int_equal(r.way_parted, 0);
			train_result_release(&r);
			party_close(&p);
		}
		trial_release(&t);
	}
}

/* The optimizers that libraries have of their own take right steps; JAX has none. */
static void own_optimizers_are_right(void **state)
{
	static const struct {
		const char *name;
		int has;
	} libraries[] = {{"torch", 1}, {"tf", 1}, {"mxnet@1.6.0", 1}, {"mxnet@1.9.1", 1}, {"keras", 1}, {"jax", 0}};
	struct swap_options o = {.gradients = 1};
	struct trial t = swaps_network("mlp");

	(void)state;
	for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
		struct party reference = {0}, p = {0};
		struct err e = ERR_INIT;

		if (party_open(&p, libraries[k].name, &patient, &e)) {
			assert_int_equal(backend_test_missing(&e), BACKEND_SKIPPED);
			continue;
		}
		for (const struct optimizer *rule = optimizer_rows; rule->name; rule++) {
			struct train_options train = {.steps = 3, .optimizer = rule, .own = 1};
			const struct train_request q = {
				.trial = &t, .base = &reference, .test = &p, .swap = &o, .train = &train};
			struct train_result r = {0};

			if (swap_train(&q, &r, &e))
				fail_msg("%s: %s", libraries[k].name, e.msg);
			assert_int_equal(r.n, 3);
			assert_int_equal(r.update.used, libraries[k].has);
			assert_int_equal(*r.update.why_not != '\0', !libraries[k].has);
			assert_int_equal(r.update.stand_ins, libraries[k].has ? 0 : r.n_parameters);
			assert_int_equal(r.parted, 0);
			assert_int_equal(r.update.parted, 0);
			assert_int_equal(r.way_parted, 0);
			train_result_release(&r);
		}
		party_close(&p);
	}
	trial_release(&t);
}

/* An argument is a pattern for names of tests; without one all are run. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(relu_of_mxnet),
		cmocka_unit_test(einsum_of_mxnet),
		cmocka_unit_test(known_gradients_of_mxnet),
		cmocka_unit_test(base_may_lack),
		cmocka_unit_test(tf_seeds_that_depend_on_each_other),
		cmocka_unit_test(sessions_keep_up),
		cmocka_unit_test(libraries_are_themselves),
		cmocka_unit_test(readers_are_themselves),
		cmocka_unit_test(training_stays_together),
		cmocka_unit_test(own_optimizers_are_right),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
