/* test_edit.c - building, editing, sorting, copying and cutting graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "support/models.h"

static struct tensor *two_floats(double a, double b)
{
	struct tensor *t = tensor_new(DT_FLOAT, 1, (int64_t[]){2}, NULL);

	assert_non_null(t);
	t->f[0] = a;
	t->f[1] = b;
	return t;
}

static struct node *add(struct graph *g, const char *op, const char *a, const char *b, const char *out)
{
	struct wire *in[2] = {graph_wire(g, a), b ? graph_wire(g, b) : NULL};
	struct err e = ERR_INIT;
	struct node *n = NULL;

	if (graph_append_node(g, op, in, b ? 2 : 1, out, &n, &e))
		fail_msg("%s", e.msg);
	return n;
}

/* x → Mul w → a → Relu → b → Add w → y;  b → Neg → dead */
static struct model *chain(void)
{
	struct type t = TYPE_INIT;
	struct err e = ERR_INIT;
	struct model *m = NULL;

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&t, DT_FLOAT, 1, (int64_t[]){2});
	assert_int_equal(graph_add_input(m->graph, "x", &t, NULL, &e), 0);
	assert_int_equal(graph_add_init(m->graph, "w", two_floats(3, 4), NULL, &e), 0);
	add(m->graph, "Mul", "x", "w", "a");
	add(m->graph, "Relu", "a", NULL, "b");
	add(m->graph, "Neg", "b", NULL, "dead");
	add(m->graph, "Add", "b", "w", "y");
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, "y"), &e), 0);
	models_assert_sound(m);
	return m;
}

/* An If after the chain whose branches take `a` from outside; its output is z. */
static struct model *branching(void)
{
	struct model *m = chain();
	struct graph *yes = graph_new(m, m->graph, "yes"), *no = graph_new(m, m->graph, "no");
	struct err e = ERR_INIT;
	struct node *branch;

	add(yes, "Neg", "a", NULL, "negated");
	add(yes, "Abs", "negated", NULL, "of no use");
	assert_int_equal(graph_add_output(yes, graph_wire(yes, "negated"), &e), 0);
	assert_int_equal(graph_add_output(no, graph_wire(no, "a"), &e), 0);
	branch = add(m->graph, "If", "x", NULL, "z");
	assert_int_equal(node_set_graph(branch, "then_branch", yes, &e), 0);
	assert_int_equal(node_set_graph(branch, "else_branch", no, &e), 0);
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, "z"), &e), 0);
	models_assert_sound(m);
	return m;
}

/* The IR version that a model of an opset has after writing, when it was read with another. */
static int written_ir(int opset, int ir, enum dtype input)
{
	struct model *m, *back;
	struct type t = TYPE_INIT;
	struct err e = ERR_INIT;
	struct buf bytes;
	int got;

	buf_init(&bytes, (size_t)1 << 16);
	assert_int_equal(model_new(opset, &m, &e), 0);
	m->ir_version = ir;
	type_set(&t, input, 1, (int64_t[]){2});
	assert_int_equal(graph_add_input(m->graph, "x", &t, NULL, &e), 0);
	add(m->graph, "Identity", "x", NULL, "y");
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, "y"), &e), 0);
	assert_int_equal(model_serialize(m, &bytes, &e), 0);
	assert_int_equal(model_parse(bytes.data, bytes.len, "back", &back, &e), 0);
	got = back->ir_version;
	buf_release(&bytes);
	model_free(back);
	model_free(m);
	return got;
}

/* Old libraries refuse a model for its IR version alone: it is never higher than need be, and never raised. */
static void test_ir_version(void **state)
{
	(void)state;
	assert_int_equal(written_ir(13, 10, DT_FLOAT), 7);
	assert_int_equal(written_ir(13, 7, DT_FLOAT), 7);
	assert_int_equal(written_ir(13, 4, DT_FLOAT), 4);
	assert_int_equal(written_ir(7, 10, DT_FLOAT), 4); /* initializers that are inputs can be overridden from 4 on */
	assert_int_equal(written_ir(13, 10, DT_INT4), 10); /* a type that came later */
}

