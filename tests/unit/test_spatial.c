/* Windows of convolutions and pools: sizes, padding, and attributes that must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"
#include "ops/kit/spatial.h"

/* A node to hang attributes on, and a call over it. */
struct fixture {
	struct model *model;
	struct node *node;
	struct err err;
	struct arena tmp;
	struct call call;
};

static void setup(struct fixture *f)
{
	struct type t = TYPE_INIT;
	struct wire *x;

	*f = (struct fixture){0};
	arena_init(&f->tmp, 0);
	assert_int_equal(model_new(19, &f->model, &f->err), 0);
	assert_int_equal(graph_add_input(f->model->graph, "x", &t, &x, &f->err), 0);
	assert_int_equal(graph_append_node(f->model->graph, "MaxPool", &x, 1, "y", &f->node, &f->err), 0);
	f->call = (struct call){.node = f->node, .err = &f->err, .tmp = &f->tmp};
}

static void teardown(struct fixture *f)
{
	model_free(f->model);
	arena_release(&f->tmp);
}

static void set(struct fixture *f, const char *name, size_t n, const int64_t *list)
{
	assert_int_equal(node_set_ints(f->node, name, list, n, &f->err), 0);
}

#define SET(f, name, ...) \
	set(f, name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

/* Output size of one axis, and its pads; asserts that the geometry is accepted. */
static struct spatial one_axis(struct fixture *f, int64_t in, int ceil_mode)
{
	struct spatial s;

	assert_int_equal(spatial_init(&f->call, &s, 1, &in, NULL, ceil_mode), 0);
	return s;
}

static void explicit_padding(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	SET(&f, "kernel_shape", 3);
	SET(&f, "strides", 2);
	SET(&f, "pads", 1, 0);
	SET(&f, "dilations", 2);
	assert_int_equal(one_axis(&f, 10, 0).out[0], 4); /* floor((10 + 1 - 5) / 2) + 1 */
	assert_int_equal(one_axis(&f, 11, 0).out[0], 4);
	assert_int_equal(one_axis(&f, 11, 1).out[0], 5);
	assert_int_equal(one_axis(&f, 4, 0).out[0], 1);
	assert_int_equal(one_axis(&f, 3, 0).out[0], 0); /* one short: no window */
	teardown(&f);
}

/* onnx#6650: a window that would start in the padding behind the input does not count. */
static void last_window_starts_inside(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	SET(&f, "kernel_shape", 3);
	SET(&f, "strides", 3);
	SET(&f, "pads", 1, 1);
	assert_int_equal(one_axis(&f, 2, 1).out[0], 1); /* ceil((4 - 3) / 3) + 1 = 2, but it starts at 2 of 0 … 1 */
	assert_int_equal(one_axis(&f, 3, 1).out[0], 2);
	teardown(&f);
}

static void automatic_padding(void **state)
{
	struct fixture f;
	struct spatial s;

	(void)state;
	setup(&f);
	SET(&f, "kernel_shape", 4);
	SET(&f, "strides", 3);
	assert_int_equal(node_set_string(f.node, "auto_pad", "SAME_UPPER", &f.err), 0);
	s = one_axis(&f, 9, 0);
	assert_int_equal(s.out[0], 3);
	assert_int_equal(s.pad_begin[0], 0);
	assert_int_equal(s.pad_end[0], 1);
	assert_int_equal(node_set_string(f.node, "auto_pad", "SAME_LOWER", &f.err), 0);
	s = one_axis(&f, 9, 0);
	assert_int_equal(s.pad_begin[0], 1);
	assert_int_equal(s.pad_end[0], 0);
	assert_int_equal(node_set_string(f.node, "auto_pad", "VALID", &f.err), 0);
	assert_int_equal(one_axis(&f, 9, 1).out[0], 2); /* ceil_mode has no say */
	assert_int_equal(node_set_string(f.node, "auto_pad", "SOME", &f.err), 0);
	assert_int_equal(spatial_attrs(&f.call, &s, 1, NULL), ERR_INPUT);
	teardown(&f);
}

static void unknown_sizes(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	SET(&f, "kernel_shape", 3);
	assert_int_equal(one_axis(&f, DIM_SYMBOL(2), 0).out[0], DIM_UNKNOWN);
	SET(&f, "pads", 1, 1);
	assert_int_equal(one_axis(&f, DIM_SYMBOL(2), 0).out[0], DIM_SYMBOL(2)); /* keeps the size, whatever it is */
	SET(&f, "strides", 2);
	assert_int_equal(one_axis(&f, DIM_SYMBOL(2), 0).out[0], DIM_UNKNOWN);
	assert_int_equal(node_set_string(f.node, "auto_pad", "SAME_UPPER", &f.err), 0);
	assert_int_equal(one_axis(&f, DIM_UNKNOWN, 0).pad_begin[0], DIM_UNKNOWN);
	teardown(&f);
}

/* Each attribute with a list that must be refused. */
static void bad_attributes(void **state)
{
	static const struct {
		const char *name;
		size_t n;
		int64_t list[4];
	} bad[] = {
		{"kernel_shape", 1, {0}},
		{"kernel_shape", 2, {3, 3}},
		{"kernel_shape", 1, {-3}},
		{"kernel_shape", 1, {INT64_MAX}},
		{"strides", 1, {0}},
		{"strides", 1, {INT64_MIN}},
		{"strides", 2, {1, 1}},
		{"dilations", 1, {0}},
		{"dilations", 1, {1LL << 31}},
		{"pads", 2, {-1, 0}},
		{"pads", 1, {1}},
		{"pads", 2, {0, INT64_MAX}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fixture f;
		struct spatial s;
		int64_t in = 9;

		setup(&f);
		SET(&f, "kernel_shape", 3);
		assert_int_equal(spatial_init(&f.call, &s, 1, &in, NULL, 0), 0);
		set(&f, bad[i].name, bad[i].n, bad[i].list);
		assert_int_equal(spatial_init(&f.call, &s, 1, &in, NULL, 0), ERR_INPUT);
		teardown(&f);
	}
}

static void sizes_that_do_not_fit(void **state)
{
	struct fixture f;
	struct spatial s;
	int64_t in = 2, kernel = 4;

	(void)state;
	setup(&f);
	assert_int_equal(spatial_init(&f.call, &s, 1, &in, NULL, 0), ERR_INPUT); /* no kernel_shape */
	assert_int_equal(spatial_init(&f.call, &s, 1, &in, &kernel, 0), ERR_INPUT);
	SET(&f, "kernel_shape", 3);
	assert_int_equal(spatial_init(&f.call, &s, 1, &in, &kernel, 0), ERR_INPUT); /* weights say 4 */
	in = INT64_MAX;
	assert_int_equal(spatial_init(&f.call, &s, 1, &in, NULL, 0), ERR_INPUT);
	assert_int_equal(spatial_attrs(&f.call, &s, SPATIAL_MAX + 1, NULL), ERR_UNSUPPORTED);
	teardown(&f);
}

/* spatial_clip against looking at every position. */
static void clipped_windows(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f);
	SET(&f, "kernel_shape", 4);
	SET(&f, "strides", 2);
	SET(&f, "dilations", 3);
	SET(&f, "pads", 5, 7);
	for (int64_t in = 1; in < 12; in++) {
		struct spatial s = one_axis(&f, in, 1);

		for (int64_t o = 0; o < s.out[0]; o++) {
			int64_t first, end, inside = 0;

			spatial_clip(&s, 0, o, &first, &end);
			for (int64_t k = 0; k < 4; k++) {
				int64_t at = o * 2 - 5 + k * 3;

				if (at < 0 || at >= in)
					continue;
				assert_true(k >= first && k < end);
				inside++;
			}
			assert_int_equal(end - first, inside);
		}
	}
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explicit_padding),  cmocka_unit_test(last_window_starts_inside),
		cmocka_unit_test(automatic_padding), cmocka_unit_test(unknown_sizes),
		cmocka_unit_test(bad_attributes),    cmocka_unit_test(sizes_that_do_not_fit),
		cmocka_unit_test(clipped_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
