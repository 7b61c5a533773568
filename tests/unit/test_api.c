/* The public interface: what include/assay.h promises, seen from outside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay.h"

#define FIXTURES "tests/fixtures/"

static struct assay_model *load(const char *path)
{
	struct assay_model *m = NULL;
	struct assay_error e;

	if (assay_model_load(path, &m, &e))
		fail_msg("%s", e.message);
	return m;
}

static struct assay_tensor *load_x(void)
{
	struct assay_tensor *x = NULL;
	struct assay_error e;

	if (assay_tensor_load(FIXTURES "x.npy", &x, &e))
		fail_msg("%s", e.message);
	return x;
}

static void test_version_and_statuses(void **state)
{
	(void)state;
	assert_int_equal(strspn(assay_version(), "0123456789."), strlen(assay_version()));
	assert_string_equal(assay_status_text(ASSAY_OK), "ok");
	assert_string_equal(assay_status_text(ASSAY_ERR_INPUT), "bad input");
}

static void test_tensor_holds_a_copy(void **state)
{
	float data[] = {1.5f, -2.0f, 4.0f, 0.25f};
	int64_t dims[] = {2, 2};
	struct assay_tensor *t = NULL;

	(void)state;
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 2, dims, data, sizeof data, &t, NULL), ASSAY_OK);
	data[0] = 99;
	assert_true(assay_tensor_get(t, 0) == 1.5 && assay_tensor_get(t, 3) == 0.25);
	assert_int_equal(assay_tensor_count(t), 4);
	assert_int_equal(assay_tensor_rank(t), 2);
	assert_int_equal(assay_tensor_dims(t)[1], 2);
	assert_string_equal(assay_tensor_dtype_name(t), "float32");
	assay_tensor_free(t);
}

static void test_bad_tensors(void **state)
{
	int64_t dims[] = {3}, huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
	struct assay_tensor *t = NULL;
	struct assay_error e = {0, ""};
	float data[2] = {0};

	(void)state;
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 1, dims, data, sizeof data, &t, &e), ASSAY_ERR_USAGE);
	assert_string_equal(e.message, "8 bytes were given, the tensor has 12");
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 2, huge, data, sizeof data, &t, &e), ASSAY_ERR_LIMIT);
	assert_int_equal(assay_tensor_new(ASSAY_STRING, 1, dims, data, sizeof data, &t, &e), ASSAY_ERR_USAGE);
	assert_int_equal(assay_tensor_new(12345, 1, dims, data, sizeof data, &t, &e), ASSAY_ERR_USAGE);
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, ASSAY_MAX_RANK + 1, dims, data, sizeof data, &t, &e),
			 ASSAY_ERR_USAGE);
	assert_int_equal(assay_tensor_load(FIXTURES "broken/cut.npy", &t, &e), ASSAY_ERR_INPUT);
	assert_int_equal(assay_tensor_load(FIXTURES "make.py", &t, &e), ASSAY_ERR_USAGE);
	assert_null(t);
}

static void test_saved_tensor_comes_back(void **state)
{
	struct assay_tensor *x = load_x(), *back = NULL;
	char path[] = "/tmp/assay-api-XXXXXX.pb";
	int fd = mkstemps(path, 3);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(assay_tensor_save(x, path, NULL), 0);
	assert_int_equal(assay_tensor_load(path, &back, NULL), 0);
	for (size_t i = 0; i < assay_tensor_count(x); i++)
		assert_true(assay_tensor_get(x, i) == assay_tensor_get(back, i));
	unlink(path);
	assay_tensor_free(back);
	assay_tensor_free(x);
}

static void test_model_says_its_names(void **state)
{
	struct assay_model *m = load(FIXTURES "default.onnx");

	(void)state;
	assert_int_equal(assay_model_input_count(m), 2);
	assert_string_equal(assay_model_input_name(m, 1), "b");
	assert_false(assay_model_input_has_default(m, 0));
	assert_true(assay_model_input_has_default(m, 1));
	assert_int_equal(assay_model_output_count(m), 1);
	assert_string_equal(assay_model_output_name(m, 0), "y");
	assay_model_free(m);
}

static void test_bad_models(void **state)
{
	struct assay_reference *r = NULL;
	struct assay_model *m = NULL;
	struct assay_error e;

	(void)state;
	assert_int_equal(assay_model_load(FIXTURES "broken/cut.onnx", &m, &e), ASSAY_ERR_INPUT);
	assert_non_null(strstr(e.message, "cut.onnx"));
	assert_int_equal(assay_model_parse("nonsense", 8, "", &m, NULL), ASSAY_ERR_INPUT);
	assert_null(m);
	m = load(FIXTURES "broken/unknown-op.onnx");
	assert_int_equal(assay_reference_open(m, &r, &e), ASSAY_ERR_UNSUPPORTED);
	assert_non_null(strstr(e.message, "Frobnicate"));
	assert_null(r);
	assay_model_free(m);
}

static void test_modes(void **state)
{
	static const double y[] = {1.5, 3, 0, 2.5};
	struct assay_model *m = load(FIXTURES "linear.onnx");
	struct assay_tensor *x = load_x();
	struct assay_reference *r = NULL;

	(void)state;
	assert_int_equal(assay_reference_open(m, &r, NULL), 0);
	for (int mode = ASSAY_EXACT; mode <= ASSAY_NOISY; mode++) {
		struct assay_run_options o = {.mode = (enum assay_mode)mode, .seed = 3};
		struct assay_result *result = NULL;

		assert_int_equal(assay_reference_run(r, &x, 1, &o, &result, NULL), 0);
		assert_int_equal(assay_result_count(result), 1);
		assert_string_equal(assay_result_name(result, 0), "y");
		for (size_t i = 0; i < 4; i++)
			assert_true(assay_tensor_get(assay_result_tensor(result, 0), i) == y[i]);
		assert_int_equal(assay_result_noise(result, 0) != NULL, mode == ASSAY_NOISY);
		if (mode == ASSAY_NOISY) { /* element 2 is cut off by relu, far from its edge */
			assert_true(assay_result_noise(result, 0)[0] > 0);
			assert_true(assay_result_noise(result, 0)[0] < 1e-6f);
			assert_true(assay_result_noise(result, 0)[2] == 0);
		}
		assay_result_free(result);
	}
	assay_reference_close(r);
	assay_tensor_free(x);
	assay_model_free(m);
}

