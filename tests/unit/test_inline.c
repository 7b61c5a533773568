/* test_inline.c - functions of a model become plain nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "support/models.h"
#include "support/protos.h"

#define INT ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
#define GRAPH ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH

static char local[] = "local";

struct fixture {
	struct protos b;
	Onnx__ModelProto *p;
};

static void setup(struct fixture *f)
{
	protos_init(&f->b);
	f->p = protos_model(&f->b, 10, 17);
	protos_import(&f->b, f->p, local, 1);
	protos_input(&f->b, f->p->graph, "x", "2");
}

static Onnx__NodeProto *call(struct fixture *f, const char *op, const char *in, const char *out)
{
	Onnx__NodeProto *n = protos_node(&f->b, f->p->graph, op, in, out);

	n->domain = local;
	return n;
}

struct body_node {
	const char *op, *in, *out;
};
#define BODY(...) ((const struct body_node[]){__VA_ARGS__, {0}})

static Onnx__FunctionProto *define(struct fixture *f, const char *name, const char *in, const char *out,
				   const struct body_node *body)
{
	Onnx__FunctionProto *fn = protos_function(&f->b, f->p, local, name, in, out, 17);

	for (; body->op; body++)
		protos_body(&f->b, fn, body->op, body->in, body->out);
	return fn;
}

/* The model with outputs of one letter each. */
static struct model *parse(struct fixture *f, const char *outputs)
{
	struct model *m;

	for (; *outputs; outputs++)
		protos_output(&f->b, f->p->graph, (const char[]){*outputs, '\0'}, "2");
	m = models_read(f->p);
	models_assert_round_trip(m);
	return m;
}

static void finish(struct fixture *f, struct model *m)
{
	model_free(m);
	protos_release(&f->b);
}

static void assert_refused(struct fixture *f, int status, const char *word)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;

	assert_int_equal(protos_parse(f->p, &m, &e), status);
	assert_null(m);
	assert_non_null(strstr(e.msg, "t.onnx"));
	if (!strstr(e.msg, word))
		fail_msg("'%s' lacks '%s'", e.msg, word);
	protos_release(&f->b);
}

static void test_body(void **state)
{
	struct fixture f;
	struct model *m;

	(void)state;
	setup(&f);
	define(&f, "Twice", "a", "b", BODY({"Neg", "t", "b"}, {"Abs", "a", "t"})); /* in the wrong order */
	call(&f, "Twice", "x", "t");
	call(&f, "Twice", "t", "y")->name = "second";
	m = parse(&f, "y");
	assert_int_equal(m->graph->nodes.n, 4);
	assert_string_equal(m->graph->nodes.at[0]->op_type, "Abs");
	assert_string_equal(m->graph->nodes.at[0]->name, "Twice_0/Abs_1");
	assert_string_equal(m->graph->nodes.at[0]->out[0]->name, "Twice_0/t");
	assert_string_equal(m->graph->nodes.at[1]->out[0]->name, "t");
	assert_string_equal(m->graph->nodes.at[3]->out[0]->name, "y");
	assert_string_equal(m->graph->nodes.at[3]->name, "second/Neg_0");
	finish(&f, m);
}

static void test_names_do_not_clash(void **state)
{
	struct fixture f;
	struct model *m;

	(void)state;
	setup(&f);
	define(&f, "Twice", "a", "b", BODY({"Abs", "a", "t"}, {"Neg", "t", "b"}));
	protos_init_tensor(&f.b, f.p->graph, "n/t", "2"); /* what t would be called */
	call(&f, "Twice", "x", "y")->name = "n";
	call(&f, "Twice", "n/t", "z")->name = "n";
	m = parse(&f, "yz");
	assert_int_equal(m->graph->nodes.n, 4);
	assert_non_null(graph_wire(m->graph, "n/t")->init);
	finish(&f, m);
}

