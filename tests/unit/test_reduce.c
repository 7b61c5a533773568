/* test_reduce.c - planted faults in chains of nodes: how small they become, and that jobs change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/case.h"
#include "tensor/stats.h"
#include "triage/triage.h"

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static struct err e = ERR_INIT;

static struct tensor *random_tensor(int rank, const int64_t *dims, uint64_t seed)
{
	struct tensor *t = tensor_new(DT_FLOAT, rank, dims, &e);
	struct rng r;

	rng_init(&r, seed);
	assert_non_null(t);
	assert_int_equal(tensor_fill_random(t, &r, -1, 1, &e), 0);
	tensor_round(t);
	return t;
}

static struct wire *add(struct graph *g, const char *op, struct wire *a, struct wire *b, struct node **node)
{
	struct wire *in[2] = {a, b};
	struct node *n = NULL;
	char name[32];

	snprintf(name, sizeof name, "v%zu", g->nodes.n);
	assert_int_equal(graph_append_node(g, op, in, b ? 2 : 1, name, &n, &e), 0);
	if (node)
		*node = n;
	return n->out[0];
}

static struct wire *init(struct graph *g, int rank, const int64_t *dims)
{
	struct wire *w = NULL;
	char name[32];

	snprintf(name, sizeof name, "c%zu", g->wires.n);
	assert_int_equal(graph_add_init(g, name, random_tensor(rank, dims, g->wires.n), &w, &e), 0);
	return w;
}

/* x [1,4,8,8] through `blocks` of Conv (pads 1, groups 2), Tanh and Add; the Tanh of the first block is an output too.
 */
static struct trial make_network(int blocks)
{
	static const int64_t x_dims[] = {1, 4, 8, 8}, w_dims[] = {4, 2, 3, 3}, b_dims[] = {4, 1, 1},
			     pads[] = {1, 1, 1, 1};
	struct type type = TYPE_INIT;
	struct model *m = NULL;
	struct value **in = mem_array(1, sizeof *in);
	struct trial t;
	struct wire *w;
	struct graph *g;

	assert_int_equal(model_new(17, &m, &e), 0);
	g = m->graph;
	type_set(&type, DT_FLOAT, 4, x_dims);
	assert_int_equal(graph_add_input(g, "x", &type, &w, &e), 0);
	for (int i = 0; i < blocks; i++) {
		struct node *conv;

		w = add(g, "Conv", w, init(g, 4, w_dims), &conv);
		assert_int_equal(node_set_ints(conv, "pads", pads, 4, &e), 0);
		assert_int_equal(node_set_int(conv, "group", 2, &e), 0);
		w = add(g, "Tanh", w, NULL, NULL);
		if (!i)
			assert_int_equal(graph_add_output(g, w, &e), 0);
		w = add(g, "Add", w, init(g, 3, b_dims), NULL);
	}
	assert_int_equal(graph_add_output(g, w, &e), 0);
	in[0] = value_tensor(random_tensor(4, x_dims, 3), &e);
	if (trial_init(&t, m, in, 5, &e))
		fail_msg("%s", e.msg);
	return t;
}

static void reduce(struct trial *t, const char *backend, const char *op, int jobs, enum verdict wanted,
		   struct reduce_result *out)
{
	struct reduce_options options = {.jobs = jobs};
	struct outcome o = {0};
	struct party p;

	if (party_open(&p, backend, NULL, &e) || trial_judge(t, &p, NULL, &o, &e))
		fail_msg("%s: %s", backend, e.msg);
	if (o.verdict != wanted)
		fail_msg("%s: %s (%s)", backend, verdict_name(o.verdict), o.reason);
	if (reduce_trial(t, &p, &o, op, &options, out, &e))
		fail_msg("%s: %s", backend, e.msg);
	assert_int_equal(out->outcome.verdict, wanted);
	outcome_release(&o);
	party_close(&p);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_one_node_is_left(void **state)
{
	struct trial t = make_network(12);
	struct reduce_result r = {0};
	const struct graph *g;

	(void)state;
	reduce(&t, "fault:kernel_mirrored", "Conv", 1, VERDICT_WRONG, &r);
	g = r.trial.model->graph;
	assert_int_equal(r.nodes_before, 36);
	assert_int_equal(r.nodes_after, 1);
	assert_string_equal(g->nodes.at[0]->op_type, "Conv");
	assert_int_equal(g->outputs.n, 1);
	assert_int_equal(g->inputs.n, 1);
	assert_string_equal(g->inputs.at[0]->name, "x");
	assert_false(node_has(g->nodes.at[0], "group")); /* needs one group, and no more than one channel */
	assert_int_equal(g->inputs.at[0]->type.dims[1], 1);
	assert_true(r.tries > 5 && r.tries < 200);
	reduce_result_release(&r);
	trial_release(&t);
}

/* The weights are an input as well, are given others, and stay an input, since they are the largest. */
static struct trial make_overridden(void)
{
	static const int64_t x_dims[] = {1, 2, 3, 3}, w_dims[] = {8, 2, 3, 3}, pads[] = {1, 1, 1, 1};
	struct value **in = mem_array(2, sizeof *in);
	struct type type = TYPE_INIT;
	struct model *m = NULL;
	struct node *conv;
	struct wire *x, *w, *y;
	struct trial t;

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&type, DT_FLOAT, 4, x_dims);
	assert_int_equal(graph_add_input(m->graph, "x", &type, &x, &e), 0);
	w = init(m->graph, 4, w_dims);
	y = add(m->graph, "Conv", x, w, &conv);
	assert_int_equal(node_set_ints(conv, "pads", pads, 4, &e), 0);
	assert_int_equal(graph_add_output(m->graph, y, &e), 0);
	assert_int_equal(vec_push(&m->graph->inputs, w), 0);
	w->is_input = 1;
	in[0] = value_tensor(random_tensor(4, x_dims, 3), &e);
	in[1] = value_tensor(random_tensor(4, w_dims, 7), &e);
	assert_int_equal(trial_init(&t, m, in, 5, &e), 0);
	return t;
}

