/* test_doubt.c - wrong values that doubt explains by rounding, and those that it does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/trials.h"
#include "support/workers.h"

#define SEED 7

static struct wire *node2(struct graph *g, const char *op, struct wire *a, struct wire *b)
{
	struct wire *in[2] = {a, b};
	struct err e = ERR_INIT;
	struct node *n = NULL;
	char name[32];

	snprintf(name, sizeof name, "v%zu", g->nodes.n);
	assert_int_equal(graph_append_node(g, op, in, 2, name, &n, &e), 0);
	return n->out[0];
}

static struct wire *constant(struct graph *g, double x, int64_t count)
{
	const int64_t dims[] = {1, count};
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, 2, dims, &e);
	struct wire *w = NULL;
	char name[32];

	snprintf(name, sizeof name, "c%zu", g->wires.n);
	for (size_t i = 0; i < t->count; i++)
		t->f[i] = i % 2 && count > 1 ? -x : x;
	assert_int_equal(graph_add_init(g, name, t, &w, &e), 0);
	return w;
}

/* (x·w + 1) - (x·w + 0.5), where the terms of the product are large and cancel: what a library gives that multiplies
 * once for each of the sums is off by roundings of the product, of which the difference of one has none. */
static struct trial make_shared_product(void)
{
	const int64_t dims[] = {64, 1};
	struct type type = TYPE_INIT;
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct tensor *x = tensor_new(DT_FLOAT, 2, dims, &e);
	struct wire *w, *product;
	struct trial t;

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&type, DT_FLOAT, 2, dims);
	assert_int_equal(graph_add_input(m->graph, "x", &type, &w, &e), 0);
	for (size_t i = 0; i < x->count; i++)
		x->f[i] = (double)(float)(1000.1 + (double)(i / 2));
	product = node2(m->graph, "MatMul", constant(m->graph, 1, 64), w);
	w = node2(m->graph, "Sub", node2(m->graph, "Add", product, constant(m->graph, 1, 1)),
		  node2(m->graph, "Add", product, constant(m->graph, 0.5, 1)));
	assert_int_equal(graph_add_output(m->graph, w, &e), 0);
	in[0] = value_tensor(x, &e);
	if (trial_init(&t, m, in, 3, &e))
		fail_msg("%s", e.msg);
	return t;
}

/* The verdict on numbers that came, before and after doubt; `element` is the one that is told when they stay wrong. */
static void doubt_about(struct trial t, enum dtype type, const double *numbers, enum verdict wanted, size_t element)
{
	struct party p = trials_open("reference");
	struct outcome o = {.values = mem_array(1, sizeof *o.values), .n = 1};
	struct err e = ERR_INIT;
	struct tensor *y;

	assert_int_equal(trial_truth(&t, &e), 0);
	y = tensor_new(type, 2, t.truth.outputs[0].value->tensor->dims, &e);
	for (size_t i = 0; i < y->count; i++)
		if (type == DT_FLOAT)
			y->f[i] = numbers[i];
		else
			y->i[i] = (int64_t)numbers[i];
	o.values[0] = value_tensor(y, &e);
	assert_int_equal(trial_judge_values(&t, &p, NULL, &o, &e), 0);
	assert_int_equal(o.verdict, VERDICT_WRONG);
	assert_int_equal(trial_doubt(&t, NULL, DOUBT_FULL, &o, &e), 0);
	assert_string_equal(verdict_name(o.verdict), verdict_name(wanted));
	if (wanted == VERDICT_WRONG)
		assert_int_equal(o.judged[0].worst, element);
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
}

/* What an operator gives, as another type. */
static struct trial make_cast(const char *line, enum dtype type)
{
	struct trial t = trials_line(line, SEED), both;
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct node *cast = NULL;
	struct wire *w;

	assert_int_equal(model_copy(t.model, &m, &e), 0);
	w = m->graph->outputs.at[0];
	vec_remove(&m->graph->outputs, 0);
	assert_int_equal(graph_append_node(m->graph, "Cast", &w, 1, "y_cast", &cast, &e), 0);
	assert_int_equal(node_set_int(cast, "to", type, &e), 0);
	assert_int_equal(graph_add_output(m->graph, cast->out[0], &e), 0);
	if (trial_init(&both, m, in, 7, &e))
		fail_msg("%s", e.msg);
	trial_release(&t);
	return both;
}

/* log(1 + exp(-18)) is 1.5e-8, and 0 to a library that rounds the sum; as a bool that is true and false. */
static void test_zero_where_terms_cancel(void **state)
{
	static const char line[] = "LogSoftmax-13 f32{9,-9,-9,9}[2,2]";

	(void)state;
	doubt_about(make_cast(line, DT_BOOL), DT_BOOL, (const double[]){0, 1, 1, 0}, VERDICT_ROUNDING, 0);
	doubt_about(make_cast(line, DT_BOOL), DT_BOOL, (const double[]){0, 0, 1, 0}, VERDICT_WRONG, 1);
}