static void test_build(void **state)
{
	struct model *m = chain();
	struct err e = ERR_INIT;
	struct wire *w = graph_wire(m->graph, "w"), *b = graph_wire(m->graph, "b");
	const char *names[] = {"n", "y"};
	struct type t = TYPE_INIT;
	struct node_spec n;

	(void)state;
	assert_int_equal(m->ir_version, 8);
	assert_int_equal(w->init->wide, 0); /* kept packed */
	assert_int_equal(m->graph->nodes.at[1]->opset, 17);
	assert_int_equal(graph_add_input(m->graph, "x", &t, NULL, &e), ERR_INPUT);
	assert_int_equal(graph_add_init(m->graph, "y", two_floats(0, 0), NULL, &e), ERR_INPUT);
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, "y"), &e), ERR_INPUT);
	n = (struct node_spec){.op_type = "Neg", .in = &b, .n_in = 1, .out = names, .n_out = 1};
	assert_int_equal(graph_add_node(m->graph, 0, &n, NULL, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "'b'"));
	n = (struct node_spec){.op_type = "Neg", .domain = "my.domain", .in = &w, .n_in = 1, .out = names, .n_out = 1};
	assert_int_equal(graph_add_node(m->graph, 0, &n, NULL, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "my.domain"));
	/* the second output's name is taken: the first one must not stay behind */
	n = (struct node_spec){.op_type = "Split", .in = &w, .n_in = 1, .out = names, .n_out = 2};
	assert_int_equal(graph_add_node(m->graph, 0, &n, NULL, &e), ERR_INPUT);
	assert_null(graph_wire(m->graph, "n"));
	models_assert_sound(m);
	model_free(m);
}

static void test_attributes(void **state)
{
	struct model *m = chain();
	struct node *n = m->graph->nodes.at[0];
	struct err e = ERR_INIT;
	size_t count;

	(void)state;
	assert_int_equal(node_set_int(n, "axis", 1, &e), 0);
	assert_int_equal(node_set_float(n, "alpha", 0.1, &e), 0);
	assert_int_equal(node_set_string(n, "mode", "linear", &e), 0);
	assert_int_equal(node_set_ints(n, "pads", (int64_t[]){1, 2}, 2, &e), 0);
	assert_int_equal(node_set_floats(n, "scales", (double[]){0.5}, 1, &e), 0);
	assert_int_equal(node_set_tensor(n, "value", two_floats(1, 2), &e), 0);
	assert_int_equal(node_set_int(n, "axis", 2, &e), 0);
	assert_int_equal(n->n_attrs, 6);
	assert_int_equal(node_int(n, "axis", 0), 2);
	assert_true(node_float(n, "alpha", 0) == (double)0.1f);
	assert_string_equal(node_string(n, "mode", ""), "linear");
	assert_int_equal(node_ints(n, "pads", &count)[1], 2);
	assert_true(node_floats(n, "scales", &count)[0] == 0.5);
	node_remove_attr(n, "alpha");
	node_remove_attr(n, "absent");
	assert_int_equal(n->n_attrs, 5);
	assert_false(node_has(n, "alpha"));
	assert_string_equal(node_string(n, "mode", ""), "linear");
	model_free(m);
}

static void test_insert_into_wire(void **state)
{
	struct model *m = chain();
	struct wire *a = graph_wire(m->graph, "a"), *c;
	const char *name = "c";
	const struct node_spec copy = {.op_type = "Identity", .in = &a, .n_in = 1, .out = &name, .n_out = 1};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(graph_add_node(m->graph, 1, &copy, NULL, &e), 0);
	c = graph_wire(m->graph, "c");
	assert_int_equal(graph_replace_uses(m->graph, a, c), 0);
	assert_ptr_equal(m->graph->nodes.at[1]->in[0], a);
	assert_ptr_equal(m->graph->nodes.at[2]->in[0], c);
	models_assert_sound(m);
	model_free(m);
}

static void test_replace(void **state)
{
	struct model *m = branching();
	struct graph *g = m->graph;
	struct wire *x = graph_wire(g, "x"), *a = graph_wire(g, "a"), *y = graph_wire(g, "y");

	(void)state;
	assert_int_equal(graph_replace_uses(g, a, x), 0);
	assert_ptr_equal(g->nodes.at[1]->in[0], x);
	assert_ptr_equal(node_graph(g->nodes.at[4], "then_branch")->nodes.at[0]->in[0], x);
	assert_ptr_equal(node_graph(g->nodes.at[4], "else_branch")->outputs.at[0], x);
	assert_int_equal(graph_replace_uses(g, y, x), 0);
	assert_ptr_equal(g->outputs.at[0], x);
	/* y comes from b comes from x: x cannot come from y, and nothing is changed by the try */
	assert_int_equal(graph_replace_uses(g, x, y), ERR_INPUT);
	assert_ptr_equal(g->nodes.at[1]->in[0], x);
	models_assert_sound(m);
	model_free(m);
}

static void test_remove(void **state)
{
	struct model *m = branching();
	struct graph *g = m->graph;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(graph_remove_node(g, g->nodes.at[0], &e), ERR_INPUT); /* used inside the branches too */
	assert_non_null(strstr(e.msg, "Mul"));
	assert_int_equal(graph_remove_node(g, g->nodes.at[4], &e), ERR_INPUT); /* an output */
	graph_remove_output(g, graph_wire(g, "z"));
	assert_int_equal(m->graphs.n, 3);
	assert_int_equal(graph_remove_node(g, g->nodes.at[4], &e), 0);
	assert_int_equal(m->graphs.n, 1);
	assert_null(graph_wire(g, "z"));
	assert_int_equal(graph_remove_node(g, graph_wire(g, "dead")->producer, &e), 0);
	assert_int_equal(g->nodes.n, 3);
	models_assert_sound(m);
	model_free(m);
}