static void test_attributes(void **state)
{
	Onnx__FunctionProto *fn;
	Onnx__NodeProto *n;
	struct fixture f;
	struct model *m;

	(void)state;
	setup(&f);
	fn = protos_function(&f.b, f.p, local, "F", "a", "b", 17);
	protos_function_attr(&f.b, fn, "given");
	protos_function_attr(&f.b, fn, "left_out");
	protos_function_default(&f.b, fn, "usual", 5);
	protos_function_default(&f.b, fn, "changed", 6);
	n = protos_body(&f.b, fn, "Odd", "a", "b");
	protos_attr_ref(&f.b, n, "one", INT, "given");
	protos_attr_ref(&f.b, n, "two", INT, "left_out");
	protos_attr_ref(&f.b, n, "three", INT, "usual");
	protos_attr_ref(&f.b, n, "four", 0, "changed");
	n = call(&f, "F", "x", "y");
	protos_attr_int(&f.b, n, "given", 7);
	protos_attr_int(&f.b, n, "changed", 8);
	m = parse(&f, "y");
	assert_int_equal(node_int(m->graph->nodes.at[0], "one", 0), 7);
	assert_false(node_has(m->graph->nodes.at[0], "two"));
	assert_int_equal(node_int(m->graph->nodes.at[0], "three", 0), 5);
	assert_int_equal(node_int(m->graph->nodes.at[0], "four", 0), 8);
	finish(&f, m);
}

/* outer(attr k) calls inner(attr k = ref), which uses it in a subgraph that captures the function's input; inside the
 * subgraph names collide with names of the caller. */
static void test_nested_with_subgraph(void **state)
{
	Onnx__FunctionProto *outer, *inner;
	Onnx__GraphProto *yes, *no;
	const struct graph *branch;
	Onnx__NodeProto *n;
	struct fixture f;
	struct model *m;

	(void)state;
	setup(&f);
	outer = protos_function(&f.b, f.p, local, "Outer", "a", "b", 17);
	inner = protos_function(&f.b, f.p, local, "Inner", "p", "q", 17);
	protos_function_attr(&f.b, outer, "k");
	protos_function_attr(&f.b, inner, "k");
	n = protos_body(&f.b, outer, "Inner", "a", "b");
	n->domain = local;
	protos_attr_ref(&f.b, n, "k", INT, "k");
	yes = protos_graph(&f.b, "yes");
	no = protos_graph(&f.b, "no");
	protos_attr_ref(&f.b, protos_node(&f.b, yes, "Odd", "p", "x"), "axis", INT, "k"); /* x: as the model's input */
	protos_output(&f.b, yes, "x", NULL);
	protos_output(&f.b, no, "p", NULL);
	n = protos_body(&f.b, inner, "If", "p", "q");
	protos_attr_graph(&f.b, n, "then_branch", yes);
	protos_attr_graph(&f.b, n, "else_branch", no);
	protos_attr_int(&f.b, call(&f, "Outer", "x", "y"), "k", 3);
	m = parse(&f, "y");
	assert_int_equal(m->graph->nodes.n, 1);
	branch = node_graph(m->graph->nodes.at[0], "then_branch");
	assert_int_equal(node_int(branch->nodes.at[0], "axis", 0), 3);
	assert_ptr_equal(branch->nodes.at[0]->in[0], graph_wire(m->graph, "x"));
	assert_string_not_equal(branch->outputs.at[0]->name, "x");
	assert_string_equal(m->graph->nodes.at[0]->out[0]->name, "y");
	finish(&f, m);
}