/* tanh(7.5) is 1 - 6e-7, as an integer 0.  A library that is off by five roundings is let pass, and gives 1; tanh(5) is
 * 1 - 9e-5. */
static void test_saturated_as_an_integer(void **state)
{
	static const char line[] = "Tanh-13 f32{7.5,-7.5,5,0}[2,2]";

	(void)state;
	doubt_about(make_cast(line, DT_INT64), DT_INT64, (const double[]){1, -1, 0, 0}, VERDICT_ROUNDING, 0);
	doubt_about(make_cast(line, DT_INT64), DT_INT64, (const double[]){1, -1, 1, 0}, VERDICT_WRONG, 2);
}

static void test_value_computed_twice(void **state)
{
	(void)state;
	doubt_about(make_shared_product(), DT_FLOAT, (const double[]){0.51}, VERDICT_ROUNDING, 0);
	doubt_about(make_shared_product(), DT_FLOAT, (const double[]){1.5}, VERDICT_WRONG, 0);
}

/* The verdict on a number as element 0, with doubt or without. */
static enum verdict verdict_with(const char *line, double number, int doubt)
{
	struct trial t = trials_line(line, SEED);
	struct party p = trials_open("reference");
	struct outcome o = {.values = mem_array(1, sizeof *o.values), .n = 1};
	struct err e = ERR_INIT;
	enum verdict v;

	assert_int_equal(trial_truth(&t, &e), 0);
	o.values[0] = value_tensor(tensor_copy(t.truth.outputs[0].value->tensor, &e), &e);
	o.values[0]->tensor->f[0] = number;
	assert_int_equal(trial_judge_values(&t, &p, NULL, &o, &e), 0);
	if (doubt)
		assert_int_equal(trial_doubt(&t, NULL, DOUBT_FULL, &o, &e), 0);
	v = o.verdict;
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
	return v;
}

static enum verdict verdict_on(const char *line, double number)
{
	return verdict_with(line, number, 0);
}

static enum verdict verdict_after_doubt(const char *line, double number)
{
	return verdict_with(line, number, 1);
}

/* 8e-38 - 5e-39: to a library that takes subnormal products for 0, the first alone. */
static void test_products_are_taken_for_zero(void **state)
{
	static const char line[] = "MatMul-13 f32{1e-19,1e-19}[1,2] f32{8e-19,-5e-20}[2,1]";

	(void)state;
	assert_int_equal(verdict_on(line, 8e-38), VERDICT_ROUNDING);
	assert_int_equal(verdict_on(line, 8e-37), VERDICT_WRONG);
	assert_int_equal(verdict_on("MatMul-13 f16{0.001,0.001}[1,2] f16{0.08,-0.005}[2,1]", 8e-5), VERDICT_WRONG);
}

/* 1e-30 · 1e-30 is 0 in float32, and 0 · inf is NaN; inf · 1e-30 · 1e-30, from the left, is inf.  The same with 0 and a
 * product that overflows. */
static void test_order_of_a_product(void **state)
{
	(void)state;
	assert_int_equal(verdict_after_doubt("ReduceProd-13 f32{inf,1e-30,1e-30}[1,3]", (double)NAN), VERDICT_ROUNDING);
	assert_int_equal(verdict_after_doubt("ReduceProd-13 f32{0,1e30,1e30}[1,3]", (double)NAN), VERDICT_ROUNDING);
	assert_int_equal(verdict_after_doubt("ReduceProd-13 f32{1e30,1e30,1e-30,1e-30}[1,4]", 0), VERDICT_ROUNDING);
	assert_int_equal(verdict_after_doubt("ReduceProd-13 f32{1e30,1e30,1e-30,1e-30}[1,4]", (double)INFINITY),
			 VERDICT_ROUNDING);
	assert_int_equal(verdict_after_doubt("ReduceProd-13 f32{inf,1e-3,1e-3}[1,3]", (double)NAN), VERDICT_WRONG);
	assert_int_equal(verdict_after_doubt("ReduceProd-13 f32{1e3,1e3,1e-3,1e-3}[1,4]", 0), VERDICT_WRONG);
	assert_int_equal(verdict_after_doubt("ReduceProd-13 f64{inf,1e-30,1e-30}[1,3]", (double)NAN), VERDICT_WRONG);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_value_computed_twice),    TEST(test_zero_where_terms_cancel),
		TEST(test_saturated_as_an_integer), TEST(test_products_are_taken_for_zero),
		TEST(test_order_of_a_product),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
