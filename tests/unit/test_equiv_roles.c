/* test_equiv_roles.c - calls that are drawn by what names of parameters say: shapes, numbers, lists, and which
 * operations no calls are made of. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "methods/equiv/registry.h"
#include "methods/equiv/roles.h"

/* ---- shapes and numbers ------------------------------------------------------------------------------------------ */

static void shapes_follow_from_the_frame(void **state)
{
	const struct {
		const unsigned char *shape;
		int rank;
		int64_t dims[ROLE_MAX_RANK];
	} rows[] = {
		{SHAPE_SINGLE, 0, {0}},
		{SHAPE(SIZE_ALL), 4, {2, 3, 5, 7}},
		{SHAPE(SIZE_BUT_LAST, SIZE_OUTPUTS), 4, {2, 3, 5, 6}},
		{SHAPE(SIZE_BUT_FIRST), 3, {3, 5, 7}},
		{SHAPE(SIZE_FIRST, SIZE_LAST_BUT_ONE, SIZE_LAST), 3, {2, 5, 7}},
		{SHAPE(SIZE_TWICE_LAST, SIZE_FOUR_TIMES_LAST), 2, {14, 28}},
		{SHAPE(SIZE_SPARSE, SIZE_RANK), 2, {9, 4}},
		{SHAPE(SIZE_OUTPUTS_OF_ALL, 2), 2, {42, 2}},
		{SHAPE(SIZE_WINDOW, SIZE_LAST, SIZE_OUTPUTS), 4, {1, 2, 7, 6}},
		{SHAPE(SIZE_FIRST, 3, 1, 4), 4, {2, 3, 1, 4}},
		{SHAPE(SIZE_OUTPUTS, SIZE_SECOND, SIZE_WINDOW), 4, {6, 3, 1, 2}},
		{SHAPE(SIZE_SPATIAL, SIZE_TWICE_RANK), 2, {2, 8}},
		{SHAPE(SIZE_ALL, SIZE_ALL), 5, {2, 3, 5, 7, 2}}, /* no more than a frame has */
	};
	const struct role_frame f = {4, {2, 3, 5, 7}, 9, 6, {1, 2, 1, 1, 1}, 1, 1};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct role role = {.shape = rows[i].shape};
		int64_t dims[ROLE_MAX_RANK] = {0};

		assert_int_equal(role_shape(&role, &f, dims), rows[i].rank);
		assert_memory_equal(dims, rows[i].dims, (size_t)rows[i].rank * sizeof *dims);
	}
}

static struct role_frame drawn_frame(struct rng *r)
{
	struct role_frame f = {.rank = (int)rng_below(r, ROLE_RANK + 1)};

	for (int i = 0; i < ROLE_RANK; i++)
		f.dims[i] = (int64_t)rng_below(r, 5);
	role_frame_draw(&f, r);
	return f;
}

/* Coordinates of a sparse tensor are inside of it, in order, none twice. */
static void check_coordinates(const struct role_frame *f, struct rng *r)
{
	int64_t before = -1;

	for (int64_t row = 0; f->rank && row < role_frame_sparse(f); row++) {
		int64_t at = 0;

		for (int k = 0; k < f->rank; k++) {
			int64_t x =
				(int64_t)role_number(NUMBERS_COORDINATES, f, f->rank, (size_t)(row * f->rank + k), r);

			assert_true(x >= 0 && x < f->dims[k]);
			at = at * f->dims[k] + x;
		}
		assert_true(at > before);
		before = at;
	}
}

static void check_permutation(const struct role_frame *f, struct rng *r)
{
	unsigned seen = 0;

	for (int i = 0; i < f->rank; i++)
		seen |= 1u << (int)role_number(NUMBERS_PERMUTATION, f, f->rank, (size_t)i, r);
	assert_int_equal(seen, (1u << f->rank) - 1);
}

