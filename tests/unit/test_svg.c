/* test_svg.c - pictures are well-formed whatever is in a model, and show what they should. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"
#include "support/xml.h"

#define HOSTILE "</svg><script>alert(1)</script>\"'&\x01\xff"

/* x -> Relu -> Neg -> Relu … -> y, n nodes, the wires' names beginning with `name`. */
static struct model *chain(size_t n, const char *name)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct type t = TYPE_INIT;
	struct wire *w;

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&t, DT_FLOAT, 2, (int64_t[]){2, 3});
	assert_int_equal(graph_add_input(m->graph, name, &t, &w, &e), 0);
	for (size_t i = 0; i < n; i++) {
		char out[200];
		struct node *node;

		snprintf(out, sizeof out, "%s_%zu", name, i);
		assert_int_equal(graph_append_node(m->graph, i % 2 ? "Neg" : "Relu", &w, 1, out, &node, &e), 0);
		w = node->out[0];
	}
	assert_int_equal(graph_add_output(m->graph, w, &e), 0);
	return m;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void assert_well_formed(const struct buf *b)
{
	const char *fault = xml_fault(b->data);

	if (fault)
		fail_msg("%s", fault);
}

static void test_chain(void **state)
{
	struct model *m = chain(3, "x");
	struct svg_node notes[] = {{"", "", ""}, {"#c81e28", "R 31.2", "pointed at"}, {"", "", ""}};
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(svg_graph(m, notes, 0, &b, &e), 0);
	assert_well_formed(&b);
	assert_int_equal(count(b.data, "class=\"box\""), 2);
	assert_int_equal(count(b.data, "class=\"mark\""), 1);
	assert_int_equal(count(b.data, "class=\"pill in\""), 1);
	assert_int_equal(count(b.data, "class=\"pill out\""), 1);
	assert_int_equal(count(b.data, "<path d="), 4);
	assert_int_equal(count(b.data, "<title>pointed at</title>"), 1);
	assert_int_equal(count(b.data, "float32[2,3]"), 1);
	assert_int_equal(count(b.data, "around the marked ones"), 0);
	buf_release(&b);
	model_free(m);
}

static void test_hostile_names(void **state)
{
	struct model *m = chain(2, HOSTILE);
	struct svg_node notes[] = {{HOSTILE, HOSTILE, HOSTILE}, {"", "", ""}};
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	m->graph->nodes.at[0]->op_type = m->graph->nodes.at[0]->name = HOSTILE;
	assert_int_equal(node_set_string(m->graph->nodes.at[0], "to", HOSTILE, &e), 0);
	buf_init(&b, 1 << 20);
	assert_int_equal(svg_graph(m, notes, 0, &b, &e), 0);
	assert_well_formed(&b);
	assert_int_equal(count(b.data, "<script"), 0);
	buf_release(&b);
	model_free(m);
}

/* Of a large graph only the part around the marked node is drawn, and the picture says so. */
static void test_large(void **state)
{
	struct model *m = chain(1000, "x");
	struct svg_node *notes = calloc(1000, sizeof *notes);
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		notes[i] = (struct svg_node){i == 500 ? "#ff0000" : "", "", ""};
	buf_init(&b, 1 << 20);
	assert_int_equal(svg_graph(m, notes, 11, &b, &e), 0);
	assert_well_formed(&b);
	assert_int_equal(count(b.data, "class=\"box\""), 10);
	assert_int_equal(count(b.data, "class=\"mark\""), 1);
	assert_int_equal(count(b.data, "11 of 1000 nodes"), 1);
	assert_non_null(strstr(b.data, m->graph->nodes.at[495]->name));
	assert_non_null(strstr(b.data, m->graph->nodes.at[505]->name));
	assert_null(strstr(b.data, m->graph->nodes.at[900]->name));
	buf_clear(&b);
	assert_int_equal(svg_graph(m, NULL, 0, &b, &e), 0);
	assert_well_formed(&b);
	assert_int_equal(count(b.data, "class=\"box\""), 600);
	buf_release(&b);
	free(notes);
	model_free(m);
}