static void test_remove_dead(void **state)
{
	struct model *m = branching();
	struct graph *g = m->graph;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(graph_add_init(g, "never used", two_floats(0, 0), NULL, &e), 0);
	assert_int_equal(graph_remove_dead(g), 2); /* Neg, and Abs in the branch */
	assert_null(graph_wire(g, "dead"));
	assert_null(graph_wire(g, "never used"));
	assert_non_null(graph_wire(g, "x"));
	models_assert_sound(m);
	graph_remove_output(g, graph_wire(g, "y"));
	assert_int_equal(graph_remove_dead(g), 2); /* Relu and Add; `a` lives on in the branches */
	assert_non_null(graph_wire(g, "a"));
	models_assert_sound(m);
	graph_remove_output(g, graph_wire(g, "z"));
	assert_int_equal(graph_remove_dead(g), 2);
	assert_int_equal(g->wires.n, 1); /* x: inputs stay */
	assert_int_equal(m->graphs.n, 1);
	model_free(m);
}

static void test_rename(void **state)
{
	struct model *m = branching();
	struct err e = ERR_INIT;
	struct wire *a = graph_wire(m->graph, "a");

	(void)state;
	assert_int_equal(graph_rename_wire(a, "x", &e), ERR_INPUT);
	assert_int_equal(graph_rename_wire(a, "negated", &e), ERR_INPUT); /* would be hidden in the branch */
	assert_int_equal(graph_rename_wire(a, "q", &e), 0);
	assert_ptr_equal(graph_wire(m->graph, "q"), a);
	assert_null(graph_wire(m->graph, "a"));
	models_assert_sound(m);
	model_free(m);
}

static void test_sort(void **state)
{
	struct model *m = branching();
	struct graph *g = m->graph;
	struct node *last = g->nodes.at[4];
	struct err e = ERR_INIT;

	(void)state;
	memmove(g->nodes.at + 1, g->nodes.at, 4 * sizeof *g->nodes.at);
	g->nodes.at[0] = last; /* the If before what its branches capture */
	assert_int_equal(graph_sort(g, &e), 0);
	models_assert_sound(m);
	assert_true(graph_wire(g, "a")->producer->index < last->index);
	graph_wire(g, "a")->producer->in[0] = graph_wire(g, "z"); /* a cycle through a capture */
	assert_int_equal(graph_sort(g, &e), ERR_INPUT);
	assert_non_null(strstr(e.msg, "cycle"));
	model_free(m);
}

/* A chain as long as the reader allows: no recursion over nodes. */
static void test_sort_long_chain(void **state)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct type t = TYPE_INIT;
	struct wire *w;
	char name[32];

	(void)state;
	assert_int_equal(model_new(17, &m, &e), 0);
	assert_int_equal(graph_add_input(m->graph, "x", &t, &w, &e), 0);
	for (int i = 0; i < 2000; i++) {
		struct node *n;

		snprintf(name, sizeof name, "v%d", i);
		assert_int_equal(graph_append_node(m->graph, "Neg", &w, 1, name, &n, &e), 0);
		w = n->out[0];
	}
	for (size_t i = 0; i < 1000; i++) {
		struct node *n = m->graph->nodes.at[i];

		m->graph->nodes.at[i] = m->graph->nodes.at[1999 - i];
		m->graph->nodes.at[1999 - i] = n;
	}
	assert_int_equal(graph_sort(m->graph, &e), 0);
	models_assert_sound(m);
	model_free(m);
}

static void test_copy(void **state)
{
	struct model *m = branching(), *copy = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(model_copy(m, &copy, &e), 0);
	models_assert_same(m, copy);
	models_assert_sound(copy);
	assert_ptr_equal(graph_wire(copy->graph, "w")->init, graph_wire(m->graph, "w")->init);
	assert_ptr_equal(node_graph(copy->graph->nodes.at[4], "else_branch")->outputs.at[0],
			 graph_wire(copy->graph, "a"));
	model_free(m);
	assert_true(tensor_get(graph_wire(copy->graph, "w")->init, 1) == 4);
	model_free(copy);
}

static struct model *cut(const struct model *m, const char *from, const char *to, struct err *e)
{
	struct wire *first = graph_wire(m->graph, from), *last = graph_wire(m->graph, to);
	struct model *part = NULL;

	graph_extract(m->graph, &first, 1, &last, 1, &part, e);
	if (part)
		models_assert_sound(part);
	return part;
}