/* A graph handed to a function sees the names of the call, not those of the function. */
static void test_graph_attribute(void **state)
{
	Onnx__FunctionProto *fn;
	Onnx__GraphProto *g;
	Onnx__NodeProto *n;
	const struct graph *branch;
	struct fixture f;
	struct model *m;

	(void)state;
	setup(&f);
	fn = protos_function(&f.b, f.p, local, "F", "a", "b", 17);
	protos_function_attr(&f.b, fn, "g");
	protos_body(&f.b, fn, "Neg", "a", "x");
	n = protos_body(&f.b, fn, "If", "x", "b");
	protos_attr_ref(&f.b, n, "then_branch", GRAPH, "g");
	protos_attr_ref(&f.b, n, "else_branch", GRAPH, "g");
	g = protos_graph(&f.b, "body");
	protos_node(&f.b, g, "Abs", "x", "r");
	protos_output(&f.b, g, "r", NULL);
	protos_attr_graph(&f.b, call(&f, "F", "x", "y"), "g", g);
	m = parse(&f, "y");
	branch = node_graph(m->graph->nodes.at[1], "else_branch");
	assert_ptr_equal(branch->nodes.at[0]->in[0], graph_wire(m->graph, "x"));
	assert_ptr_not_equal(branch, node_graph(m->graph->nodes.at[1], "then_branch"));
	finish(&f, m);
}

static void test_left_out_and_passed_on(void **state)
{
	struct fixture f;
	struct model *m;

	(void)state;
	setup(&f);
	define(&f, "F", "a,lo,hi", "b,a,unused", BODY({"Clip", "a,lo,hi", "b"}, {"Neg", "a", "unused"}));
	call(&f, "F", "x,,x", "y,z");
	m = parse(&f, "yz");
	assert_int_equal(m->graph->nodes.n, 3);
	assert_null(m->graph->nodes.at[0]->in[1]);
	assert_ptr_equal(m->graph->nodes.at[0]->in[2], graph_wire(m->graph, "x"));
	assert_string_equal(graph_wire(m->graph, "z")->producer->op_type, "Identity");
	finish(&f, m);
}

static void test_own_opset(void **state)
{
	Onnx__FunctionProto *fn;
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct fixture f;
	struct buf b;

	(void)state;
	setup(&f);
	fn = protos_function(&f.b, f.p, local, "F", "a", "b", 13);
	protos_body(&f.b, fn, "Neg", "a", "b");
	call(&f, "F", "x", "t");
	protos_node(&f.b, f.p->graph, "Neg", "t", "y");
	protos_output(&f.b, f.p->graph, "y", "2");
	assert_int_equal(protos_parse(f.p, &m, &e), 0);
	assert_int_equal(m->graph->nodes.at[0]->opset, 13);
	assert_int_equal(m->graph->nodes.at[1]->opset, 17);
	buf_init(&b, 1 << 20);
	assert_int_equal(model_serialize(m, &b, &e), ERR_UNSUPPORTED);
	buf_release(&b);
	finish(&f, m);
}

static void test_overloads(void **state)
{
	Onnx__FunctionProto *fn;
	struct fixture f;
	struct model *m;

	(void)state;
	setup(&f);
	define(&f, "F", "a", "b", BODY({"Neg", "a", "b"}));
	fn = define(&f, "F", "a", "b", BODY({"Abs", "a", "b"}));
	fn->overload = arena_strdup(&f.b.arena, "other");
	call(&f, "F", "x", "y")->overload = fn->overload;
	m = parse(&f, "y");
	assert_string_equal(m->graph->nodes.at[0]->op_type, "Abs");
	finish(&f, m);
}

static void test_recursion(void **state)
{
	Onnx__FunctionProto *a, *b;
	struct fixture f;

	(void)state;
	setup(&f);
	a = protos_function(&f.b, f.p, local, "A", "a", "b", 17);
	b = protos_function(&f.b, f.p, local, "B", "a", "b", 17);
	protos_body(&f.b, a, "B", "a", "b")->domain = local;
	protos_body(&f.b, b, "A", "a", "b")->domain = local;
	call(&f, "A", "x", "y");
	assert_refused(&f, ERR_INPUT, "calls itself");
}