static void numbers_fit_the_frame(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 1);
	for (int round = 0; round < 2000; round++) {
		struct role_frame f = drawn_frame(&r);
		double axis = role_number(NUMBERS_AXIS, &f, 1, 0, &r), index = role_number(NUMBERS_INDEX, &f, 1, 0, &r);

		assert_true(role_number(CONSTANT(-1), &f, 1, 0, &r) == -1 &&
			    role_number(CONSTANT(8), &f, 3, 2, &r) == 8);
		check_coordinates(&f, &r);
		check_permutation(&f, &r);
		assert_true(f.rank ? axis >= -f.rank && axis < f.rank : axis == 0);
		for (int i = 0; i < f.rank; i++) {
			assert_true(index == 0 || index < (double)f.dims[i]);
			assert_true(role_number(NUMBERS_SIZES, &f, f.rank, (size_t)i, &r) == (double)f.dims[i]);
			assert_true(role_number(NUMBERS_PAIRED, &f, f.rank, (size_t)i, &r) >=
				    (i ? role_number(NUMBERS_PAIRED, &f, f.rank, (size_t)i - 1, &r) : 0));
		}
		if (f.rank) /* windows leave batch and channels alone */
			assert_true(role_number(NUMBERS_WINDOW, &f, f.rank, 0, &r) == 1 &&
				    role_number(NUMBERS_WINDOW, &f, f.rank, (size_t)f.rank - 1, &r) == 1);
		assert_true(role_number(NUMBERS_UNIT, &f, 1, 0, &r) < 1 &&
			    role_number(NUMBERS_NEGATIVE, &f, 1, 0, &r) < 0 &&
			    role_number(NUMBERS_POSITIVE, &f, 1, 0, &r) > 0);
	}
}

