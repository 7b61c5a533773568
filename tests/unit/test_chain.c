/* test_chain.c - nodes done as steps behind another give what they give alone, bit by bit.
 *
 * An observer wants to see every value, so with one there are no steps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "reference/reference.h"

#define FIRST "Conv-11 f32[2,40,7,9] f32[33,40,3,3] f32[33] pads=[1,1,1,1]"

static struct wire *add_node(struct graph *g, const char *op, struct wire **in, int n_in, const char *out)
{
	struct err e = ERR_INIT;
	struct node *n;

	assert_int_equal(graph_append_node(g, op, in, (size_t)n_in, out, &n, &e), 0);
	return n->out[0];
}

/* An initializer with values around `middle`. */
static struct wire *add_init(struct graph *g, const char *name, int rank, const int64_t *dims, double middle)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(DT_FLOAT, rank, dims, &e), *packed;
	struct wire *w;

	assert_non_null(wide);
	for (size_t i = 0; i < wide->count; i++)
		wide->f[i] = middle + 0.4 * sin(1.0 + 0.7 * (double)i);
	packed = tensor_pack(wide, &e);
	tensor_unref(wide);
	assert_non_null(packed);
	assert_int_equal(graph_add_init(g, name, packed, &w, &e), 0);
	return w;
}

static struct wire *add_norm(struct graph *g, struct wire *x, const char *out, const char *const names[4])
{
	const int64_t channels = 33;
	struct wire *in[5] = {x};

	for (int i = 0; i < 4; i++)
		in[i + 1] = add_init(g, names[i], 1, &channels, i == 0 || i == 3 ? 1 : 0);
	return add_node(g, "BatchNormalization", in, 5, out);
}

/* y0 = Conv x; r0 = Relu(Norm y0); r1 = Relu(y0 + Norm(Conv r0)): y0 has two readers, all others one. */
static struct model *residual_block(const char *sum, int other_first)
{
	const int64_t dims[] = {33, 33, 1, 1};
	struct wire *y0, *in[2], *c1, *b1;
	struct err e = ERR_INIT;
	struct op_case c;
	struct model *m;
	struct graph *g;

	assert_int_equal(case_parse(FIRST, 3, &c, &e), 0);
	assert_int_equal(model_copy(c.model, &m, &e), 0);
	case_release(&c);
	g = m->graph;
	y0 = graph_wire(g, "y0");
	in[0] = add_norm(g, y0, "b0", (const char *const[]){"s0", "o0", "m0", "v0"});
	in[0] = add_node(g, "Relu", in, 1, "r0");
	in[1] = add_init(g, "w1", 4, dims, 0.1);
	c1 = add_node(g, "Conv", in, 2, "c1");
	b1 = add_norm(g, c1, "b1", (const char *const[]){"s1", "o1", "m1", "v1"});
	in[other_first ? 0 : 1] = y0;
	in[other_first ? 1 : 0] = b1;
	in[0] = add_node(g, sum, in, 2, "a1");
	in[0] = add_node(g, "Relu", in, 1, "r1");
	graph_remove_output(g, y0);
	assert_int_equal(graph_add_output(g, in[0], &e), 0);
	return m;
}

static int look(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		void *arg)
{
	(void)n, (void)out, (void)w, (void)v, (void)noise;
	++*(int *)arg;
	return 0;
}

static void compare(struct ref *r, const struct op_case *c, struct ref_options o)
{
	struct ref_result steps, nodes;
	struct err e = ERR_INIT;
	int seen = 0;
	size_t n;

	assert_int_equal(ref_run(r, c->inputs, c->n, &o, &steps, &e), 0);
	o.observe = look;
	o.observe_arg = &seen;
	assert_int_equal(ref_run(r, c->inputs, c->n, &o, &nodes, &e), 0);
	assert_int_equal(seen, 7);
	n = nodes.outputs[0].value->tensor->count;
	assert_int_equal(n, steps.outputs[0].value->tensor->count);
	assert_memory_equal(steps.outputs[0].value->tensor->f, nodes.outputs[0].value->tensor->f, n * sizeof(double));
	for (size_t i = 0; nodes.outputs[0].noise && i < n; i++)
		assert_true(steps.outputs[0].noise[i] == nodes.outputs[0].noise[i]);
	ref_result_release(&steps);
	ref_result_release(&nodes);
}

static void test_steps_are_nodes(void **state)
{
	struct err e = ERR_INIT;
	struct op_case c;

	(void)state;
	assert_int_equal(case_parse(FIRST, 3, &c, &e), 0);
	for (int i = 0; i < 4; i++) {
		struct model *m = residual_block(i & 1 ? "Sum" : "Add", i >> 1);
		struct ref *r;

		assert_int_equal(ref_open(m, &r, &e), 0);
		compare(r, &c, (struct ref_options){.mode = REF_EXACT});
		compare(r, &c, (struct ref_options){.mode = REF_ROUNDED});
		compare(r, &c, (struct ref_options){.mode = REF_NOISY});
		compare(r, &c, (struct ref_options){.mode = REF_NOISY, .noise_runs = 3});
		ref_close(r);
		model_free(m);
	}
	case_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_are_nodes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
