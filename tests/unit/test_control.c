/* test_control.c - loops that end, loops that must not run for ever, and scans with a batch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/op.h"
#include "reference/reference.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

static struct err err;

static struct model *new_model(int opset)
{
	struct model *m;

	err_clear(&err);
	assert_int_equal(model_new(opset, &m, &err), 0);
	return m;
}

static struct wire *input(struct graph *g, const char *name, enum dtype t, int rank, const int64_t *dims)
{
	struct type type = TYPE_INIT;
	struct wire *w;

	type_set(&type, t, rank, dims);
	assert_int_equal(graph_add_input(g, name, &type, &w, &err), 0);
	return w;
}

/* A node with one or two inputs and one output. */
static struct wire *node(struct graph *g, const char *op, struct wire *a, struct wire *b, const char *out)
{
	struct wire *in[] = {a, b};
	struct node *n;

	assert_int_equal(graph_append_node(g, op, in, b ? 2 : 1, out, &n, &err), 0);
	return n->out[0];
}

static void output(struct graph *g, struct wire *w)
{
	assert_int_equal(graph_add_output(g, w, &err), 0);
}

/* body(i, cond, v): cond' = v' < 100 (or cond as it is), v' = v + v, row = v' */
static struct graph *doubling_body(struct model *m, int endless)
{
	struct graph *g = graph_new(m, m->graph, "body");
	struct tensor *limit = tensor_scalar_f(DT_FLOAT, 100, &err), *packed = tensor_pack(limit, &err);
	struct wire *cond, *v, *twice, *hundred;

	tensor_unref(limit);
	assert_non_null(packed);
	input(g, "i", DT_INT64, 0, NULL);
	cond = input(g, "cond", DT_BOOL, 0, NULL);
	v = input(g, "v", DT_FLOAT, 0, NULL);
	assert_int_equal(graph_add_init(g, "hundred", packed, &hundred, &err), 0);
	twice = node(g, "Add", v, v, "twice");
	output(g, endless ? node(g, "Identity", cond, NULL, "again") : node(g, "Less", twice, hundred, "again"));
	output(g, twice);
	output(g, node(g, "Identity", twice, NULL, "row"));
	return g;
}

/* Loop(M, cond, v) with outputs v and rows; M or cond may be left out. */
static struct model *loop_model(int with_count, int with_cond, int endless)
{
	static const char *const names[] = {"last", "rows"};
	struct model *m = new_model(13);
	struct wire *in[3] = {NULL};
	const struct node_spec loop = {.op_type = "Loop", .in = in, .n_in = 3, .out = names, .n_out = 2};
	struct node *n;

	if (with_count)
		in[0] = input(m->graph, "M", DT_INT64, 0, NULL);
	if (with_cond)
		in[1] = input(m->graph, "c", DT_BOOL, 0, NULL);
	in[2] = input(m->graph, "v0", DT_FLOAT, 0, NULL);
	assert_int_equal(graph_add_node(m->graph, 0, &loop, &n, &err), 0);
	assert_int_equal(node_set_graph(n, "body", doubling_body(m, endless), &err), 0);
	output(m->graph, n->out[0]);
	output(m->graph, n->out[1]);
	return m;
}

/* Runs a loop; returns the status. */
static int run_loop(struct model *m, int64_t count, int64_t cond, double v, struct ref_result *out)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct value *in[3];
	struct ref *r;
	size_t n = 0;
	int rc;

	if (map_get(&m->graph->by_name, "M"))
		in[n++] = value_tensor(tensor_scalar_i(DT_INT64, count, &err), &err);
	if (map_get(&m->graph->by_name, "c"))
		in[n++] = value_tensor(tensor_scalar_i(DT_BOOL, cond, &err), &err);
	in[n++] = value_tensor(tensor_scalar_f(DT_FLOAT, v, &err), &err);
	rc = ref_open(m, &r, &err);
	if (!rc) {
		rc = ref_run(r, in, n, &o, out, &err);
		ref_close(r);
	}
	while (n)
		value_unref(in[--n]);
	return rc;
}