/* Edges of numbers that are sizes or counts: below 0 and at the end of int64, but nothing that takes long to walk. */
static void edges_of_sizes_are_not_large(void **state)
{
	const int64_t dims[] = {4000};
	int below = 0, ends = 0, nan = 0;
	struct err e = ERR_INIT;
	struct rng r;

	(void)state;
	rng_init(&r, 1);
	for (int i = 0; i < 3; i++) {
		static const enum dtype types[] = {DT_INT32, DT_INT64, DT_FLOAT};
		struct value *v = draw_tensor(types[i], 1, dims, DRAW_SMALL_EDGES, 0, &r, &e);

		for (size_t k = 0; k < v->tensor->count; k++) {
			double x = tensor_get(v->tensor, k);

			below += x < 0;
			ends += fabs(x) > 9e18;
			nan += isnan(x);
			assert_false(x > 100 && x < 9e18);
		}
		value_unref(v);
	}
	assert_true(below && ends && nan);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static char *const floats[] = {"float32", "float64"}, *const whole[] = {"int32", "int64"},
		   *const quantized[] = {"qint8"};

#define TYPES(words) (char **)(uintptr_t)words, sizeof words / sizeof *words

static struct backend_parameter pad_parameters[] = {
	{.name = "input", .type = "T", .is_input = 1},
	{.name = "paddings", .type = "Tpaddings", .is_input = 1},
	{.name = "T", .type = "type", .allowed = TYPES(floats)},
	{.name = "Tpaddings", .type = "type", .allowed = TYPES(whole)},
};

static struct backend_parameter list_parameters[] = {
	{.name = "left", .type = "N * float32", .is_input = 1},
	{.name = "right", .type = "N * float32", .is_input = 1},
	{.name = "N", .type = "int >= 3"},
};

static struct backend_parameter pool_parameters[] = {
	{.name = "value", .type = "float32", .is_input = 1},
	{.name = "ksize", .type = "list(int) >= 5"},
};

static struct backend_parameter text_parameters[] = {
	{.name = "x", .type = "float32", .is_input = 1},
	{.name = "set_operation", .type = "string"},
};

static struct backend_parameter order_parameters[] = {
	{.name = "multiples", .type = "int32", .is_input = 1},
	{.name = "numbers", .type = "list(int)"},
};

static struct backend_parameter named_parameters[] = {
	{.name = "x", .type = "float32", .is_input = 1},
	{.name = "shape", .type = "float"}, /* of a distribution: a list elsewhere */
};

static struct backend_parameter quantized_parameters[] = {
	{.name = "x", .type = "T", .is_input = 1},
	{.name = "T", .type = "type", .allowed = TYPES(quantized)},
};

#define OPERATION(title, list)                                                                \
	{                                                                                     \
		.name = title, .parameters = list, .n_parameters = sizeof list / sizeof *list \
	}

static struct backend_parameter torch_parameters[] = {
	{.name = "self", .type = "Tensor", .is_input = 1},
	{.name = "rounding_mode", .type = "str?", .optional = 1},
	{.name = "alpha", .type = "Scalar?", .optional = 1},
};

static struct backend_operation operations[] = {
	OPERATION("Pad", pad_parameters),           OPERATION("Lists", list_parameters),
	OPERATION("Pool3D", pool_parameters),       OPERATION("Quantized", quantized_parameters),
	OPERATION("Sets", text_parameters),         {.name = "Old", .unusable = "the library withdrew it"},
	OPERATION("Multiples", order_parameters),   OPERATION("Named", named_parameters),
	OPERATION("aten::div.x", torch_parameters),
};

static struct registry registry;

static struct api classified(size_t operation)
{
	struct api api = {.op = &operations[operation]};

	registry_classify(&registry, &api);
	return api;
}

#define PLANS 400

/* How many plans give a call that `fits`. */
static int count_plans(size_t operation, int (*fits)(const struct expr *call, const struct bindings *b))
{
	struct api api = classified(operation);
	int n = 0;

	assert_null(api.why_not);
	for (uint64_t plan = 0; plan < PLANS; plan++) {
		struct arena arena = ARENA_INIT;
		struct bindings b;
		struct err e = ERR_INIT;
		struct expr *call;
		struct rng values;
		const struct call_draw draw = {.plan = plan, .values = &values, .how = DRAW_PLAIN};

		rng_init(&values, plan + 1);
		assert_int_equal(registry_call(&registry, &api, &draw, &arena, &call, &b, &e), 0);
		n += fits(call, &b);
		bindings_release(&b);
		arena_release(&arena);
	}
	return n;
}

static int has_paddings(const struct expr *call, const struct bindings *b)
{
	const struct tensor *x = b->at[0].tensor->tensor, *paddings = b->at[1].tensor->tensor;

	assert_int_equal(call->n, 2); /* both type attributes follow from the inputs */
	return dtype_is_float(x->dtype) && paddings->rank == 2 && paddings->dims[0] == x->rank &&
	       paddings->dims[1] == 2;
}

static int has_equal_lists(const struct expr *call, const struct bindings *b)
{
	(void)b;
	return call->items[0]->n == call->items[1]->n && call->items[0]->n >= 3;
}

static int has_windows(const struct expr *call, const struct bindings *b)
{
	const struct expr *ksize = call->items[1];

	return b->at[0].tensor->tensor->rank == 5 && ksize->n == 5 && ksize->items[0]->i == 1 &&
	       ksize->items[4]->i == 1 && ksize->items[2]->i >= 1;
}

static int has_one_number(const struct expr *call, const struct bindings *b)
{
	(void)b;
	return call->n == 2 && call->items[1]->kind == EXPR_FLOAT;
}

static int is_union(const struct expr *call, const struct bindings *b)
{
	(void)b;
	return !strcmp(call->items[1]->text, "union");
}

static void most_plans_fit_what_names_say(void **state)
{
	(void)state;
	assert_true(count_plans(0, has_paddings) > PLANS / 2);
	assert_true(count_plans(1, has_equal_lists) > PLANS / 2);
	assert_true(count_plans(2, has_windows) > PLANS / 2);
	assert_int_equal(count_plans(7, has_one_number), PLANS);         /* of any rank */
	assert_in_range(count_plans(4, is_union), PLANS / 8, PLANS / 2); /* one text of four */
}

static void not_all_plans_follow_names(void **state)
{
	(void)state;
	assert_true(count_plans(0, has_paddings) < PLANS);
}

/* The same plan with other values: paddings are the same, the input is not. */
static void numbers_of_shapes_belong_to_the_plan(void **state)
{
	struct api api = classified(0);
	int moved = 0;

	(void)state;
	for (uint64_t plan = 0; plan < PLANS; plan++) {
		struct bindings b[2];
		struct arena arena = ARENA_INIT;
		struct err e = ERR_INIT;
		struct expr *call;

		for (uint64_t i = 0; i < 2; i++) {
			struct rng values;
			const struct call_draw draw = {.plan = plan, .values = &values, .how = DRAW_PLAIN};

			rng_init(&values, i);
			assert_int_equal(registry_call(&registry, &api, &draw, &arena, &call, &b[i], &e), 0);
		}
		assert_true(tensor_same_bits(b[0].at[1].tensor->tensor, b[1].at[1].tensor->tensor));
		moved += !tensor_same_bits(b[0].at[0].tensor->tensor, b[1].at[0].tensor->tensor);
		bindings_release(&b[0]);
		bindings_release(&b[1]);
		arena_release(&arena);
	}
	assert_true(moved > PLANS / 2);
}

/* Edges among the values leave the structure of the call as it is: here the list behind the multiples. */
static void edges_do_not_move_the_plan(void **state)
{
	struct api api = classified(6);

	(void)state;
	for (uint64_t plan = 0; plan < PLANS; plan++) {
		struct arena arena = ARENA_INIT;
		struct expr *lists[2], *call;

		for (uint64_t i = 0; i < 2; i++) {
			struct bindings b;
			struct err e = ERR_INIT;
			struct rng values;
			const struct call_draw draw = {
				.plan = plan, .values = &values, .how = i ? DRAW_EDGES : DRAW_PLAIN};

			rng_init(&values, plan);
			assert_int_equal(registry_call(&registry, &api, &draw, &arena, &call, &b, &e), 0);
			lists[i] = call->items[1];
			bindings_release(&b);
		}
		assert_int_equal(lists[0]->n, lists[1]->n);
		for (size_t i = 0; i < lists[0]->n; i++)
			assert_int_equal(lists[0]->items[i]->i, lists[1]->items[i]->i);
		arena_release(&arena);
	}
}

static void operations_without_calls_have_a_reason(void **state)
{
	(void)state;
	assert_string_equal(classified(3).why_not, "its element types do not pass through a call");
	assert_string_equal(classified(5).why_not, "the library withdrew it");
}

/* PyTorch's plans were learned before it had words: what else a call holds stays as it was. */
static void words_move_nothing_else(void **state)
{
	struct api with = {.op = &operations[8]}, without = {.op = &operations[8]};
	struct registry torch;
	size_t words[3] = {0};

	(void)state;
	registry_init(&torch, "torch");
	registry_classify(&torch, &with);
	registry_classify(&torch, &without);
	assert_int_equal(with.kinds[1], PARAMETER_WORD);
	without.kinds[1] = PARAMETER_UNKNOWN;
	for (uint64_t plan = 0; plan < PLANS; plan++) {
		const struct api *apis[] = {&with, &without};
		struct arena arena = ARENA_INIT;
		struct expr *calls[2];
		struct bindings b[2];
		size_t given;

		for (size_t i = 0; i < 2; i++) {
			struct rng values;
			const struct call_draw draw = {.plan = plan, .values = &values, .how = DRAW_PLAIN};
			struct err e = ERR_INIT;

			rng_init(&values, plan);
			assert_int_equal(registry_call(&torch, apis[i], &draw, &arena, &calls[i], &b[i], &e), 0);
		}
		given = calls[0]->n > 1 && calls[0]->items[1]->kind == EXPR_STRING;
		assert_int_equal(calls[0]->n, calls[1]->n + given);
		assert_true(calls[1]->n < 2 || calls[1]->items[1]->f == calls[0]->items[1 + given]->f);
		assert_true(tensor_same_bits(b[0].at[0].tensor->tensor, b[1].at[0].tensor->tensor));
		words[!given ? 0 : !strcmp(calls[0]->items[1]->text, "trunc") ? 1 : 2]++;
		bindings_release(&b[0]);
		bindings_release(&b[1]);
		arena_release(&arena);
	}
	assert_true(words[0] > PLANS / 2 && words[1] > PLANS / 16 && words[2] > PLANS / 16);
	registry_release(&torch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_follow_from_the_frame),
		cmocka_unit_test(numbers_fit_the_frame),
		cmocka_unit_test(edges_of_sizes_are_not_large),
		cmocka_unit_test(most_plans_fit_what_names_say),
		cmocka_unit_test(not_all_plans_follow_names),
		cmocka_unit_test(numbers_of_shapes_belong_to_the_plan),
		cmocka_unit_test(edges_do_not_move_the_plan),
		cmocka_unit_test(operations_without_calls_have_a_reason),
		cmocka_unit_test(words_move_nothing_else),
	};

	registry_init(&registry, "tf");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
