/* test_blame_cut.c - parts cut out of networks: what goes in, what comes out, what becomes a constant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "blame/internal.h"
#include "support/networks.h"
#include "support/questions.h"

static int has(struct wire *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i]->name, name))
			return 1;
	return 0;
}

/* Reshape alone: its data is an input, its shape (which depends on shapes alone) an initializer. */
static void test_cut_shapes(void **state)
{
	struct trial t = questions_network(), part = {0};
	struct node *reshape = graph_wire(t.model->graph, "same")->producer;
	struct err e = ERR_INIT;
	unsigned char *kinds;
	int empty;

	(void)state;
	assert_int_equal(trial_truth(&t, &e), 0);
	kinds = cut_kinds(&t, &e);
	assert_non_null(kinds);
	assert_int_equal(kinds[graph_wire(t.model->graph, "dims")->id], WIRE_SHAPE);
	assert_int_equal(kinds[graph_wire(t.model->graph, "same")->id], WIRE_DATA);
	assert_int_equal(kinds[graph_wire(t.model->graph, "w1")->id], WIRE_CONSTANT);
	if (cut_once(&t, kinds, &(struct cut_nodes){.at = &reshape, .n = 1, .values = 1}, &part, &empty, &e))
		fail_msg("%s", e.msg);
	assert_false(empty);
	assert_int_equal(part.model->graph->inputs.n, 1);
	assert_string_equal(part.model->graph->inputs.at[0]->name, "pool");
	assert_non_null(graph_wire(part.model->graph, "dims")->init);
	assert_int_equal(trial_truth(&part, &e), 0);
	assert_false(part.invalid);
	trial_release(&part);
	trial_release(&t);
	mem_free(kinds);
}

/* Nodes from the middle of a branch: what others read comes out, what others make goes in, once each. */
static void test_cut_borders(void **state)
{
	struct trial t = questions_network();
	struct graph *g = t.model->graph;
	struct node *nodes[] = {graph_wire(g, "conv2")->producer, graph_wire(g, "act2")->producer,
				graph_wire(g, "conv3")->producer};
	struct err e = ERR_INIT;
	unsigned char *kinds = cut_kinds(&t, &e);
	struct cut c = {0};

	(void)state;
	assert_non_null(kinds);
	assert_int_equal(cut_plan(&t, kinds, nodes, 3, 0, &c, &e), 0);
	assert_int_equal(c.n_from, 1);
	assert_true(has(c.from, c.n_from, "act1"));
	assert_int_equal(c.n_to, 2);
	assert_true(has(c.to, c.n_to, "act2") && has(c.to, c.n_to, "conv3"));
	cut_release(&c);
	trial_release(&t);
	mem_free(kinds);
}

/* A node reads what the graphs inside of it take from outside. */
static void test_cut_captures(void **state)
{
	struct trial t = {0};
	struct model *m = net_begin((int64_t[]){2}, 1);
	struct graph *inner = graph_new(m, m->graph, "inner");
	struct node *choice, *first;
	struct err e = ERR_INIT;
	unsigned char *kinds;
	struct cut c = {0};

	(void)state;
	first = net_add(m->graph, "Relu", "x", "a");
	net_add(m->graph, "Neg", "a", "b");
	assert_int_equal(graph_add_init(m->graph, "yes", tensor_scalar_i(DT_BOOL, 1, &e), NULL, &e), 0);
	net_add(inner, "Abs", "b", "z");
	assert_int_equal(graph_add_output(inner, graph_wire(inner, "z"), &e), 0);
	choice = net_add(m->graph, "If", "yes", "y");
	assert_int_equal(node_set_graph(choice, "then_branch", inner, &e), 0);
	t = net_finish(m, "y", net_random(1, 1, (int64_t[]){2}, -1, 1));
	kinds = cut_kinds(&t, &e);
	assert_non_null(kinds);
	assert_int_equal(kinds[graph_wire(m->graph, "y")->id], WIRE_DATA);
	assert_int_equal(cut_plan(&t, kinds, &choice, 1, 0, &c, &e), 0);
	assert_int_equal(c.n_from, 1);
	assert_string_equal(c.from[0]->name, "b");
	cut_release(&c);
	assert_int_equal(cut_plan(&t, kinds, (struct node *[]){first, m->graph->nodes.at[1]}, 2, 0, &c, &e), 0);
	assert_int_equal(c.n_to, 1);
	assert_string_equal(c.to[0]->name, "b");
	cut_release(&c);
	mem_free(kinds);
	trial_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_shapes),
		cmocka_unit_test(test_cut_borders),
		cmocka_unit_test(test_cut_captures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
