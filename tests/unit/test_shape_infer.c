/* test_shape_infer.c - what static inference says of operators that move data: symbols and unknowns pass through, known
 * values are followed, and contradictions are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "model/model.h"
#include "ops/op.h"

#define UNKNOWN DIM_UNKNOWN
#define N DIM_SYMBOL(0)
#define M DIM_SYMBOL(1)

/* A model in the making, with symbols N and M. */
struct bench {
	struct model *model;
	struct err e;
	int n_names;
};

static void bench_open(struct bench *b, int opset)
{
	memset(b, 0, sizeof *b);
	assert_int_equal(model_new(opset, &b->model, &b->e), 0);
	assert_int_equal(model_symbol(b->model, "N"), 0);
	assert_int_equal(model_symbol(b->model, "M"), 1);
}

static const char *fresh_name(struct bench *b)
{
	return arena_printf(&b->model->arena, "w%d", b->n_names++);
}

static struct wire *input(struct bench *b, int rank, const int64_t *dims)
{
	struct type t = TYPE_INIT;
	struct wire *w = NULL;

	type_set(&t, DT_FLOAT, rank, dims);
	assert_int_equal(graph_add_input(b->model->graph, fresh_name(b), &t, &w, &b->e), 0);
	return w;
}
#define INPUT(b, ...) \
	input(b, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})

static struct wire *ints(struct bench *b, int64_t count, const int64_t *values)
{
	struct tensor *wide = tensor_new(DT_INT64, 1, &count, &b->e), *t;
	struct wire *w = NULL;

	assert_non_null(wide);
	memcpy(wide->i, values, (size_t)count * sizeof *values);
	t = tensor_pack(wide, &b->e);
	tensor_unref(wide);
	assert_non_null(t);
	assert_int_equal(graph_add_init(b->model->graph, fresh_name(b), t, &w, &b->e), 0);
	return w;
}
#define INTS(b, ...) ints(b, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

static struct node *add(struct bench *b, const char *op, struct wire *x, struct wire *y, struct wire *z, struct wire *u)
{
	struct wire *in[] = {x, y, z, u};
	const char *out = fresh_name(b);
	struct node *n = NULL;
	int n_in = u ? 4 : z ? 3 : y ? 2 : 1;

	assert_int_equal(graph_append_node(b->model->graph, op, in, n_in, out, &n, &b->e), 0);
	return n;
}

/* Infers the model, which ends in node n, and frees it. */
static void expect(struct bench *b, const struct node *n, const char *want)
{
	char got[256];
	int rc = ops_bind(b->model, &b->e);

	if (!rc)
		rc = ops_infer(b->model, &b->e);
	if (!want) {
		assert_int_equal(rc, ERR_INPUT);
		assert_true(b->e.msg[0]);
	} else {
		if (rc)
			print_error("%s\n", b->e.msg);
		assert_int_equal(rc, 0);
		assert_string_equal(type_describe(&n->out[0]->type, b->model->graph, got, sizeof got), want);
	}
	model_free(b->model);
}

static void shapes_are_followed_into_reshape(void **state)
{
	struct bench b;
	struct wire *x, *dim;

	(void)state;
	bench_open(&b, 13);
	x = INPUT(&b, 2, 3, 4);
	dim = add(&b, "Shape", x, NULL, NULL, NULL)->out[0];
	dim = add(&b, "Gather", dim, INTS(&b, 0), NULL, NULL)->out[0];
	struct node *join = add(&b, "Concat", dim, INTS(&b, -1), NULL, NULL);

	assert_int_equal(node_set_int(join, "axis", 0, &b.e), 0);
	expect(&b, add(&b, "Reshape", x, join->out[0], NULL, NULL), "float32[2,12]");
}

static void reshape_keeps_symbols(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, 13);
	expect(&b, add(&b, "Reshape", INPUT(&b, N, 3, 4), INTS(&b, 0, -1), NULL, NULL), "float32[N,12]");
	bench_open(&b, 13);
	expect(&b, add(&b, "Reshape", INPUT(&b, N, 3, 4), INTS(&b, -1, 12), NULL, NULL), "float32[N,12]");
	bench_open(&b, 13);
	expect(&b, add(&b, "Reshape", INPUT(&b, N, M), INTS(&b, -1, 12), NULL, NULL), "float32[?,12]");
	bench_open(&b, 13);
	expect(&b, add(&b, "Reshape", INPUT(&b, N, UNKNOWN), INTS(&b, 0, -1), NULL, NULL), "float32[N,?]");
}