static void test_bad_runs(void **state)
{
	struct assay_model *m = load(FIXTURES "linear.onnx");
	struct assay_run_options many = {.mode = ASSAY_NOISY, .noise_runs = 65};
	struct assay_reference *r = NULL;
	struct assay_result *result = NULL;
	struct assay_tensor *x = load_x(), *none = NULL;
	struct assay_error e;

	(void)state;
	assert_int_equal(assay_reference_open(m, &r, NULL), 0);
	assert_int_equal(assay_reference_run(r, &none, 1, NULL, &result, &e), ASSAY_ERR_INPUT);
	assert_non_null(strstr(e.message, "'x'"));
	assert_int_equal(assay_reference_run(r, NULL, 0, NULL, &result, &e), ASSAY_ERR_INPUT);
	assert_int_equal(assay_reference_run(r, &x, 1, &many, &result, &e), ASSAY_ERR_USAGE);
	assert_null(result);
	assay_reference_close(r);
	assay_tensor_free(x);
	assay_model_free(m);
}

static void test_output_that_is_no_tensor(void **state)
{
	struct assay_model *m = load(FIXTURES "pair.onnx");
	float data[] = {1, 2};
	int64_t dims[] = {2};
	struct assay_reference *r = NULL;
	struct assay_result *result = NULL;
	struct assay_tensor *x = NULL;

	(void)state;
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 1, dims, data, sizeof data, &x, NULL), 0);
	assert_int_equal(assay_reference_open(m, &r, NULL), 0);
	assert_int_equal(assay_reference_run(r, &x, 1, NULL, &result, NULL), 0);
	assert_null(assay_result_tensor(result, 0));
	assay_result_free(result);
	assay_reference_close(r);
	assay_tensor_free(x);
	assay_model_free(m);
}

/* y = relu(x w + b): dy/db sums over rows where y > 0; dy/dx is the rows of w behind elements that live. */
static void test_gradients(void **state)
{
	static const double want_b[] = {1, 2}, want_x[] = {0, 2.5, -0.125, -1, 2, 0.125};
	static const char *const wanted[] = {"b", "x"}, *const nothing[] = {"nowhere"};
	struct assay_model *m = load(FIXTURES "linear.onnx");
	double ones[] = {1, 1, 1, 1};
	int64_t dims[] = {2, 2};
	struct assay_tensor *x = load_x(), *seed = NULL, *grads[2] = {NULL};
	struct assay_reference *r = NULL;
	struct assay_gradient of;
	struct assay_error e;

	(void)state;
	assert_int_equal(assay_tensor_new(ASSAY_DOUBLE, 2, dims, ones, sizeof ones, &seed, NULL), 0);
	assert_int_equal(assay_reference_open(m, &r, NULL), 0);
	of = (struct assay_gradient){
		.inputs = &x, .n_inputs = 1, .seeds = &seed, .n_seeds = 1, .wanted = wanted, .n_wanted = 2};
	if (assay_reference_gradient(r, &of, NULL, grads, &e))
		fail_msg("%s", e.message);
	for (size_t i = 0; i < 2; i++)
		assert_true(assay_tensor_get(grads[0], i) == want_b[i]);
	for (size_t i = 0; i < 6; i++)
		assert_true(assay_tensor_get(grads[1], i) == want_x[i]);
	assay_tensor_free(grads[0]);
	assay_tensor_free(grads[1]);
	of.wanted = nothing;
	of.n_wanted = 1;
	assert_int_equal(assay_reference_gradient(r, &of, NULL, grads, &e), ASSAY_ERR_USAGE);
	of.wanted = wanted;
	of.n_seeds = 0;
	assert_int_equal(assay_reference_gradient(r, &of, NULL, grads, &e), ASSAY_ERR_USAGE);
	assay_reference_close(r);
	assay_tensor_free(seed);
	assay_tensor_free(x);
	assay_model_free(m);
}

static void test_nothing_may_be_freed(void **state)
{
	(void)state;
	assay_tensor_free(NULL);
	assay_model_free(NULL);
	assay_reference_close(NULL);
	assay_result_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_and_statuses),
		cmocka_unit_test(test_tensor_holds_a_copy),
		cmocka_unit_test(test_bad_tensors),
		cmocka_unit_test(test_saved_tensor_comes_back),
		cmocka_unit_test(test_model_says_its_names),
		cmocka_unit_test(test_bad_models),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_bad_runs),
		cmocka_unit_test(test_output_that_is_no_tensor),
		cmocka_unit_test(test_gradients),
		cmocka_unit_test(test_nothing_may_be_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
