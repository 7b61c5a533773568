/* test_fuzz_around.c - what is put around blocks: it occurs, it fits, and models without it stay as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "methods/fuzz/around.h"
#include "reference/reference.h"

#define MODELS 1200

static struct corpus load(const char *name)
{
	struct corpus c;
	struct err e = ERR_INIT;

	if (corpus_load(name, !strcmp(name, "data/blocks-large.yaml"), &c, &e))
		fail_msg("%s", e.msg);
	return c;
}

static uint32_t only(struct fuzz_op *op, void *arg)
{
	for (const char *const *name = arg; *name; name++)
		if (!strcmp(op->name, *name))
			return op->types;
	return 0;
}

/* ---- what was made ----------------------------------------------------------------------------------------------- */

static int is_op(const struct wire *w, const char *op)
{
	return w && w->producer && !strcmp(w->producer->op_type, op);
}

static const struct node *reader_of(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_in; k++)
			if (g->nodes.at[i]->in[k] == w)
				return g->nodes.at[i];
	return NULL;
}

/* How often nodes of one operator stand between two others, and what of them. */
struct seen {
	int nodes, before, after, both, weights, biases, per_axis, blocks, words, no_zero, transposed, shown, twins,
		copied, folded;
};

static int count_readers(const struct graph *g, const struct wire *w)
{
	int n = 0;

	for (size_t i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->n_in; k++)
			n += g->nodes.at[i]->in[k] == w;
	for (size_t i = 0; i < g->outputs.n; i++)
		n += g->outputs.at[i] == w;
	return n;
}

/* Another node of the operator with the same first input, whose result is an output. */
static int has_twin(const struct graph *g, const struct node *n)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *other = g->nodes.at[i];

		if (other != n && !strcmp(other->op_type, n->op_type) && other->in[0] == n->in[0] &&
		    graph_has_output(g, other->out[0]))
			return 1;
	}
	return 0;
}

/* It is an output, and so is an Identity of it. */
static int is_copied(const struct graph *g, const struct wire *w)
{
	for (size_t i = 0; i < g->nodes.n && graph_has_output(g, w); i++)
		if (!strcmp(g->nodes.at[i]->op_type, "Identity") && g->nodes.at[i]->in[0] == w &&
		    graph_has_output(g, g->nodes.at[i]->out[0]))
			return 1;
	return 0;
}

/* A constant with a number that is not finite goes into an operator before it. */
static int is_folded(const struct wire *w)
{
	for (int i = 0; w->producer && i < w->producer->n_in; i++) {
		const struct wire *in = w->producer->in[i];

		for (size_t k = 0; in && in->init && dtype_is_float(in->type.dtype) && k < in->init->count; k++)
			if (!isfinite(tensor_get(in->init, k)))
				return 1;
	}
	return 0;
}

static void look_at_scales(const struct node *dequantize, struct seen *s)
{
	s->per_axis += dequantize->in[1]->type.rank == 1;
	s->blocks += dequantize->in[1]->type.rank > 1;
	s->words += dtype_bits(dequantize->in[0]->type.dtype) == 16;
	s->no_zero += dequantize->n_in < 3 || !dequantize->in[2];
}

static void look(const struct graph *g, const struct node *n, struct seen *s)
{
	const struct node *next = reader_of(g, n->out[0]);
	int before = is_op(n->in[0], "DequantizeLinear"), after = next && !strcmp(next->op_type, "QuantizeLinear");

	s->nodes++;
	s->before += before;
	s->after += after;
	s->both += before && after;
	if (before)
		look_at_scales(n->in[0]->producer, s);
	if (n->n_in > 1 && is_op(n->in[1], "DequantizeLinear")) {
		s->weights += n->in[1]->producer->in[0]->init != NULL;
		look_at_scales(n->in[1]->producer, s);
	}
	s->biases +=
		n->n_in > 2 && is_op(n->in[2], "DequantizeLinear") && n->in[2]->producer->in[0]->type.dtype == DT_INT32;
	s->transposed += is_op(n->in[0], "Transpose") && next && !strcmp(next->op_type, "Transpose");
	s->shown += count_readers(g, n->out[0]) > 1;
	s->twins += has_twin(g, n);
	s->copied += is_copied(g, n->out[0]);
	s->folded += is_folded(n->in[0]);
}

static struct seen draw_with(const struct fuzz_options *o, const char *file, const char *const *blocks, const char *op)
{
	struct corpus c = load(file);
	struct seen s = {0};
	struct fuzzer *f;
	struct err e = ERR_INIT;

