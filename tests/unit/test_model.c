/* test_model.c - reading models, writing them, and reading them back. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/models.h"
#include "support/protos.h"
#include "support/same.h"

/* y = Relu(x * w), listed in the wrong order */
static Onnx__ModelProto *small_model(struct protos *b)
{
	Onnx__ModelProto *m = protos_model(b, 8, 17);

	protos_input(b, m->graph, "x", "N,3");
	protos_init_tensor(b, m->graph, "w", "3,4");
	protos_node(b, m->graph, "Relu", "t", "y");
	protos_node(b, m->graph, "MatMul", "x,w", "t");
	protos_value_info(b, m->graph, "t", "N,4");
	protos_output(b, m->graph, "y", "N,4");
	return m;
}

static void test_small(void **state)
{
	struct protos b;
	struct model *m;
	char text[64];

	(void)state;
	protos_init(&b);
	m = models_read(small_model(&b));
	assert_int_equal(m->graph->nodes.n, 2);
	assert_string_equal(m->graph->nodes.at[0]->op_type, "MatMul");
	assert_string_equal(m->graph->nodes.at[0]->name, "MatMul_1");
	assert_int_equal(m->graph->nodes.at[0]->opset, 17);
	assert_int_equal(model_opset(m, ""), 17);
	assert_int_equal(model_opset(m, "ai.onnx.ml"), 0);
	assert_string_equal(type_describe(&graph_wire(m->graph, "t")->type, m->graph, text, sizeof text),
			    "float32[N,4]");
	assert_string_equal(type_describe(&graph_wire(m->graph, "w")->type, m->graph, text, sizeof text),
			    "float32[3,4]");
	assert_true(tensor_get(graph_wire(m->graph, "w")->init, 5) == 5);
	assert_ptr_equal(graph_wire(m->graph, "t")->producer, m->graph->nodes.at[0]);
	assert_string_equal(m->symbols.at[0], "N");
	model_free(m);
	protos_release(&b);
}

static void test_round_trip(void **state)
{
	struct model *m;
	struct protos b;

	(void)state;
	protos_init(&b);
	m = models_read(small_model(&b));
	models_assert_round_trip(m);
	model_free(m);
	protos_release(&b);
}

/* Weights are in memory once: the tensors borrow from the messages, and outlive the model. */
static void test_borrowed_weights(void **state)
{
	struct tensor *w;
	struct model *m;
	struct protos b;

	(void)state;
	protos_init(&b);
	m = models_read(small_model(&b));
	w = tensor_ref(graph_wire(m->graph, "w")->init);
	model_free(m);
	assert_true(tensor_get(w, 11) == 11);
	tensor_unref(w);
	protos_release(&b);
}

/* y = op(…) with an input x */
static Onnx__ModelProto *one_node(struct protos *b, int64_t ir, int64_t opset, const char *op, const char *in)
{
	Onnx__ModelProto *p = protos_model(b, ir, opset);

	protos_input(b, p->graph, "x", "2");
	protos_node(b, p->graph, op, in, "y");
	protos_output(b, p->graph, "y", "2");
	return p;
}

static void test_initializer_that_is_input(void **state)
{
	Onnx__ModelProto *p;
	struct protos b;
	struct model *m;

	(void)state;
	protos_init(&b);
	p = one_node(&b, 3, 8, "Add", "x,w");
	protos_input(&b, p->graph, "w", "2");
	protos_init_tensor(&b, p->graph, "w", "2");
	m = models_read(p);
	assert_int_equal(m->graph->inputs.n, 2);
	assert_true(graph_wire(m->graph, "w")->is_input);
	assert_non_null(graph_wire(m->graph, "w")->init);
	model_free(m);
	protos_release(&b);
}