/* Constants beside the nodes of a large graph are left out, and the picture says so. */
static void test_constants(void **state)
{
	const char *name = "c";
	const struct node_spec constant = {.op_type = "Constant", .out = &name, .n_out = 1};
	struct model *m = chain(20, "x");
	struct err e = ERR_INIT;
	struct node *n;
	struct buf b;

	(void)state;
	assert_int_equal(graph_add_node(m->graph, 0, &constant, &n, &e), 0);
	buf_init(&b, 1 << 20);
	assert_int_equal(svg_graph(m, NULL, 0, &b, &e), 0);
	assert_well_formed(&b);
	assert_int_equal(count(b.data, "class=\"box\""), 20);
	assert_int_equal(count(b.data, "20 of 21 nodes, those that have inputs"), 1);
	buf_release(&b);
	model_free(m);
}

static void test_map(void **state)
{
	struct model *m = chain(4, "x");
	struct blame_map_entry at[4];
	struct blame_map map = {.at = at, .n = 4};
	const double rate[] = {0, NAN, 1e6, INFINITY}, rounding[] = {3, NAN, 0.5, NAN};
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	for (int i = 0; i < 4; i++)
		at[i] = (struct blame_map_entry){
			.node = m->graph->nodes.at[i], .rate = rate[i], .delta = 0.5, .noise_ratio = 1e4};
	buf_init(&b, 1 << 20);
	assert_int_equal(svg_map(m, &map, &b, &e), 0);
	assert_well_formed(&b);
	assert_int_equal(count(b.data, "class=\"mark\""), 4);
	assert_int_equal(count(b.data, "fill=\"#6e0023\""), 2); /* the largest, and what is beyond all */
	assert_int_equal(count(b.data, "fill=\"#fffadc\""), 1);
	assert_int_equal(count(b.data, "fill=\"#b8b8b8\""), 1);
	for (int i = 0; i < 4; i++)
		at[i].noise_ratio = rounding[i];
	buf_clear(&b);
	assert_int_equal(svg_map(m, &map, &b, &e), 0);
	assert_int_equal(count(b.data, "fill=\"#6e0023\""), 1); /* of rounding none is dark, however fast it grows */
	assert_int_equal(count(b.data, "fill=\"#fffadc\""), 2);
	buf_release(&b);
	model_free(m);
}

static void test_curves(void **state)
{
	const double x[] = {0, 10, 20, 30}, y[] = {0, 0.5, NAN, 0.9}, inf[] = {INFINITY, NAN, INFINITY, -INFINITY};
	const struct svg_series series[] = {
		{HOSTILE, x, y, 4}, {"none", x, inf, 4}, {"empty", x, y, 0}, {"one", x, y, 1}};
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	assert_int_equal(svg_curves(HOSTILE, "seconds", series, 4, &b, &e), 0);
	assert_well_formed(&b);
	assert_null(strstr(b.data, "=\"nan"));
	assert_null(strstr(b.data, "=\"inf"));
	assert_null(strstr(b.data, "<script"));
	assert_int_equal(count(b.data, "<circle"), 2);
	buf_clear(&b);
	assert_int_equal(svg_curves("nothing", "s", series, 0, &b, &e), 0);
	assert_well_formed(&b);
	buf_clear(&b);
	assert_int_equal(svg_curves("one", "s", series, 1, &b, &e), 0);
	assert_int_equal(count(b.data, "L"), 2); /* three points of four are numbers */
	buf_release(&b);
}

/* A buffer that is too small is an error, not half a picture. */
static void test_cap(void **state)
{
	struct model *m = chain(3, "x");
	struct err e = ERR_INIT;
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	assert_int_equal(svg_graph(m, NULL, 0, &b, &e), ERR_LIMIT);
	buf_release(&b);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),     cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_large),
		cmocka_unit_test(test_constants), cmocka_unit_test(test_map),           cmocka_unit_test(test_curves),
		cmocka_unit_test(test_cap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
