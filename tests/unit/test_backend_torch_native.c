/* test_backend_torch_native.c - PyTorch's operators by their own names, through its worker.  Skipped where it is not
 * installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/backend.h"
#include "worker/parent/worker.h"

static struct value *numbers(const double *x, int64_t n)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(DT_FLOAT, 1, &n, &e), *packed;

	assert_non_null(wide);
	memcpy(wide->f, x, (size_t)n * sizeof *x);
	packed = tensor_pack(wide, &e);
	tensor_unref(wide);
	assert_non_null(packed);
	return value_tensor(packed, &e);
}

/* addcmul(a, b, c, value=3) = a + 3 b c; its gradients are 1, 3c, 3b. */
static void test_invoke(void **state)
{
	const double a[] = {1, 2}, b[] = {3, 5}, c[] = {7, 11};
	struct backend_argument args[] = {
		{.name = "", .kind = ARG_TENSOR, .tensor = numbers(a, 2)},
		{.name = "tensor1", .kind = ARG_TENSOR, .tensor = numbers(b, 2)},
		{.name = "tensor2", .kind = ARG_TENSOR, .tensor = numbers(c, 2)},
		{.name = "value", .kind = ARG_INT, .i = 3},
	};
	struct backend_call call = {"aten::addcmul", args, 4, 1, 0};
	struct backend_answer got;
	struct worker_report report;

	(void)state;
	if (worker_invoke(backend_test_worker(), &call, &got, &report))
		fail_msg("%s", report.message);
	assert_int_equal(got.n_out, 1);
	assert_int_equal(got.n_grads, 3);
	for (size_t i = 0; i < 2; i++) {
		assert_true(tensor_get(got.out[0]->tensor, i) == a[i] + 3 * b[i] * c[i]);
		assert_true(tensor_get(got.grads[0], i) == 1);
		assert_true(tensor_get(got.grads[1], i) == 3 * c[i]);
		assert_true(tensor_get(got.grads[2], i) == 3 * b[i]);
	}
	backend_answer_free(&got);
	call.heads = 3;
	assert_int_equal(worker_invoke(backend_test_worker(), &call, &got, &report), WORKER_OK);
	for (size_t i = 0; i < 2; i++)
		assert_true(tensor_get(got.grads[1], i) == backend_head(3, i) * 3 * c[i]);
	backend_answer_free(&got);
	call = (struct backend_call){"aten::nowhere", args, 1, 0, 0};
	assert_int_equal(worker_invoke(backend_test_worker(), &call, &got, &report), WORKER_UNSUPPORTED);
	call = (struct backend_call){"aten::mm", args, 2, 0, 0};
	assert_int_equal(worker_invoke(backend_test_worker(), &call, &got, &report), WORKER_REJECTED);
	for (size_t i = 0; i < 3; i++)
		value_unref(args[i].tensor);
}

static void test_list(void **state)
{
	struct arena arena = ARENA_INIT;
	struct backend_operation *ops;
	struct worker_report report;
	size_t n;

	(void)state;
	if (worker_list(backend_test_worker(), "aten::", &arena, &ops, &n, &report))
		fail_msg("%s", report.message);
	assert_true(n > 2000);
	if (worker_list(backend_test_worker(), "aten::leaky_relu", &arena, &ops, &n, &report))
		fail_msg("%s", report.message);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(ops[i].name, "aten::leaky_relu")) {
			assert_int_equal(ops[i].n_parameters, 2);
			assert_int_equal(ops[i].n_outputs, 1);
			assert_string_equal(ops[i].parameters[0].name, "self");
			assert_true(ops[i].parameters[0].is_input);
			assert_string_equal(ops[i].parameters[1].name, "negative_slope");
			assert_non_null(ops[i].parameters[1].default_value);
			arena_release(&arena);
			return;
		}
	fail_msg("aten::leaky_relu is not listed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_invoke),
		cmocka_unit_test(test_list),
	};

	return BACKEND_TEST_RUN("torch", tests);
}