static void test_left_out(void **state)
{
	Onnx__ModelProto *p;
	struct model *m;
	struct protos b;

	(void)state;
	protos_init(&b);
	p = one_node(&b, 8, 17, "Clip", "x,,hi");
	protos_input(&b, p->graph, "hi", "");
	m = models_read(p);
	assert_int_equal(m->graph->nodes.at[0]->n_in, 3);
	assert_null(m->graph->nodes.at[0]->in[1]);
	assert_string_equal(m->graph->nodes.at[0]->in[2]->name, "hi");
	models_assert_round_trip(m);
	model_free(m);
	protos_release(&b);
}

/* if (c) { t2 = Neg(a) } else { a } with `a` taken from outside */
static Onnx__ModelProto *branching_model(struct protos *b)
{
	Onnx__ModelProto *p = protos_model(b, 8, 17);
	Onnx__GraphProto *yes = protos_graph(b, "yes"), *no = protos_graph(b, "no");
	Onnx__NodeProto *n = protos_make_node(b, "If", "c", "y");

	protos_input(b, p->graph, "c", "");
	protos_input(b, p->graph, "x", "2");
	protos_node(b, yes, "Neg", "a", "t");
	protos_output(b, yes, "t", "2");
	protos_output(b, no, "a", "2");
	protos_attr_graph(b, n, "then_branch", yes);
	protos_attr_graph(b, n, "else_branch", no);
	p->graph->node = arena_array(&b->arena, 2, sizeof *p->graph->node);
	p->graph->node[0] = n; /* before the node it captures from */
	p->graph->node[1] = protos_make_node(b, "Abs", "x", "a");
	p->graph->n_node = 2;
	protos_output(b, p->graph, "y", "2");
	return p;
}

static int count_capture(struct wire *w, void *arg)
{
	(void)w;
	++*(int *)arg;
	return 0;
}

static void test_captures(void **state)
{
	const struct node *branch;
	struct model *m;
	struct protos b;
	int count = 0;

	(void)state;
	protos_init(&b);
	m = models_read(branching_model(&b));
	assert_string_equal(m->graph->nodes.at[0]->op_type, "Abs");
	branch = m->graph->nodes.at[1];
	assert_ptr_equal(node_graph(branch, "then_branch")->nodes.at[0]->in[0], graph_wire(m->graph, "a"));
	assert_ptr_equal(node_graph(branch, "else_branch")->outputs.at[0], graph_wire(m->graph, "a"));
	assert_ptr_equal(graph_wire(node_graph(branch, "then_branch"), "x"), graph_wire(m->graph, "x"));
	graph_for_each_capture(node_graph(branch, "then_branch"), count_capture, &count);
	assert_int_equal(count, 1);
	models_assert_round_trip(m);
	model_free(m);
	protos_release(&b);
}

/* Elements of no type are no ONNX, and kill a library that reads them; a subgraph may leave the whole type out. */
static void test_unknown_type_is_left_out(void **state)
{
	struct protos b;
	struct model *m;
	struct buf out;
	struct err e = ERR_INIT;
	Onnx__ModelProto *written;

	(void)state;
	protos_init(&b);
	buf_init(&out, 1 << 20);
	m = models_read(branching_model(&b));
	graph_wire(node_graph(m->graph->nodes.at[1], "then_branch"), "t")->type.dtype = DT_UNDEFINED;
	assert_int_equal(model_serialize(m, &out, &e), 0);
	written = onnx__model_proto__unpack(NULL, out.len, (const uint8_t *)out.data);
	assert_non_null(written);
	assert_null(written->graph->node[1]->attribute[0]->g->output[0]->type);
	assert_non_null(written->graph->output[0]->type);
	onnx__model_proto__free_unpacked(written, NULL);
	buf_release(&out);
	model_free(m);
	protos_release(&b);
}

static void test_old_model_without_imports(void **state)
{
	struct protos b;
	struct model *m;

	(void)state;
	protos_init(&b);
	m = models_read(one_node(&b, 2, 0, "Relu", "x"));
	assert_int_equal(m->graph->nodes.at[0]->opset, 1);
	model_free(m);
	protos_release(&b);
}