	assert_int_equal(corpus_filter(&c, only, (void *)blocks, &e), 0);
	assert_int_equal(fuzzer_new(&c, o, &f, &e), 0);
	for (int i = 0; i < MODELS; i++) {
		struct fuzz_case made = {0};

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		for (size_t k = 0; k < made.model->graph->nodes.n; k++)
			if (!strcmp(made.model->graph->nodes.at[k]->op_type, op))
				look(made.model->graph, made.model->graph->nodes.at[k], &s);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
	corpus_release(&c);
	return s;
}

static struct seen draw(const char *file, const char *const *blocks, const char *op)
{
	return draw_with(&(struct fuzz_options){.seed = 2, .blocks = 2}, file, blocks, op);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Weights and biases too, with all that quantizing tools vary. */
static void convolutions_are_quantized(void **state)
{
	static const char *const blocks[] = {"Conv", "QuantizeDequantize", "Transpose", NULL};
	struct seen s = draw("data/blocks-large.yaml", blocks, "Conv");

	(void)state;
	assert_true(s.both > 5);
	assert_true(s.before > s.both); /* near misses: nothing behind it */
	assert_true(s.weights > 5);
	assert_true(s.biases > 0);
	assert_true(s.per_axis > 0);
	assert_true(s.blocks > 0);
	assert_true(s.words > 0);
	assert_true(s.no_zero > 0);
	assert_true(s.transposed > 0);
	assert_true(s.before < s.nodes / 2); /* most models are not quantized */
}

static void any_operator_is_quantized(void **state)
{
	static const char *const operators[] = {"Sigmoid", "Softmax", "MaxPool", "Concat", "Gather", "Exp"};

	(void)state;
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		const char *blocks[] = {operators[i], "QuantizeDequantize", NULL};

		if (!draw("data/blocks-large.yaml", blocks, operators[i]).both)
			fail_msg("%s is never quantized", operators[i]);
	}
}

/* What the corpus has not is put around nothing: no backend gets an operator that it has not. */
static void only_what_the_corpus_has(void **state)
{
	static const char *const blocks[] = {"Conv", NULL};
	struct seen s = draw("data/blocks-large.yaml", blocks, "Conv");

	(void)state;
	assert_int_equal(s.before + s.after + s.weights + s.transposed, 0);
}

/* Of a pattern, an inner wire has a second reader or is an output now and then. */
static void inner_wires_are_shown(void **state)
{
	static const char *const blocks[] = {"SigmoidParts", NULL};
	struct seen s = draw("data/blocks-large.yaml", blocks, "Exp");

	(void)state;
	assert_true(s.shown > 0);
	assert_true(s.shown < s.nodes / 8);
}

/* A node is there twice now and then, and an output has a copy that is one as well. */
static void nodes_and_outputs_are_doubled(void **state)
{
	static const char *const blocks[] = {"SigmoidParts", NULL};
	struct seen s = draw("data/blocks-large.yaml", blocks, "Exp");

	(void)state;
	assert_true(s.twins > 0 && s.twins < s.nodes / 8);
	assert_true(s.copied > 0 && s.copied < s.nodes / 8);
}

/* With --special alone, around operators of which it is said what they make of NaN, in turns and in other models. */
static void operands_are_special(void **state)
{
	static const char *const few[] = {"Exp", "Mul", "Add", "Sub", "Div", NULL};
	static const char *const blocks[] = {"Exp", "CumSum", "IsNaN", "Where", "Mul", "Add", "Sub", "Div", NULL};
	static const char *const others[] = {"Exp", "CumSum", "IsNaN", "Where", "Mul", "Add", "Sub", NULL};
	const struct fuzz_options turns = {.seed = 2, .special = 1}, several = {.seed = 2, .special = 1, .blocks = 2};
	struct seen s = draw_with(&turns, "data/blocks-large.yaml", few, "Exp");

	(void)state;
	assert_true(s.folded > 3 && s.folded < s.nodes / 4);
	assert_true(draw_with(&several, "data/blocks-large.yaml", blocks, "Exp").folded > 0);
	assert_int_equal(draw_with(&several, "data/blocks-large.yaml", blocks, "CumSum").folded, 0);
	assert_int_equal(draw_with(&several, "data/blocks-large.yaml", others, "Exp").folded, 0);
	assert_int_equal(draw("data/blocks-large.yaml", blocks, "Exp").folded, 0);
}

/* The paper's corpus is the paper's. */
static void nothing_is_around_the_papers_blocks(void **state)
{
	static const char *const blocks[] = {"Conv2d", "Transpose", NULL};
	struct seen s = draw("data/blocks-paper.yaml", blocks, "Conv");

	(void)state;
	assert_int_equal(s.before + s.after + s.weights, 0);
}

/* Before, the constant for one number had as many places as whatever lay before the list of sizes: none, say, which no
 * Reshape before opset 14 can bring to the size of another operand. */
static void one_number_has_no_row(void **state)
{
	struct maker m = {.opset = 12};
	struct wire x = {.type = {.kind = VALUE_TENSOR, .dtype = DT_FLOAT}};
	int64_t dims[TENSOR_MAX_RANK] = {7};

	(void)state;
	rng_init(&m.rng, 1);
	for (int i = 0; i < 20; i++) {
		m.wide = i % 2;
		assert_int_equal(make_row_shape(&m, &x, dims), 0);
	}
	assert_int_equal(dims[0], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(convolutions_are_quantized),    cmocka_unit_test(any_operator_is_quantized),
		cmocka_unit_test(only_what_the_corpus_has),      cmocka_unit_test(inner_wires_are_shown),
		cmocka_unit_test(nodes_and_outputs_are_doubled), cmocka_unit_test(nothing_is_around_the_papers_blocks),
		cmocka_unit_test(operands_are_special),          cmocka_unit_test(one_number_has_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
