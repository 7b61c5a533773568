/* The driver of binding tables, over a library of three operations made up here: what is known when a binding is
 * called, what runs in the library and what does not, and that every handle is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/bind/bind.h"
#include "base/mem.h"
#include "worker/backend.h"

/* ---- a library: handles are tensors, counted --------------------------------------------------------------------- */

struct toy {
	int live;    /* references that somebody holds */
	int made;    /* tensors brought in */
	int adds;    /* calls of the operation */
	int refused; /* from_tensor fails */
};

static void *toy_from(void *ctx, const struct tensor *packed, struct err *e)
{
	struct toy *toy = ctx;
	struct tensor *t;

	if (toy->refused) {
		err_set(e, ERR_UNSUPPORTED, "refused");
		return NULL;
	}
	t = tensor_copy(packed, e);
	toy->live++;
	toy->made++;
	return t;
}

static int toy_to(void *ctx, void *handle, struct tensor **packed, struct err *e)
{
	(void)ctx;
	*packed = tensor_copy(handle, e);
	return *packed ? 0 : e->code;
}

static void *toy_retain(void *ctx, void *handle)
{
	((struct toy *)ctx)->live++;
	return tensor_ref(handle);
}

static void toy_release(void *ctx, void *handle)
{
	((struct toy *)ctx)->live--;
	tensor_unref(handle);
}

static int toy_add(struct bind_call *c)
{
	struct toy *toy = c->ctx;
	struct tensor *a = c->in[0], *b = c->in[1], *y;

	if (!tensor_same_shape(a, b))
		return bind_unsupported(c, "shapes differ");
	toy->adds++;
	y = tensor_copy(a, c->err);
	for (size_t i = 0; i < y->count; i++)
		if (y->dtype == DT_FLOAT)
			((float *)y->data)[i] += ((float *)b->data)[i];
		else
			((int64_t *)y->data)[i] += ((int64_t *)b->data)[i];
	c->out[0] = y;
	toy->live++;
	return 0;
}

static int toy_reshape(struct bind_call *c)
{
	struct toy *toy = c->ctx;
	const int64_t *list;
	size_t n;
	int found, rc = bind_ints(c, NULL, 1, &list, &n, &found);

	if (rc)
		return rc;
	assert_int_equal(found, 1);
	assert_true(type_is_static(&c->call->out_type[0]));
	c->out[0] = tensor_view(c->in[0], c->call->out_type[0].rank, c->call->out_type[0].dims, c->err);
	toy->live++;
	return 0;
}

static const struct binding toy_rows[] = {{"Add", toy_add, NULL}, {"Reshape", toy_reshape, NULL}, {0}};
static const struct binding *const toy_families[] = {toy_rows, NULL};

static const struct bind_library toy_library = {.families = toy_families,
						.from_tensor = toy_from,
						.to_tensor = toy_to,
						.retain = toy_retain,
						.release = toy_release};

/* ---- models ------------------------------------------------------------------------------------------------------ */

static struct wire *add_ints(struct graph *g, const char *name, const int64_t *x, int64_t n)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_INT64, 1, &n, &e);
	struct wire *w;

	memcpy(t->data, x, (size_t)n * sizeof *x);
	assert_int_equal(graph_add_init(g, name, t, &w, &e), 0);
	return w;
}

static struct wire *add_node(struct graph *g, const char *op, struct wire *a, struct wire *b, const char *out)
{
	struct wire *in[] = {a, b};
	struct err e = ERR_INIT;
	struct node *n;

	assert_int_equal(graph_append_node(g, op, in, b ? 2 : 1, out, &n, &e), 0);
	return n->out[0];
}

static struct wire *add_input(struct graph *g, const char *name, enum dtype dt, int rank, const int64_t *dims)
{
	struct err e = ERR_INIT;
	struct type t = TYPE_INIT;
	struct wire *w;

	type_set(&t, dt, rank, dims);
	assert_int_equal(graph_add_input(g, name, &t, &w, &e), 0);
	return w;
}

/* y = Reshape(x + x, (Shape(x) + [0, 0])[last axis first]) with the order of axes given by Gather. */
static void build(struct buf *out)
{
	static const int64_t order[] = {1, 0}, zero[] = {0, 0};
	int64_t dims[2] = {DIM_UNKNOWN, 3};
	struct model *m;
	struct err e = ERR_INIT;
	struct wire *x, *sum, *shape;

	assert_int_equal(model_new(13, &m, &e), 0);
	x = add_input(m->graph, "x", DT_FLOAT, 2, dims);
	sum = add_node(m->graph, "Add", x, x, "sum");
	shape = add_node(m->graph, "Shape", x, NULL, "shape");
	shape = add_node(m->graph, "Add", shape, add_ints(m->graph, "zero", zero, 2), "same");
	shape = add_node(m->graph, "Gather", shape, add_ints(m->graph, "order", order, 2), "turned");
	assert_int_equal(graph_add_output(m->graph, add_node(m->graph, "Reshape", sum, shape, "y"), &e), 0);
	buf_init(out, 1 << 20);
	assert_int_equal(model_serialize(m, out, &e), 0);
	model_free(m);
}