static void test_defaults_keep_the_shape_of_values(void **state)
{
	struct trial t = make_overridden();
	struct reduce_result r = {0};
	struct model *m = NULL;
	const struct wire *w;

	(void)state;
	reduce(&t, "fault:kernel_mirrored", "Conv", 1, VERDICT_WRONG, &r);
	assert_int_equal(r.trial.model->graph->inputs.n, 1);
	w = r.trial.model->graph->inputs.at[0];
	assert_non_null(w->init);
	assert_int_equal(w->type.dims[0], 1); /* of 8 */
	assert_int_equal(w->init->dims[0], 1);
	assert_int_equal(r.trial.inputs[0]->tensor->dims[0], 1);
	assert_int_equal(model_parse(r.trial.bytes.data, r.trial.bytes.len, "reduced", &m, &e), 0);
	model_free(m);
	reduce_result_release(&r);
	trial_release(&t);
}

static void test_blamed_operator_stays(void **state)
{
	struct trial t = make_network(3);
	struct reduce_result r = {0};

	(void)state;
	reduce(&t, "fault:kernel_mirrored", "Tanh", 1, VERDICT_WRONG, &r);
	assert_int_equal(r.nodes_after, 2); /* Conv shows it, Tanh must stay */
	reduce_result_release(&r);
	trial_release(&t);
}

static void test_jobs_do_not_matter(void **state)
{
	struct reduce_result r[2] = {{.tries = 0}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct trial t = make_network(6);

		reduce(&t, "fault:groups_mixed", "Conv", i ? 3 : 1, VERDICT_WRONG, &r[i]);
		trial_release(&t);
	}
	assert_int_equal(r[0].nodes_after, 1);
	assert_int_equal(r[0].tries, r[1].tries);
	assert_int_equal(r[0].kept, r[1].kept);
	assert_int_equal(r[0].trial.bytes.len, r[1].trial.bytes.len);
	assert_memory_equal(r[0].trial.bytes.data, r[1].trial.bytes.data, r[0].trial.bytes.len);
	reduce_result_release(&r[0]);
	reduce_result_release(&r[1]);
}

/* A network of so many blocks to add to … */
static struct model *begin_larger(int blocks, struct trial *t)
{
	struct model *m = NULL;

	*t = make_network(blocks);
	assert_int_equal(model_copy(t->model, &m, &e), 0);
	return m;
}

/* … and what came of it, with one more output and the same input. */
static struct trial end_larger(struct model *m, struct wire *output, struct trial *t)
{
	struct value **in = mem_array(1, sizeof *in);
	struct trial larger;

	assert_int_equal(graph_add_output(m->graph, output, &e), 0);
	in[0] = value_ref(t->inputs[0]);
	if (trial_init(&larger, m, in, 5, &e))
		fail_msg("%s", e.msg);
	trial_release(t);
	return larger;
}

static void assert_comes_down_to_conv(struct trial t, const char *backend, size_t jobs, enum verdict wanted)
{
	struct reduce_result r = {0};

	reduce(&t, backend, NULL, jobs, wanted, &r);
	assert_int_equal(r.nodes_after, 1);
	assert_string_equal(r.trial.model->graph->nodes.at[0]->op_type, "Conv");
	reduce_result_release(&r);
	trial_release(&t);
}

