/* onnx_invoke.c - what calls by name must do on every library that reads ONNX: those that work, and those that must
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "calls/caller.h"
#include "support/onnx_invoke.h"
#include "tensor/tensor.h"

static struct value *given(enum dtype t, int rank, const int64_t *dims, const void *data, size_t size)
{
	struct err e = ERR_INIT;
	struct tensor *x = tensor_wrap(t, rank, dims, &(struct tensor_memory){.data = data, .bytes = size}, &e);

	assert_non_null(x);
	return value_tensor(x, &e);
}

/* One call; the first output, or NULL when it is not to work. */
static struct value *invoked(struct caller *c, const char *op, const struct backend_argument *args, size_t n,
			     enum worker_result wanted)
{
	struct worker_report report;
	struct backend_answer got = {0};
	struct value *first = NULL;
	enum worker_result r = caller_invoke(c, &(struct backend_call){op, args, n, 0, 0}, &got, &report);

	if (r != wanted)
		fail_msg("%s: %s, wanted %s: %s", op, worker_result_name(r), worker_result_name(wanted),
			 report.message);
	if (got.n_out)
		first = value_ref(got.out[0]);
	backend_answer_free(&got);
	return first;
}

static void check(struct value *v, int rank, const int64_t *dims, const float *numbers)
{
	assert_int_equal(v->tensor->rank, rank);
	for (int i = 0; i < rank; i++)
		assert_int_equal(v->tensor->dims[i], dims[i]);
	for (size_t i = 0; i < v->tensor->count; i++)
		assert_true(tensor_get(v->tensor, i) == (double)numbers[i]);
	value_unref(v);
}

/* Calls that differ in values alone may be run by one session; shapes that stand in the model are no such values. */
static void check_again(struct caller *c, struct value *x)
{
	static const float others[] = {5, 6, 7, 8};
	struct value *y = given(DT_FLOAT, 2, (int64_t[]){2, 2}, others, sizeof others);
	struct value *s = given(DT_INT64, 1, (int64_t[]){2}, (int64_t[]){1, 4}, 16);
	struct backend_argument in = {.name = "", .kind = ARG_TENSOR, .tensor = x};
	struct backend_argument reshape[] = {in, {.name = "shape", .kind = ARG_TENSOR, .tensor = s}};

	for (int i = 0; i < 40; i++) { /* more than are kept */
		const struct backend_argument leaky[] = {in, {.name = "alpha", .kind = ARG_FLOAT, .f = i + 1}};

		check(invoked(c, "LeakyRelu", leaky, 2, WORKER_OK), 2, (int64_t[]){2, 2},
		      (float[]){1, -2 * (float)(i + 1), 3, -4 * (float)(i + 1)});
	}
	check(invoked(c, "Relu", &in, 1, WORKER_OK), 2, (int64_t[]){2, 2}, (float[]){1, 0, 3, 0});
	in.tensor = reshape[0].tensor = y;
	check(invoked(c, "Relu", &in, 1, WORKER_OK), 2, (int64_t[]){2, 2}, others);
	check(invoked(c, "Reshape", reshape, 2, WORKER_OK), 2, (int64_t[]){1, 4}, others);
	value_unref(s);
	value_unref(y);
}

void check_onnx_invoke(struct caller *c)
{
	static const float numbers[] = {1, -2, 3, -4};
	static const int64_t shape[] = {4, 1};
	struct value *x = given(DT_FLOAT, 2, (int64_t[]){2, 2}, numbers, sizeof numbers);
	struct value *s = given(DT_INT64, 1, (int64_t[]){2}, shape, sizeof shape);
	const struct backend_argument in = {.name = "", .kind = ARG_TENSOR, .tensor = x};
	const struct backend_argument both[] = {
		{.name = "", .kind = ARG_TENSORS, .tensors = (struct value *[]){x, x}, .n = 2},
		{.name = "axis", .kind = ARG_INT, .i = 0},
	};
	const struct backend_argument reshape[] = {in, {.name = "shape", .kind = ARG_TENSOR, .tensor = s}};
	const struct backend_argument leaky[] = {in, {.name = "alpha", .kind = ARG_FLOAT, .f = 0.5}};
	const struct backend_argument turned[] = {
		in, {.name = "perm", .kind = ARG_INTS, .ints = (int64_t[]){1, 0}, .n = 2}};
	const struct backend_argument parts[] = {
		in, {.name = "axis", .kind = ARG_INT, .i = 1}, {.name = "outputs", .kind = ARG_INT, .i = 2}};
	const struct backend_argument clipped[] = {in, {.name = "", .kind = ARG_NONE}};

	check(invoked(c, "Concat", both, 2, WORKER_OK), 2, (int64_t[]){4, 2}, (float[]){1, -2, 3, -4, 1, -2, 3, -4});
	check(invoked(c, "Reshape", reshape, 2, WORKER_OK), 2, shape, numbers);
	check(invoked(c, "LeakyRelu-6", leaky, 2, WORKER_OK), 2, (int64_t[]){2, 2}, (float[]){1, -1, 3, -2});
	check(invoked(c, "Transpose", turned, 2, WORKER_OK), 2, (int64_t[]){2, 2}, (float[]){1, 3, -2, -4});
	check(invoked(c, "Split", parts, 3, WORKER_OK), 2, (int64_t[]){2, 1}, (float[]){1, 3});
	check(invoked(c, "Clip", clipped, 2, WORKER_OK), 2, (int64_t[]){2, 2}, numbers);
	invoked(c, "NoSuch", both, 1, WORKER_UNSUPPORTED);
	invoked(c, "Concat-x", both, 2, WORKER_REJECTED);
	invoked(c, "Relu", leaky, 2, WORKER_REJECTED);   /* it has no alpha */
	invoked(c, "Relu", reshape, 2, WORKER_REJECTED); /* and no shape */
	check_again(c, x);
	value_unref(x);
	value_unref(s);
}