static void check_loop(int with_count, int with_cond, int64_t count, int64_t cond, size_t rows, double last)
{
	struct model *m = loop_model(with_count, with_cond, 0);
	struct ref_result out;
	const struct tensor *t;

	assert_int_equal(run_loop(m, count, cond, 3, &out), 0);
	assert_true(out.outputs[0].value->tensor->f[0] == last);
	t = out.outputs[1].value->tensor;
	assert_int_equal(t->rank, 1);
	assert_int_equal(t->dims[0], rows);
	for (size_t i = 0; i < rows; i++)
		assert_true(t->f[i] == 3.0 * (double)(2 << i));
	ref_result_release(&out);
	model_free(m);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_loop_ends(void **state)
{
	(void)state;
	check_loop(1, 1, 3, 1, 3, 24);    /* the count ends it */
	check_loop(1, 1, 100, 1, 6, 192); /* the condition ends it */
	check_loop(0, 1, 0, 1, 6, 192);   /* only a condition */
	check_loop(1, 0, 8, 0, 8, 768);   /* only a count: the body's condition does not matter */
	check_loop(1, 1, 0, 1, 0, 3);     /* no iteration: the initial value, and no rows */
	check_loop(1, 1, -5, 1, 0, 3);
	check_loop(1, 1, 5, 0, 0, 3);
}

static void test_loop_without_end(void **state)
{
	struct model *m = loop_model(0, 0, 1);
	struct ref_result out;

	(void)state;
	assert_int_equal(run_loop(m, 0, 0, 0, &out), ERR_INPUT);
	assert_non_null(strstr(err.msg, "never ends"));
	model_free(m);
	m = loop_model(0, 1, 1);
	err_clear(&err);
	assert_int_equal(run_loop(m, 0, 1, 0, &out), ERR_LIMIT);
	assert_non_null(strstr(err.msg, "iterations"));
	model_free(m);
}

/* Version 8: batch of 2, lengths 3 and 1, state += x; rows past the length are 0. */
static void test_scan_batch(void **state)
{
	static const int64_t batch[] = {2}, x_dims[] = {2, 3};
	static const double want[] = {1, 3, 6, 14, 0, 0};
	static const char *const names[] = {"last", "rows"};
	struct model *m = new_model(8);
	struct graph *body = graph_new(m, m->graph, "body");
	struct wire *s = input(body, "s", DT_FLOAT, 0, NULL), *x = input(body, "x", DT_FLOAT, 0, NULL);
	struct wire *in[] = {input(m->graph, "lens", DT_INT64, 1, batch), input(m->graph, "s0", DT_FLOAT, 1, batch),
			     input(m->graph, "xs", DT_FLOAT, 2, x_dims)};
	const struct node_spec scan = {.op_type = "Scan", .in = in, .n_in = 3, .out = names, .n_out = 2};
	struct ref_options o = {.mode = REF_EXACT};
	struct tensor *lens = tensor_new(DT_INT64, 1, batch, &err), *s0 = tensor_new(DT_FLOAT, 1, batch, &err);
	struct tensor *xs = tensor_new(DT_FLOAT, 2, x_dims, &err);
	struct value *values[3];
	struct ref_result out;
	struct ref *r;
	struct node *n;

	(void)state;
	output(body, node(body, "Add", s, x, "sum"));
	output(body, node(body, "Identity", graph_wire(body, "sum"), NULL, "row"));
	assert_int_equal(graph_add_node(m->graph, 0, &scan, &n, &err), 0);
	assert_int_equal(node_set_graph(n, "body", body, &err), 0);
	assert_int_equal(node_set_int(n, "num_scan_inputs", 1, &err), 0);
	output(m->graph, n->out[0]);
	output(m->graph, n->out[1]);
	lens->i[0] = 3;
	lens->i[1] = 1;
	s0->f[0] = 0;
	s0->f[1] = 10;
	for (size_t i = 0; i < 6; i++)
		xs->f[i] = (double)i + 1;
	values[0] = value_tensor(lens, &err);
	values[1] = value_tensor(s0, &err);
	values[2] = value_tensor(xs, &err);
	assert_int_equal(ref_open(m, &r, &err), 0);
	assert_int_equal(ref_run(r, values, 3, &o, &out, &err), 0);
	assert_true(out.outputs[0].value->tensor->f[0] == 6 && out.outputs[0].value->tensor->f[1] == 14);
	for (size_t i = 0; i < 6; i++)
		assert_true(out.outputs[1].value->tensor->f[i] == want[i]);
	ref_result_release(&out);
	lens->i[1] = 4; /* longer than there is */
	assert_int_equal(ref_run(r, values, 3, &o, &out, &err), ERR_INPUT);
	ref_close(r);
	for (int i = 0; i < 3; i++)
		value_unref(values[i]);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_ends),
		cmocka_unit_test(test_loop_without_end),
		cmocka_unit_test(test_scan_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