/* A kernel that is larger than its input, in the last of the convolutions. */
static void test_crash(void **state)
{
	static const int64_t w_dims[] = {4, 4, 9, 9}, pads[] = {4, 4, 4, 4};
	struct trial t;
	struct model *m = begin_larger(4, &t);
	struct node *conv;
	struct wire *w;

	(void)state;
	w = add(m->graph, "Conv", m->graph->outputs.at[1], init(m->graph, 4, w_dims), &conv);
	assert_int_equal(node_set_ints(conv, "pads", pads, 4, &e), 0);
	w = add(m->graph, "Tanh", w, NULL, NULL);
	assert_comes_down_to_conv(end_larger(m, w, &t), "fault:crash_large_kernel", 2, VERDICT_CRASH);
}

/* 1 + x > 1 flips where x is small: some of many elements flip in none of eight noisy runs, and look wrong.  The
 * comparison looks worse than the convolution, but only the latter is wrong. */
static void test_flips_are_no_finding(void **state)
{
	static const int64_t dims[] = {1, 4, 32, 32};
	struct tensor *x = tensor_new(DT_FLOAT, 4, dims, &e), *one = tensor_scalar_f(DT_FLOAT, 1, &e);
	struct trial t;
	struct model *m = begin_larger(2, &t);
	struct wire *w, *tiny, *by;

	(void)state;
	for (size_t i = 0; i < x->count; i++)
		x->f[i] = 1e-9 * (double)(i % 7 + 1);
	assert_int_equal(graph_add_init(m->graph, "tiny", x, &tiny, &e), 0);
	assert_int_equal(graph_add_init(m->graph, "one", one, &by, &e), 0);
	w = add(m->graph, "Greater", add(m->graph, "Add", tiny, by, NULL), by, NULL);
	assert_comes_down_to_conv(end_larger(m, w, &t), "fault:kernel_mirrored", 1, VERDICT_WRONG);
}

/* Tanh is cut off at 0.98: by two percent for 20, by a few last bits for the leading element, which is what cutting the
 * tensor down would leave. */
static void test_deviation_keeps_its_order(void **state)
{
	struct reduce_result r = {0};
	struct op_case c;
	struct trial t;

	(void)state;
	if (case_parse("Tanh-13 f32{2.301,20,20,20}", 1, &c, &e) || trial_init(&t, c.model, c.inputs, 1, &e))
		fail_msg("%s", e.msg);
	reduce(&t, "fault:tanh_clipped", NULL, 1, VERDICT_WRONG, &r);
	assert_true(r.outcome.ratio > 1e4);
	reduce_result_release(&r);
	trial_release(&t);
}

/* Plain numbers, but none that mean nothing: a variance of 0, an epsilon of 0. */
static void test_stays_in_domain(void **state)
{
	struct op_case c;
	struct reduce_result r = {0};
	const struct node *n;
	struct trial t;

	(void)state;
	if (case_parse("BatchNormalization-15 f32[1,2,3] f32[2] f32[2] f32[2] f32[2]@0.5:2 epsilon=0.125", 1, &c, &e) ||
	    trial_init(&t, c.model, c.inputs, 1, &e))
		fail_msg("%s", e.msg);
	reduce(&t, "fault:bn_no_sqrt", NULL, 1, VERDICT_WRONG, &r);
	n = r.trial.model->graph->nodes.at[0];
	assert_true(node_float(n, "epsilon", 1e-5) > 0);
	for (size_t i = 0; i < r.trial.model->graph->inputs.n; i++)
		assert_ptr_not_equal(r.trial.model->graph->inputs.at[i], n->in[4]);
	assert_true(tensor_get(n->in[4]->init, 0) > 0);
	reduce_result_release(&r);
	trial_release(&t);
}

/* x [3,4], Relu, then a Scan whose body takes rows and negates them. */
static struct trial make_scan(void)
{
	static const int64_t dims[] = {3, 4};
	struct type whole = TYPE_INIT, row = TYPE_INIT;
	struct value **in = mem_array(1, sizeof *in);
	struct tensor *x = random_tensor(2, dims, 3);
	struct model *m = NULL;
	struct graph *body;
	struct node *scan;
	struct trial t;
	struct wire *w;

	for (size_t i = 0; i < x->count; i++)
		x->f[i] = 8;
	assert_int_equal(model_new(17, &m, &e), 0);
	body = graph_new(m, m->graph, "body");
	type_set(&row, DT_FLOAT, 1, dims + 1);
	assert_int_equal(graph_add_input(body, "row", &row, &w, &e), 0);
	assert_int_equal(graph_append_node(body, "Neg", &w, 1, "negated", &scan, &e), 0);
	assert_int_equal(graph_add_output(body, scan->out[0], &e), 0);
	type_set(&whole, DT_FLOAT, 2, dims);
	assert_int_equal(graph_add_input(m->graph, "x", &whole, &w, &e), 0);
	w = add(m->graph, "Scan", add(m->graph, "Relu", w, NULL, NULL), NULL, &scan);
	assert_int_equal(node_set_graph(scan, "body", body, &e), 0);
	assert_int_equal(node_set_int(scan, "num_scan_inputs", 1, &e), 0);
	assert_int_equal(graph_add_output(m->graph, w, &e), 0);
	in[0] = value_tensor(x, &e);
	if (trial_init(&t, m, in, 5, &e))
		fail_msg("%s", e.msg);
	return t;
}

