/* test_frames.c - the wide forms of what the fuzzer draws: each occurs within some models, and the reference runs it.
 *
 * First what a model says of itself around its nodes, then attributes and shapes of single operators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "reference/reference.h"
#include "support/blocks.h"

#define MODELS 400   /* of whole models */
#define OF_BLOCK 900 /* of one block */

static struct corpus all;

static int set_up(void **state)
{
	(void)state;
	return blocks_load(&all);
}

static int tear_down(void **state)
{
	(void)state;
	corpus_release(&all);
	return 0;
}

static void run_in_reference(struct fuzz_case *c)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result result = {0};
	struct ref *ref = NULL;
	struct err e = ERR_INIT;

	if (ref_open(c->model, &ref, &e) || ref_run(ref, c->inputs, c->model->graph->inputs.n, &o, &result, &e))
		fail_msg("%s", e.msg);
	ref_result_release(&result);
	ref_close(ref);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

struct seen {
	int rank[MAKE_MAX_RANK + 1], empty, symbol, unknown, defaults, overridden, old_ir, inner, both;
};

/* Sizes of one name are equal. */
static void look_at_sizes(const struct fuzz_case *c, struct seen *s)
{
	const struct graph *g = c->model->graph;
	int64_t sizes[64];

	for (size_t i = 0; i < 64; i++)
		sizes[i] = -1;
	for (size_t i = 0; i < g->inputs.n; i++) {
		const struct wire *w = g->inputs.at[i];
		const struct tensor *t = c->inputs[i] ? c->inputs[i]->tensor : NULL;

		for (int k = 0; t && !w->init && k < t->rank; k++) {
			int64_t d = w->type.dims[k];

			s->unknown += d == DIM_UNKNOWN;
			s->symbol += d < DIM_UNKNOWN;
			assert_true(d < 0 || d == t->dims[k]);
			if (d >= DIM_UNKNOWN)
				continue;
			assert_true(DIM_SYMBOL_INDEX(d) < c->model->symbols.n && DIM_SYMBOL_INDEX(d) < 64);
			if (sizes[DIM_SYMBOL_INDEX(d)] >= 0)
				assert_int_equal(sizes[DIM_SYMBOL_INDEX(d)], t->dims[k]);
			sizes[DIM_SYMBOL_INDEX(d)] = t->dims[k];
		}
		s->empty += t && !t->count;
		if (t)
			s->rank[t->rank]++;
	}
}

static void look_at_defaults(const struct fuzz_case *c, struct seen *s)
{
	const struct graph *g = c->model->graph;

	for (size_t i = 0; i < g->inputs.n; i++) {
		if (!g->inputs.at[i]->init)
			continue;
		s->old_ir += c->model->ir_version < 4;
		s->defaults += c->model->ir_version >= 4 && !c->inputs[i];
		s->overridden += c->inputs[i] != NULL;
	}
}

static void look_at_outputs(const struct graph *g, struct seen *s)
{
	for (size_t i = 0; i < g->outputs.n; i++)
		s->inner += graph_reads(g, g->outputs.at[i]);
	for (size_t i = 0; i < g->nodes.n; i++) {
		int n = 0;

		for (int k = 0; k < g->nodes.at[i]->n_out; k++)
			n += g->nodes.at[i]->out[k] && graph_has_output(g, g->nodes.at[i]->out[k]);
		s->both += n > 1;
	}
}

static void frames_vary(void **state)
{
	struct fuzz_options o = {.seed = 3, .opset = 21, .most_blocks = 6};
	struct seen s = {{0}, 0, 0, 0, 0, 0, 0, 0, 0};
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzzer_new(&all, &o, &f, &e), 0);
	for (int i = 0; i < MODELS; i++) {
		struct fuzz_case c = {0};

		if (fuzzer_next(f, &c, &e))
			fail_msg("%s", e.msg);
		look_at_sizes(&c, &s);
		look_at_defaults(&c, &s);
		look_at_outputs(c.model->graph, &s);
		run_in_reference(&c);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	for (int i = 0; i <= MAKE_MAX_RANK; i++)
		assert_true(s.rank[i] > 0);
	assert_true(s.empty && s.symbol && s.unknown && s.defaults && s.overridden && s.old_ir && s.inner && s.both);
}