static struct value *floats(int64_t rows, int64_t columns)
{
	int64_t dims[] = {rows, columns};
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_FLOAT, 2, dims, &e);

	for (size_t i = 0; i < t->count; i++)
		((float *)t->data)[i] = (float)i;
	return value_tensor(t, &e);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void shapes_are_followed(void **state)
{
	static const char *names[] = {"y", "turned"};
	struct toy toy = {0};
	struct bind_session *s;
	const char *const *have;
	void *out[2];
	struct buf b;
	struct err e = ERR_INIT;

	(void)state;
	build(&b);
	assert_int_equal(bind_open(&toy_library, &toy,
				   &(struct backend_model){.bytes = b.data, .n = b.len, .outputs = {names + 1, 1}}, &s,
				   &e),
			 0);
	assert_int_equal(bind_outputs(s, &have), 2);
	assert_string_equal(have[1], "turned");
	for (int64_t rows = 2; rows < 5; rows++) {
		struct named_value in = {"x", floats(rows, 3)};
		struct tensor *y;

		assert_int_equal(
			bind_run(s, &(struct backend_run){.in = {&in, 1}, .wanted = {names, 2}}, out, NULL, NULL, &e),
			0);
		y = out[0];
		assert_int_equal(y->dims[0], 3);
		assert_int_equal(y->dims[1], rows);
		assert_true(((float *)y->data)[5] == 10.0f);
		assert_int_equal(((int64_t *)((struct tensor *)out[1])->data)[1], rows);
		toy_release(&toy, out[0]);
		toy_release(&toy, out[1]);
		value_unref(in.value);
	}
	assert_int_equal(toy.adds, 3); /* the sum of whole numbers was not the library's to make */
	bind_close(s);
	assert_int_equal(toy.live, 0);
	buf_release(&b);
}

/* An integer sum of graph inputs is data, however small: the library makes it. */
static void data_run_in_the_library(void **state)
{
	static const int64_t dims[] = {2};
	const char *name = "y";
	struct toy toy = {0};
	struct bind_session *s;
	struct model *m;
	struct named_value in;
	struct wire *x;
	void *out;
	struct buf b;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(model_new(13, &m, &e), 0);
	x = add_input(m->graph, "x", DT_INT64, 1, dims);
	assert_int_equal(graph_add_output(m->graph, add_node(m->graph, "Add", x, x, "y"), &e), 0);
	buf_init(&b, 1 << 20);
	assert_int_equal(model_serialize(m, &b, &e), 0);
	model_free(m);
	in = (struct named_value){"x", value_tensor(tensor_zeros(DT_INT64, 1, dims, &e), &e)};
	assert_int_equal(bind_open(&toy_library, &toy, &(struct backend_model){.bytes = b.data, .n = b.len}, &s, &e),
			 0);
	assert_int_equal(bind_run(s, &(struct backend_run){.in = {&in, 1}, .wanted = {&name, 1}}, &out, NULL, NULL, &e),
			 0);
	assert_int_equal(toy.adds, 1);
	toy_release(&toy, out);
	toy.refused = 1;
	assert_int_equal(bind_run(s, &(struct backend_run){.in = {&in, 1}, .wanted = {&name, 1}}, &out, NULL, NULL, &e),
			 ERR_UNSUPPORTED);
	assert_int_equal(bind_run(s, &(struct backend_run){.wanted = {&name, 1}}, &out, NULL, NULL, &e), ERR_INPUT);
	bind_close(s);
	assert_int_equal(toy.live, 0);
	value_unref(in.value);
	buf_release(&b);
}

static void missing_bindings_are_named(void **state)
{
	static const int64_t dims[] = {2};
	struct bind_session *s;
	struct model *m;
	struct wire *x;
	struct buf b;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(model_new(13, &m, &e), 0);
	x = add_input(m->graph, "x", DT_FLOAT, 1, dims);
	assert_int_equal(graph_add_output(m->graph, add_node(m->graph, "Sigmoid", x, NULL, "y"), &e), 0);
	buf_init(&b, 1 << 20);
	assert_int_equal(model_serialize(m, &b, &e), 0);
	model_free(m);
	assert_int_equal(bind_open(&toy_library, NULL, &(struct backend_model){.bytes = b.data, .n = b.len}, &s, &e),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(e.msg, "Sigmoid"));
	buf_release(&b);
}

static int count_source(void *arg, const struct wire *w, void *handle, struct err *e)
{
	(void)e;
	assert_non_null(handle);
	assert_true(w->is_input || w->init);
	++*(int *)arg;
	return 0;
}

static void sources_are_shown(void **state)
{
	struct named_value in = {"x", floats(2, 3)};
	const char *name = "y";
	struct toy toy = {0};
	struct bind_session *s;
	struct buf b;
	struct err e = ERR_INIT;
	int seen = 0, made;
	void *out;

	(void)state;
	build(&b);
	assert_int_equal(bind_open(&toy_library, &toy, &(struct backend_model){.bytes = b.data, .n = b.len}, &s, &e),
			 0);
	assert_int_equal(
		bind_run(s, &(struct backend_run){.in = {&in, 1}, .wanted = {&name, 1}}, &out, count_source, &seen, &e),
		0);
	assert_int_equal(seen, 3); /* x, zero, order */
	toy_release(&toy, out);
	made = toy.made;
	assert_int_equal(
		bind_run(s, &(struct backend_run){.in = {&in, 1}, .wanted = {&name, 1}}, &out, count_source, &seen, &e),
		0);
	assert_int_equal(seen, 6);
	assert_int_equal(toy.made, made + 2); /* x and the shape; initializers are kept */
	toy_release(&toy, out);
	bind_close(s);
	assert_int_equal(toy.live, 0);
	value_unref(in.value);
	buf_release(&b);
}

static void operators_are_listed(void **state)
{
	const char *const *names = bind_operators(&toy_library);
	int add = 0, shape = 0;

	(void)state;
	for (; *names; names++) {
		add += !strcmp(*names, "Add");
		shape += !strcmp(*names, "Shape");
	}
	assert_int_equal(add, 1);
	assert_int_equal(shape, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_are_followed),        cmocka_unit_test(data_run_in_the_library),
		cmocka_unit_test(missing_bindings_are_named), cmocka_unit_test(sources_are_shown),
		cmocka_unit_test(operators_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