/* The ONNX checker refuses inputs of bodies without a shape. */
static void test_bodies_keep_their_ranks(void **state)
{
	struct reduce_result r = {0};
	struct trial t = make_scan();
	const struct model *m;

	(void)state;
	reduce(&t, "fault:relu6", "Scan", 1, VERDICT_WRONG, &r);
	m = r.trial.model;
	assert_int_equal(m->graphs.n, 2);
	assert_int_equal(m->graphs.at[1]->inputs.at[0]->type.rank, 1);
	reduce_result_release(&r);
	trial_release(&t);
}

static void test_hang(void **state)
{
	const struct worker_limits limits = {.run_seconds = 0.4};
	struct outcome o = {0};
	struct reduce_result r = {0};
	struct op_case c;
	struct trial t;
	struct party p;

	(void)state;
	if (case_parse("MaxPool-12 f32[1,2,6,6] kernel_shape=[2,2] strides=[7,7] pads=[1,1,1,1]", 1, &c, &e) ||
	    trial_init(&t, c.model, c.inputs, 1, &e) || party_open(&p, "fault:hang_large_stride", &limits, &e) ||
	    trial_judge(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_HANG);
	if (reduce_trial(&t, &p, &o, "MaxPool", NULL, &r, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(r.outcome.verdict, VERDICT_HANG);
	assert_int_equal(r.trial.inputs[0]->tensor->dims[1], 1);
	assert_true(r.trial.truth.outputs[0].value->tensor->count >
		    0); /* a window larger than its input gives nothing */
	reduce_result_release(&r);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

static void test_nothing_to_reduce(void **state)
{
	struct trial t = make_network(1);
	struct outcome o = {.verdict = VERDICT_ROUNDING};
	struct reduce_result r = {0};
	struct party p;

	(void)state;
	assert_int_equal(party_open(&p, "reference", NULL, &e), 0);
	assert_int_equal(reduce_trial(&t, &p, &o, NULL, NULL, &r, &e), ERR_USAGE);
	party_close(&p);
	trial_release(&t);
}

/* What decides on the smallest case takes time too: where there is none left, there is no smallest case. */
static void test_behind_the_deadline(void **state)
{
	struct reduce_options options = {.seconds = 0.001, .deadline = clock_now()};
	struct trial t = make_network(1);
	struct outcome o = {0};
	struct reduce_result r = {0};
	struct err late = ERR_INIT;
	struct party p;

	(void)state;
	if (party_open(&p, "fault:kernel_mirrored", NULL, &e) || trial_judge(&t, &p, NULL, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	assert_int_equal(reduce_trial(&t, &p, &o, NULL, &options, &r, &late), ERR_LIMIT);
	assert_null(r.trial.model);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* An initializer gets another value, an input becomes one, a node's output cannot. */
static void test_set_init(void **state)
{
	static const int64_t dims[] = {2};
	struct trial t = make_network(1);
	struct graph *g = t.model->graph;
	struct wire *w = graph_wire(g, "x");

	(void)state;
	assert_int_equal(graph_set_init(w, random_tensor(1, dims, 1), &e), 0);
	assert_int_equal(g->inputs.n, 0);
	assert_false(w->is_input);
	assert_int_equal(w->type.rank, 1);
	assert_int_equal(graph_set_init(w, tensor_scalar_f(DT_FLOAT, 2, &e), &e), 0);
	assert_int_equal(w->init->rank, 0);
	assert_int_equal(graph_set_init(g->nodes.at[0]->out[0], random_tensor(1, dims, 1), &e), ERR_INPUT);
	value_unref(t.inputs[0]); /* the graph does not list it any more */
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_node_is_left),
		cmocka_unit_test(test_blamed_operator_stays),
		cmocka_unit_test(test_defaults_keep_the_shape_of_values),
		cmocka_unit_test(test_jobs_do_not_matter),
		cmocka_unit_test(test_crash),
		cmocka_unit_test(test_flips_are_no_finding),
		cmocka_unit_test(test_deviation_keeps_its_order),
		cmocka_unit_test(test_stays_in_domain),
		cmocka_unit_test(test_hang),
		cmocka_unit_test(test_nothing_to_reduce),
		cmocka_unit_test(test_set_init),
		cmocka_unit_test(test_bodies_keep_their_ranks),
		cmocka_unit_test(test_behind_the_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