/* A campaign without mutations has models as the paper has them. */
static void frames_stay(void **state)
{
	struct fuzz_options o = {.seed = 3, .opset = 21, .most_blocks = 6, .no_mutations = 1};
	struct seen s = {{0}, 0, 0, 0, 0, 0, 0, 0, 0};
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(fuzzer_new(&all, &o, &f, &e), 0);
	for (int i = 0; i < 60; i++) {
		struct fuzz_case c = {0};

		assert_int_equal(fuzzer_next(f, &c, &e), 0);
		look_at_sizes(&c, &s);
		look_at_defaults(&c, &s);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	assert_false(s.empty || s.symbol || s.unknown || s.defaults || s.overridden || s.old_ir);
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static int is(const struct node *n, const char *attr, const char *word)
{
	return !strcmp(node_string(n, attr, ""), word);
}

static int64_t dim(const struct wire *w, int axis)
{
	return w->type.rank > axis ? w->type.dims[axis] : -1;
}

static int count_is_0(const struct wire *w)
{
	for (int i = 0; i < w->type.rank; i++)
		if (!w->type.dims[i])
			return 1;
	return 0;
}

static int allows_zero(const struct node *n)
{
	return node_int(n, "allowzero", 0) && count_is_0(n->out[0]);
}

static int from_nothing(const struct node *n)
{
	return count_is_0(n->in[0]);
}

static int to_nothing(const struct node *n)
{
	return count_is_0(n->out[0]) && !count_is_0(n->in[0]);
}

static int lower_rank(const struct node *n)
{
	return n->in[1]->type.rank < n->in[0]->type.rank - 1;
}

static int scalar_third(const struct node *n)
{
	return n->n_in > 2 && n->in[2] && !n->in[2]->type.rank;
}

static int more_axes(const struct node *n) /* the first has, or the second */
{
	return n->in[0]->type.rank != n->in[1]->type.rank;
}

static int condition_differs(const struct node *n)
{
	return n->in[0]->init && n->in[0]->type.rank < n->out[0]->type.rank;
}

static int complex_input(const struct node *n)
{
	return dim(n->in[0], n->in[0]->type.rank - 1) == 2;
}

static int first_axis(const struct node *n)
{
	return n->in[0]->type.rank > 2 && dim(n->out[0], 1) == dim(n->in[0], 1) && dim(n->in[0], 0) > 3;
}

static int wraps_beyond(const struct node *n)
{
	return is(n, "mode", "wrap") && dim(n->out[0], 0) > 2 * dim(n->in[0], 0);
}

static int reflects_all(const struct node *n)
{
	for (int i = 0; i < n->in[0]->type.rank; i++)
		if (is(n, "mode", "reflect") && dim(n->in[0], i) > 4 && dim(n->out[0], i) >= 2 * dim(n->in[0], i) - 1)
			return 1;
	return 0;
}

static int cuts_off(const struct node *n)
{
	for (int i = 0; i < n->in[0]->type.rank; i++)
		if (dim(n->out[0], i) < dim(n->in[0], i))
			return 1;
	return 0;
}

static int pads_some_axes(const struct node *n)
{
	return n->n_in > 3 && n->in[3];
}

static int gaps_beyond(const struct node *n)
{
	size_t count;
	const int64_t *d = node_ints(n, "dilations", &count);

	for (size_t i = 0; i < count; i++)
		if (d[i] * (dim(n->in[1], 2 + (int)i) - 1) + 1 > dim(n->in[0], 2 + (int)i) && d[i] > 3)
			return 1;
	return 0;
}

static int odd_factor(const struct node *n)
{
	return dim(n->out[0], 2) > dim(n->in[0], 2) && dim(n->out[0], 2) % dim(n->in[0], 2);
}

static int smaller_and_antialiased(const struct node *n)
{
	return node_int(n, "antialias", 0) && dim(n->out[0], 2) < dim(n->in[0], 2);
}

static int symmetric(const struct node *n)
{
	return is(n, "coordinate_transformation_mode", "half_pixel_symmetric");
}

static int corners(const struct node *n)
{
	return is(n, "coordinate_transformation_mode", "align_corners");
}

static int keeps_ratio(const struct node *n)
{
	return node_has(n, "keep_aspect_ratio_policy") && node_has(n, "axes");
}

static int excludes(const struct node *n)
{
	return node_int(n, "exclude_outside", 0) != 0;
}

static int region_outside(const struct node *n)
{
	return n->in[1] && n->in[1]->init && (tensor_get(n->in[1]->init, 2) < 0 || tensor_get(n->in[1]->init, 6) > 1);
}

static int in_parts(const struct node *n)
{
	return n->n_out > 2 && node_has(n, "num_outputs");
}

static int part_of_shape(const struct node *n)
{
	return node_has(n, "start") && node_has(n, "end");
}

static const struct {
	const char *block, *op;
	int (*shows)(const struct node *n);
} forms[] = {
	{"Reshape", "Reshape", allows_zero},
	{"Add", "Add", from_nothing},
	{"Add", "Add", more_axes},
	{"Relu", "Relu", from_nothing},
	{"MatMul", "MatMul", from_nothing},
	{"Slice", "Slice", to_nothing},
	{"Tile", "Tile", to_nothing},
	{"Expand", "Expand", to_nothing},
	{"Gather", "Gather", to_nothing},
	{"PRelu", "PRelu", lower_rank},
	{"LayerNormalization", "LayerNormalization", lower_rank},
	{"Gemm", "Gemm", scalar_third},
	{"Where", "Where", condition_differs},
	{"DFT", "DFT", complex_input},
	{"DFT", "DFT", first_axis},
	{"STFT", "STFT", complex_input},
	{"Pad", "Pad", wraps_beyond},
	{"Pad", "Pad", reflects_all},
	{"Pad", "Pad", cuts_off},
	{"Pad", "Pad", pads_some_axes},
	{"Conv", "Conv", gaps_beyond},
	{"ResizeLinear", "Resize", odd_factor},
	{"ResizeLinear", "Resize", smaller_and_antialiased},
	{"ResizeLinear", "Resize", symmetric},
	{"ResizeNearest", "Resize", odd_factor},
	{"ResizeNearest", "Resize", corners},
	{"ResizeNearest", "Resize", keeps_ratio},
	{"ResizeCubic", "Resize", excludes},
	{"CropAndResize", "Resize", region_outside},
	{"Split", "Split", in_parts},
	{"Shape", "Shape", part_of_shape},
};

static int model_shows(const struct model *m, const char *op, int (*shows)(const struct node *n))
{
	const struct graph *g = m->graph;

	for (size_t i = 0; i < g->nodes.n; i++)
		if (!strcmp(g->nodes.at[i]->op_type, op) && shows(g->nodes.at[i]))
			return 1;
	return 0;
}

/* How many models it takes; 0: none of all shows it. */
static int models_until(int block, const char *op, int (*shows)(const struct node *n))
{
	struct fuzz_op copy = all.ops[block];
	struct corpus alone = {.ops = &copy, .n_ops = 1};
	struct fuzz_options o = {.seed = 8, .blocks = 1, .opset = 21};
	struct fuzzer *f;
	struct err e = ERR_INIT;
	int found = 0;

	copy.types = fuzz_op_types(&copy, o.opset);
	assert_int_equal(fuzzer_new(&alone, &o, &f, &e), 0);
	for (int i = 1; i <= OF_BLOCK && !found; i++) {
		struct fuzz_case c = {0};

		if (fuzzer_next(f, &c, &e))
			fail_msg("%s: %s", copy.name, e.msg);
		found = model_shows(c.model, op, shows) ? i : 0;
		if (found)
			run_in_reference(&c);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	return found;
}

static void forms_occur(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		int block = corpus_find(&all, forms[i].block);

		if (block < 0 || !models_until(block, forms[i].op, forms[i].shows)) {
			print_error("form %zu, of %s, is in no model\n", i, forms[i].block);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_vary),
		cmocka_unit_test(frames_stay),
		cmocka_unit_test(forms_occur),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