/* ---- allocation failures ----------------------------------------------------------------------------------------- */

typedef Onnx__ModelProto *make_fn(struct protos *b);

static Onnx__ModelProto *function_model(struct protos *b)
{
	Onnx__ModelProto *p = protos_model(b, 9, 17);
	Onnx__FunctionProto *f = protos_function(b, p, "local", "Twice", "a", "b", 17);

	protos_body(b, f, "Neg", "a", "t");
	protos_body(b, f, "Neg", "t", "b");
	protos_import(b, p, "local", 1);
	protos_input(b, p->graph, "x", "N");
	protos_node(b, p->graph, "Twice", "x", "y")->domain = "local";
	protos_output(b, p->graph, "y", "N");
	return p;
}

/* Every allocation on the way of parsing, copying and writing fails once: an error each time, never a crash or a leak.
 */
static void fail_everywhere(make_fn *make)
{
	struct protos b;
	uint8_t *data;
	size_t n;
	int rc = ERR_MEMORY;

	protos_init(&b);
	data = protos_pack(&b, make(&b), &n);
	for (size_t k = 1; rc; k++) {
		struct model *m = NULL, *copy = NULL;
		struct err e = ERR_INIT;
		struct buf out;

		buf_init(&out, 1 << 20);
		mem_fail_after(k, 0);
		rc = model_parse(data, n, "t.onnx", &m, &e);
		if (!rc)
			rc = model_copy(m, &copy, &e);
		if (!rc)
			rc = model_serialize(copy, &out, &e);
		mem_fail_after(0, 0);
		if (rc && rc != ERR_MEMORY)
			fail_msg("allocation %zu: %s: %s", k, err_name(rc), e.msg);
		assert_true(k < 100000);
		buf_release(&out);
		model_free(copy);
		model_free(m);
	}
	protos_release(&b);
}

static void test_allocation_failures(void **state)
{
	(void)state;
	fail_everywhere(small_model);
	fail_everywhere(branching_model);
	fail_everywhere(function_model);
}

/* ---- the models of the ONNX backend tests ------------------------------------------------------------------------ */

static const char *backend_tests(void)
{
	const char *folder = getenv("ASSAY_ONNX_TESTS");
	static char path[4096];

	if (folder)
		return folder;
	if (!getenv("ASSAY_DEPS"))
		return NULL;
	snprintf(path, sizeof path, "%s/onnx-tests", getenv("ASSAY_DEPS"));
	return path;
}

static void check_file(const char *path)
{
	struct model *m = NULL, *again, *copy = NULL;
	struct err e = ERR_INIT;
	const char *text;

	if (model_load(path, &m, &e))
		fail_msg("%s", e.msg);
	again = models_again(m);
	text = same_model(m, again);
	if (text || (text = check_invariants(m)))
		fail_msg("%s: %s", path, text);
	if (model_copy(m, &copy, &e) || (text = same_model(m, copy)) || (text = check_invariants(copy)))
		fail_msg("%s: copy: %s%s", path, e.msg, text ? text : "");
	model_free(copy);
	model_free(again);
	model_free(m);
}

static void test_backend_models(void **state)
{
	const char *folder = backend_tests();
	char pattern[4200];
	glob_t found;

	(void)state;
	snprintf(pattern, sizeof pattern, "%s/*/*/model.onnx", folder ? folder : "");
	if (!folder || glob(pattern, 0, NULL, &found)) {
		print_message("skipped: no ONNX backend tests (set ASSAY_ONNX_TESTS to their folder)\n");
		skip();
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i]);
	print_message("%zu models read, written, read again and copied\n", (size_t)found.gl_pathc);
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_borrowed_weights),
		cmocka_unit_test(test_initializer_that_is_input),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_captures),
		cmocka_unit_test(test_unknown_type_is_left_out),
		cmocka_unit_test(test_old_model_without_imports),
		cmocka_unit_test(test_allocation_failures),
		cmocka_unit_test(test_backend_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