/* Each function calls the next one `width` times. */
static void tower(struct fixture *f, int height, int width)
{
	char name[16], next[16], in[16], out[16];

	for (int i = 0; i < height; i++) {
		Onnx__FunctionProto *fn;

		snprintf(name, sizeof name, "F%d", i);
		snprintf(next, sizeof next, i + 1 < height ? "F%d" : "Neg", i + 1);
		fn = protos_function(&f->b, f->p, local, name, "v0", "v0_out", 17);
		fn->output[0] = arena_printf(&f->b.arena, "v%d", width);
		for (int k = 0; k < width; k++) {
			Onnx__NodeProto *n;

			snprintf(in, sizeof in, "v%d", k);
			snprintf(out, sizeof out, "v%d", k + 1);
			n = protos_body(&f->b, fn, next, in, out);
			if (i + 1 < height)
				n->domain = local;
		}
	}
	call(f, "F0", "x", "y");
	protos_output(&f->b, f->p->graph, "y", "2");
}

static void test_depth_and_size(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	tower(&f, MODEL_MAX_DEPTH - 1, 1);
	finish(&f, parse(&f, ""));
	setup(&f);
	tower(&f, MODEL_MAX_DEPTH + 1, 1);
	assert_refused(&f, ERR_LIMIT, "deeper");
	setup(&f);
	tower(&f, 12, 8); /* 8^12 nodes */
	assert_refused(&f, ERR_LIMIT, "nodes");
}

static void test_bad_calls(void **state)
{
	static const struct {
		const char *in, *out, *word;
	} bad[] = {{"x,x,x", "y", "inputs"}, {"x", "y,z", "outputs"}, {"nothing", "y", "nothing"}};
	Onnx__FunctionProto *fn;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		setup(&f);
		define(&f, "F", "a,c", "b", BODY({"Neg", "a", "b"}));
		call(&f, "F", bad[i].in, bad[i].out);
		assert_refused(&f, ERR_INPUT, bad[i].word);
	}
	setup(&f); /* the body sees nothing of its caller */
	define(&f, "F", "a", "b", BODY({"Neg", "x", "b"}));
	call(&f, "F", "x", "y");
	assert_refused(&f, ERR_INPUT, "'x'");
	setup(&f); /* an output nobody makes */
	fn = protos_function(&f.b, f.p, local, "F", "a", "b", 17);
	call(&f, "F", "x", "y");
	assert_refused(&f, ERR_INPUT, "'b'");
	setup(&f); /* an opset the function does not import */
	fn = protos_function(&f.b, f.p, local, "F", "a", "b", 0);
	protos_body(&f.b, fn, "Neg", "a", "b");
	call(&f, "F", "x", "y");
	assert_refused(&f, ERR_INPUT, "ai.onnx");
	setup(&f); /* a reference outside of a function */
	protos_attr_ref(&f.b, protos_node(&f.b, f.p->graph, "Neg", "x", "y"), "k", INT, "k");
	assert_refused(&f, ERR_INPUT, "refers");
	setup(&f); /* an attribute the function does not have */
	define(&f, "F", "a", "b", BODY({"Neg", "a", "b"}));
	protos_attr_int(&f.b, call(&f, "F", "x", "y"), "k", 1);
	assert_refused(&f, ERR_INPUT, "'k'");
	setup(&f); /* defined twice */
	protos_function(&f.b, f.p, local, "F", "a", "b", 17);
	protos_function(&f.b, f.p, local, "F", "a", "b", 17);
	assert_refused(&f, ERR_INPUT, "twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_body),
		cmocka_unit_test(test_names_do_not_clash),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_nested_with_subgraph),
		cmocka_unit_test(test_graph_attribute),
		cmocka_unit_test(test_left_out_and_passed_on),
		cmocka_unit_test(test_own_opset),
		cmocka_unit_test(test_overloads),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_depth_and_size),
		cmocka_unit_test(test_bad_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
