/* test_work.c - what a run costs is known before it is spent: call_work(), ref_set_max_work(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "ops/call.h"
#include "reference/reference.h"

/* The status of a model's run that may cost `most`, and its message. */
static int run_model(struct model *m, struct value *const *inputs, enum ref_mode mode, double most, struct err *e)
{
	const struct ref_options o = {.mode = mode, .noise_runs = 8};
	struct ref_result out = {0};
	struct ref *r = NULL;
	int rc;

	err_clear(e);
	assert_int_equal(ref_open(m, &r, e), 0);
	ref_set_max_work(most);
	rc = ref_run(r, inputs, m->graph->inputs.n, &o, &out, e);
	ref_set_max_work(REF_MAX_WORK);
	ref_result_release(&out);
	ref_close(r);
	return rc;
}

/* A product of 64³ costs 10^4 + 64 · 3 · 64² + 64³ = 1 058 576, and nine times that with noise. */
static void test_products(void **state)
{
	struct err e = ERR_INIT;
	struct op_case c = {0};

	(void)state;
	assert_int_equal(case_parse("MatMul-13 f32[64,64] f32[64,64]", 1, &c, &e), 0);
	assert_int_equal(run_model(c.model, c.inputs, REF_EXACT, 1.06e6, &e), 0);
	assert_int_equal(run_model(c.model, c.inputs, REF_EXACT, 1.05e6, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "MatMul"));
	assert_non_null(strstr(e.msg, "1.1e+06 steps"));
	assert_int_equal(run_model(c.model, c.inputs, REF_NOISY, 9.53e6, &e), 0);
	assert_int_equal(run_model(c.model, c.inputs, REF_NOISY, 9.52e6, &e), ERR_LIMIT);
	case_release(&c);
}

/* A body that counts on, `trips` times. */
static struct model *long_loop(int64_t trips)
{
	struct tensor *t = tensor_scalar_i(DT_INT64, trips, &(struct err)ERR_INIT);
	struct wire *trip, *iter, *go;
	struct type type = TYPE_INIT;
	struct err e = ERR_INIT;
	struct node *n, *loop;
	struct graph *body;
	struct model *m;

	assert_int_equal(model_new(16, &m, &e), 0);
	body = graph_new(m, m->graph, "body");
	type_set(&type, DT_INT64, 0, NULL);
	assert_int_equal(graph_add_input(body, "i", &type, &iter, &e), 0);
	type_set(&type, DT_BOOL, 0, NULL);
	assert_int_equal(graph_add_input(body, "go", &type, &go, &e), 0);
	assert_int_equal(graph_append_node(body, "Identity", &go, 1, "on", &n, &e), 0);
	assert_int_equal(graph_add_output(body, n->out[0], &e), 0);
	assert_int_equal(graph_append_node(body, "Neg", &iter, 1, "less", &n, &e), 0);
	assert_int_equal(graph_add_output(body, n->out[0], &e), 0);
	assert_int_equal(graph_add_init(m->graph, "trip", tensor_pack(t, &e), &trip, &e), 0);
	tensor_unref(t);
	assert_int_equal(graph_append_node(m->graph, "Loop", (struct wire *[]){trip, NULL}, 2, "y", &loop, &e), 0);
	assert_int_equal(node_set_graph(loop, "body", body, &e), 0);
	assert_int_equal(graph_add_output(m->graph, loop->out[0], &e), 0);
	return m;
}

static void test_loops(void **state)
{
	struct model *m = long_loop(INT64_C(1000000000));
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(run_model(m, NULL, REF_EXACT, 1e7, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "steps"));
	assert_non_null(strstr(e.msg, "Loop"));
	model_free(m);
	m = long_loop(10);
	assert_int_equal(run_model(m, NULL, REF_EXACT, 1e7, &e), 0);
	model_free(m);
}

static double product_work(int64_t rows, int64_t depth, int64_t columns)
{
	struct type in[2] = {TYPE_INIT, TYPE_INIT}, out = TYPE_INIT;
	struct call c = {.op = ops_find("", "MatMul")->op, .n_in = 2, .n_out = 1, .in_type = in, .out_type = &out};

	type_set(&in[0], DT_FLOAT, 2, (int64_t[]){rows, depth});
	type_set(&in[1], DT_FLOAT, 2, (int64_t[]){depth, columns});
	type_set(&out, DT_FLOAT, 2, (int64_t[]){rows, columns});
	return call_work(&c);
}

/* 24 layers of width 1600, 2048 tokens, 50 000 words: 3.3 GB of weights, with all noise runs. */
static void test_large_models_are_allowed(void **state)
{
	const int64_t tokens = 2048, width = 1600;
	double layer = 4 * product_work(tokens, width, width) + 2 * product_work(tokens, width, 4 * width) +
		       2 * 25 * product_work(tokens, width / 25, tokens);
	double all = 9 * (24 * layer + product_work(tokens, width, 50000));

	(void)state;
	assert_true(all > 1e13);
	assert_true(all < REF_MAX_WORK / 3);
}

/* A Fourier transform of a prime length is a sum over all for each. */
static void test_prime_lengths(void **state)
{
	struct err e = ERR_INIT;
	struct op_case c = {0};

	(void)state;
	assert_int_equal(case_parse("DFT-20 f32[2,4,2] i64{65537}[]", 1, &c, &e), 0);
	assert_int_equal(run_model(c.model, c.inputs, REF_EXACT, 1e10, &e), ERR_LIMIT);
	case_release(&c);
	assert_int_equal(case_parse("DFT-20 f32[2,4,2] i64{65536}[]", 1, &c, &e), 0);
	assert_int_equal(run_model(c.model, c.inputs, REF_EXACT, 1e10, &e), 0);
	case_release(&c);
}

/* A convolution counts what its filters do, not all pairs of its operands. */
static void test_convolutions(void **state)
{
	struct type in[2] = {TYPE_INIT, TYPE_INIT}, out = TYPE_INIT;
	struct call c = {.op = ops_find("", "Conv")->op, .n_in = 2, .n_out = 1, .in_type = in, .out_type = &out};

	(void)state;
	type_set(&in[0], DT_FLOAT, 4, (int64_t[]){1, 8, 10, 10});
	type_set(&in[1], DT_FLOAT, 4, (int64_t[]){8, 1, 3, 3});
	type_set(&out, DT_FLOAT, 4, (int64_t[]){1, 8, 8, 8});
	assert_true(call_work(&c) == 1e4 + 64 * (800 + 72 + 512) + 512 * 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_large_models_are_allowed),
		cmocka_unit_test(test_prime_lengths),
		cmocka_unit_test(test_convolutions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