static void slice_and_pad_keep_whole_axes(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, 13);
	expect(&b, add(&b, "Slice", INPUT(&b, N, 10), INTS(&b, 0, 1), INTS(&b, INT64_MAX, 9), INTS(&b, 0, 1)),
	       "float32[N,8]");
	bench_open(&b, 13);
	expect(&b, add(&b, "Slice", INPUT(&b, N, 10), INTS(&b, 1), INTS(&b, 9), INTS(&b, 0)), "float32[?,10]");
	bench_open(&b, 13);
	expect(&b, add(&b, "Pad", INPUT(&b, N, 3), INTS(&b, 0, 1, 0, 2), NULL, NULL), "float32[N,6]");
}

static void joins_add_what_is_known(void **state)
{
	struct bench b;
	struct node *n;

	(void)state;
	bench_open(&b, 13);
	n = add(&b, "Concat", INPUT(&b, N, 3), INPUT(&b, UNKNOWN, 4), NULL, NULL);
	assert_int_equal(node_set_int(n, "axis", 1, &b.e), 0);
	expect(&b, n, "float32[N,7]");
	bench_open(&b, 13);
	n = add(&b, "Concat", INPUT(&b, N, 3), INPUT(&b, M, 3), NULL, NULL);
	assert_int_equal(node_set_int(n, "axis", -2, &b.e), 0);
	expect(&b, n, "float32[?,3]");
}

static void contradictions_are_refused(void **state)
{
	struct bench b;
	struct node *n;

	(void)state;
	bench_open(&b, 13);
	expect(&b, add(&b, "Reshape", INPUT(&b, 2, 3), INTS(&b, 4, -1), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Reshape", INPUT(&b, 2, 3), INTS(&b, -1, -1), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Reshape", INPUT(&b, 2, 3), INTS(&b, INT64_MAX, INT64_MAX), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Squeeze", INPUT(&b, 2, 3), INTS(&b, 0), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Unsqueeze", INPUT(&b, 2, 3), INTS(&b, 0, -4), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Gather", INPUT(&b, 2, 3), INTS(&b, 2), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Expand", INPUT(&b, 2, 3), INTS(&b, 2, 4), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Tile", INPUT(&b, 2, 3), INTS(&b, INT64_MAX, 2), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Pad", INPUT(&b, 2, 3), INTS(&b, INT64_MAX, 0, INT64_MAX, 0), NULL, NULL), NULL);
	bench_open(&b, 13);
	expect(&b, add(&b, "Pad", INPUT(&b, 2, 3), INTS(&b, -2, 0, -1, 0), NULL, NULL), NULL);
	bench_open(&b, 13);
	n = add(&b, "Concat", INPUT(&b, 2, 3), INPUT(&b, 3, 3), NULL, NULL);
	assert_int_equal(node_set_int(n, "axis", 1, &b.e), 0);
	expect(&b, n, NULL);
}

/* ONNX Runtime's optimizer writes LayerNormalization in opsets that do not have it; others are not known there. */
static void layer_norm_is_bound_in_older_opsets(void **state)
{
	static const struct {
		const char *line;
		int version;
	} lines[] = {
		{"LayerNormalization-13 f32[2,4] f32[4]", 17},
		{"LayerNormalization-17 f32[2,4] f32[4]", 17},
		{"RMSNormalization-13 f32[2,4] f32[4]", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct err e = ERR_INIT;
		struct op_case c;

		assert_int_equal(case_parse(lines[i].line, 1, &c, &e), 0);
		assert_int_equal(ops_bind(c.model, &e), 0);
		assert_int_equal(c.model->graph->nodes.at[0]->version, lines[i].version);
		case_release(&c);
	}
	assert_int_equal(ops_version(ops_find("", "LayerNormalization"), 13), 0); /* so it is not drawn */
}

static void owners_are_told(void **state)
{
	(void)state;
	assert_null(ops_owner(ops_find("", "Relu")));
	assert_null(ops_owner(ops_find("ai.onnx.ml", "Scaler")));
	assert_string_equal(ops_owner(ops_find("com.microsoft", "Gelu")), "com.microsoft");
	assert_string_equal(ops_owner(ops_find("", "SimplifiedLayerNormalization")), "com.microsoft");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_are_followed_into_reshape),
		cmocka_unit_test(reshape_keeps_symbols),
		cmocka_unit_test(slice_and_pad_keep_whole_axes),
		cmocka_unit_test(joins_add_what_is_known),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(layer_norm_is_bound_in_older_opsets),
		cmocka_unit_test(owners_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