static void test_extract(void **state)
{
	struct model *m = branching(), *part;
	struct err e = ERR_INIT;

	(void)state;
	part = cut(m, "a", "y", &e);
	assert_non_null(part);
	assert_int_equal(part->graph->nodes.n, 2); /* Relu, Add */
	assert_int_equal(part->graph->inputs.n, 1);
	assert_string_equal(part->graph->inputs.at[0]->name, "a");
	assert_non_null(graph_wire(part->graph, "w")->init);
	assert_null(graph_wire(part->graph, "x"));
	model_free(part);
	part = cut(m, "x", "z", &e); /* through the branches' captures */
	assert_non_null(part);
	assert_int_equal(part->graph->nodes.n, 2); /* Mul, If */
	model_free(part);
	assert_null(cut(m, "b", "z", &e)); /* needs x */
	assert_non_null(strstr(e.msg, "'x'"));
	part = cut(m, "y", "y", &e);
	assert_non_null(part);
	assert_int_equal(part->graph->nodes.n, 0);
	model_free(part);
	part = cut(m, "x", "w", &e); /* an initializer as output */
	assert_non_null(graph_wire(part->graph, "w")->init);
	model_free(part);
	model_free(m);
}

/* One output of a node is given, the other one wanted. */
static void test_extract_half_of_a_node(void **state)
{
	const char *names[2] = {"p", "q"};
	struct model *m = chain(), *part = NULL;
	struct wire *x = graph_wire(m->graph, "x"), *from[2], *to;
	const struct node_spec split = {.op_type = "Split", .in = &x, .n_in = 1, .out = names, .n_out = 2};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(graph_add_node(m->graph, 4, &split, NULL, &e), 0);
	add(m->graph, "Add", "p", "q", "s");
	from[0] = x;
	from[1] = graph_wire(m->graph, "p");
	to = graph_wire(m->graph, "s");
	assert_int_equal(graph_extract(m->graph, from, 2, &to, 1, &part, &e), 0);
	models_assert_sound(part);
	assert_int_equal(part->graph->nodes.n, 2);
	assert_null(graph_wire(part->graph, "p")->producer);
	assert_string_not_equal(part->graph->nodes.at[0]->out[0]->name, "p");
	model_free(part);
	model_free(m);
}

/* Each allocation fails once: an error, and the model is as sound as before. */
static void test_allocation_failures(void **state)
{
	struct model *m = branching();
	struct wire *from = graph_wire(m->graph, "x"), *to = graph_wire(m->graph, "z"), *y = graph_wire(m->graph, "y");
	int rc = ERR_MEMORY;

	(void)state;
	for (size_t k = 1; rc; k++) {
		struct model *part = NULL;
		struct err e = ERR_INIT;
		const char *name = "late";

		mem_fail_after(k, 0);
		rc = graph_extract(m->graph, &from, 1, &to, 1, &part, &e);
		if (!rc)
			rc = graph_append_node(m->graph, "Neg", &y, 1, name, NULL, &e);
		if (!rc)
			rc = graph_replace_uses(m->graph, y, graph_wire(m->graph, "late"));
		mem_fail_after(0, 0);
		assert_true(rc == 0 || rc == ERR_MEMORY);
		models_assert_sound(m);
		if (graph_wire(m->graph, "late") && rc)
			assert_int_equal(graph_remove_node(m->graph, graph_wire(m->graph, "late")->producer, &e), 0);
		model_free(part);
	}
	assert_string_equal(m->graph->outputs.at[0]->name, "late");
	model_free(m);
}

static void test_replaced_graph(void **state)
{
	struct model *m = branching();
	struct node *branch = m->graph->nodes.at[4];
	struct graph *other = graph_new(m, m->graph, "other");
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(graph_add_output(other, graph_wire(other, "x"), &e), 0);
	assert_int_equal(m->graphs.n, 4);
	assert_int_equal(node_set_graph(branch, "then_branch", other, &e), 0);
	assert_int_equal(m->graphs.n, 3);
	node_remove_attr(branch, "else_branch");
	assert_int_equal(m->graphs.n, 2);
	assert_ptr_equal(node_graph(branch, "then_branch"), other);
	models_assert_sound(m);
	model_free(m);
}

static void test_write_refuses(void **state)
{
	struct model *m = branching();
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(model_serialize(m, &b, &e), 0);
	buf_clear(&b);
	m->graph->nodes.at[1]->opset = 13;
	assert_int_equal(model_serialize(m, &b, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.msg, "13"));
	assert_int_equal(b.len, 0);
	buf_release(&b);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ir_version),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_insert_into_wire),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_remove_dead),
		cmocka_unit_test(test_rename),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_sort_long_chain),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_extract),
		cmocka_unit_test(test_extract_half_of_a_node),
		cmocka_unit_test(test_allocation_failures),
		cmocka_unit_test(test_replaced_graph),
		cmocka_unit_test(test_write_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
