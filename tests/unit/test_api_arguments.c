/* test_api_arguments.c - wrong arguments to every function of include/assay.h do no harm.
 *
 * One row for each function, checked against the header: a function without a row fails. */
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
#include "base/buf.h"

#define FIXTURES "tests/fixtures/"

/* What calls that are right begin with. */
static struct world {
	struct assay_model *model;
	struct assay_reference *reference;
	struct assay_tensor *x;
	struct assay_result *result;
} world;

static int set_up(void **state)
{
	static const struct assay_run_options noisy = {.mode = ASSAY_NOISY};

	(void)state;
	return assay_model_load(FIXTURES "linear.onnx", &world.model, NULL) ||
	       assay_tensor_load(FIXTURES "x.npy", &world.x, NULL) ||
	       assay_reference_open(world.model, &world.reference, NULL) ||
	       assay_reference_run(world.reference, &world.x, 1, &noisy, &world.result, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	assay_result_free(world.result);
	assay_reference_close(world.reference);
	assay_tensor_free(world.x);
	assay_model_free(world.model);
	return 0;
}

/* Twice: with an error that must say something, and without one. */
#define REFUSED(function, ...)                                                                        \
	do {                                                                                          \
		struct assay_error e = {0, ""};                                                       \
                                                                                                      \
		assert_int_equal(function(__VA_ARGS__, &e), ASSAY_ERR_USAGE);                         \
		assert_int_equal(e.status, ASSAY_ERR_USAGE);                                          \
		assert_true(*e.message);                                                              \
		assert_int_equal(function(__VA_ARGS__, (struct assay_error *)NULL), ASSAY_ERR_USAGE); \
	} while (0)

/* ---- version and errors ------------------------------------------------------------------------------------------ */

static void row_version(void)
{
	assert_true(*assay_version());
}

static void row_status_text(void)
{
	static const int unknown[] = {1, 7, -1, -64, INT32_MIN, INT32_MAX};

	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		assert_string_equal(assay_status_text(unknown[i]), assay_status_text(ASSAY_ERR_INTERNAL));
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static void row_tensor_new(void)
{
	static const int codes[] = {0, -1, 8 /* strings */, 99, INT32_MIN, INT32_MAX};
	int64_t two[] = {2}, negative[] = {-2}, large[] = {INT64_MAX, INT64_MAX}, none[] = {0};
	float data[2] = {1, 2};
	struct assay_tensor *t = NULL;

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		REFUSED(assay_tensor_new, codes[i], 1, two, data, sizeof data, &t);
	REFUSED(assay_tensor_new, ASSAY_FLOAT, -1, two, data, sizeof data, &t);
	REFUSED(assay_tensor_new, ASSAY_FLOAT, ASSAY_MAX_RANK + 1, two, data, sizeof data, &t);
	REFUSED(assay_tensor_new, ASSAY_FLOAT, 1, NULL, data, sizeof data, &t);
	REFUSED(assay_tensor_new, ASSAY_FLOAT, 1, two, NULL, sizeof data, &t);
	REFUSED(assay_tensor_new, ASSAY_FLOAT, 1, two, data, sizeof data - 1, &t);
	REFUSED(assay_tensor_new, ASSAY_FLOAT, 1, two, data, SIZE_MAX, &t);
	REFUSED(assay_tensor_new, ASSAY_FLOAT, 1, two, data, sizeof data, NULL);
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 1, negative, data, sizeof data, &t, NULL), ASSAY_ERR_LIMIT);
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 2, large, data, sizeof data, &t, NULL), ASSAY_ERR_LIMIT);
	assert_null(t);
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 0, NULL, data, sizeof *data, &t, NULL), ASSAY_OK);
	assay_tensor_free(t);
	assert_int_equal(assay_tensor_new(ASSAY_FLOAT, 1, none, NULL, 0, &t, NULL), ASSAY_OK);
	assert_true(isnan(assay_tensor_get(t, 0)));
	assay_tensor_free(t);
}

static void row_tensor_load(void)
{
	struct assay_tensor *t = NULL;

	REFUSED(assay_tensor_load, NULL, &t);
	REFUSED(assay_tensor_load, "", &t);
	REFUSED(assay_tensor_load, FIXTURES "x.npy", NULL);
	REFUSED(assay_tensor_load, FIXTURES "x.txt", &t);
	assert_int_equal(assay_tensor_load(FIXTURES "nowhere.npy", &t, NULL), ASSAY_ERR_IO);
	assert_null(t);
}

/* What a run gives is held in another form than what was loaded; both can be written. */
static void save_result(const char *suffix)
{
	char path[] = "/tmp/assay-arguments-XXXXXX.npy";
	int fd;

	snprintf(strrchr(path, '.'), 5, "%s", suffix);
	fd = mkstemps(path, (int)strlen(suffix));
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(assay_tensor_save(assay_result_tensor(world.result, 0), path, NULL), ASSAY_OK);
	unlink(path);
}

static void row_tensor_save(void)
{
	REFUSED(assay_tensor_save, NULL, "/tmp/x.npy");
	REFUSED(assay_tensor_save, world.x, NULL);
	REFUSED(assay_tensor_save, world.x, "/tmp/x.txt");
	REFUSED(assay_tensor_save, world.x, "");
	assert_int_equal(assay_tensor_save(world.x, FIXTURES "nowhere/x.npy", NULL), ASSAY_ERR_IO);
	save_result(".npy");
	save_result(".pb");
}

static void row_tensor_free(void)
{
	assay_tensor_free(NULL);
}

static void row_tensor_dtype(void)
{
	assert_int_equal(assay_tensor_dtype(NULL), 0);
	assert_int_equal(assay_tensor_dtype(world.x), ASSAY_FLOAT);
}

static void row_tensor_dtype_name(void)
{
	assert_null(assay_tensor_dtype_name(NULL));
}

static void row_tensor_rank(void)
{
	assert_int_equal(assay_tensor_rank(NULL), 0);
}

static void row_tensor_dims(void)
{
	assert_null(assay_tensor_dims(NULL));
}

static void row_tensor_count(void)
{
	assert_int_equal(assay_tensor_count(NULL), 0);
}

static void row_tensor_get(void)
{
	size_t n = assay_tensor_count(world.x);

	assert_false(isnan(assay_tensor_get(world.x, n - 1)));
	assert_true(isnan(assay_tensor_get(world.x, n)));
	assert_true(isnan(assay_tensor_get(world.x, SIZE_MAX)));
	assert_true(isnan(assay_tensor_get(NULL, 0)));
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void row_model_load(void)
{
	struct assay_model *m = NULL;

	REFUSED(assay_model_load, NULL, &m);
	REFUSED(assay_model_load, FIXTURES "linear.onnx", NULL);
	assert_int_equal(assay_model_load("", &m, NULL), ASSAY_ERR_IO);
	assert_int_equal(assay_model_load(FIXTURES, &m, NULL), ASSAY_ERR_IO);
	assert_null(m);
}

static void row_model_parse(void)
{
	struct assay_model *m = NULL;

	REFUSED(assay_model_parse, NULL, 8, "", &m);
	REFUSED(assay_model_parse, "nonsense", 8, NULL, &m);
	REFUSED(assay_model_parse, "nonsense", 8, "", NULL);
	assert_int_equal(assay_model_parse(NULL, 0, "", &m, NULL), ASSAY_ERR_INPUT);
	assert_null(m);
}

static void row_model_free(void)
{
	assay_model_free(NULL);
}

static void row_model_input_count(void)
{
	assert_int_equal(assay_model_input_count(NULL), 0);
}

static void row_model_input_name(void)
{
	assert_string_equal(assay_model_input_name(world.model, 0), "x");
	assert_null(assay_model_input_name(world.model, 1));
	assert_null(assay_model_input_name(world.model, SIZE_MAX));
	assert_null(assay_model_input_name(NULL, 0));
}

static void row_model_input_has_default(void)
{
	assert_int_equal(assay_model_input_has_default(world.model, 1), 0);
	assert_int_equal(assay_model_input_has_default(world.model, SIZE_MAX), 0);
	assert_int_equal(assay_model_input_has_default(NULL, 0), 0);
}

static void row_model_output_count(void)
{
	assert_int_equal(assay_model_output_count(NULL), 0);
}

static void row_model_output_name(void)
{
	assert_string_equal(assay_model_output_name(world.model, 0), "y");
	assert_null(assay_model_output_name(world.model, 1));
	assert_null(assay_model_output_name(world.model, SIZE_MAX));
	assert_null(assay_model_output_name(NULL, 0));
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

static void row_reference_open(void)
{
	struct assay_reference *r = NULL;

	REFUSED(assay_reference_open, NULL, &r);
	REFUSED(assay_reference_open, world.model, NULL);
	assert_null(r);
}

static void row_reference_close(void)
{
	assay_reference_close(NULL);
}

/* Whatever is asked for, a small model can still be run, and what is no number is the default. */
static void row_set_threads(void)
{
	static const size_t most[] = {0, 2, SIZE_MAX, 1};
	struct assay_result *out = NULL;

	for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
		assay_set_threads(most[i]);
		assert_int_equal(assay_reference_run(world.reference, &world.x, 1, NULL, &out, NULL), ASSAY_OK);
		assay_result_free(out);
		out = NULL;
	}
}

static void row_set_max_work(void)
{
	static const double most[] = {0, -1, -INFINITY, INFINITY, NAN};
	struct assay_result *out = NULL;

	for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
		assay_set_max_work(most[i]);
		assert_int_equal(assay_reference_run(world.reference, &world.x, 1, NULL, &out, NULL), ASSAY_OK);
		assay_result_free(out);
		out = NULL;
	}
	assay_set_max_work(1e-300);
	assert_int_equal(assay_reference_run(world.reference, &world.x, 1, NULL, &out, NULL), ASSAY_ERR_LIMIT);
	assert_null(out);
	assay_set_max_work(0);
}

static const struct assay_run_options bad_options[] = {
	{.mode = (enum assay_mode)7},
	{.mode = (enum assay_mode)3},
	{.mode = (enum assay_mode) - 1},
	{.mode = ASSAY_NOISY, .noise_runs = 65},
	{.mode = ASSAY_NOISY, .noise_runs = -1},
	{.mode = ASSAY_EXACT, .noise_runs = INT32_MIN},
};

static void row_reference_run(void)
{
	struct assay_result *out = NULL;
	struct assay_tensor *wrong = NULL;
	int64_t dims[] = {1, 2};
	double data[] = {1, 2};

	for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++)
		REFUSED(assay_reference_run, world.reference, &world.x, 1, &bad_options[i], &out);
	REFUSED(assay_reference_run, NULL, &world.x, 1, NULL, &out);
	REFUSED(assay_reference_run, world.reference, NULL, 1, NULL, &out);
	REFUSED(assay_reference_run, world.reference, &world.x, 1, NULL, NULL);
	assert_int_equal(assay_reference_run(world.reference, &world.x, 0, NULL, &out, NULL), ASSAY_ERR_INPUT);
	assert_int_equal(assay_reference_run(world.reference, &world.x, 2, NULL, &out, NULL), ASSAY_ERR_INPUT);
	assert_int_equal(assay_reference_run(world.reference, &world.x, SIZE_MAX, NULL, &out, NULL), ASSAY_ERR_INPUT);
	assert_int_equal(assay_tensor_new(ASSAY_DOUBLE, 2, dims, data, sizeof data, &wrong, NULL), ASSAY_OK);
	assert_int_equal(assay_reference_run(world.reference, &wrong, 1, NULL, &out, NULL), ASSAY_ERR_INPUT);
	assay_tensor_free(wrong);
	assert_null(out);
}

static void row_result_count(void)
{
	assert_int_equal(assay_result_count(NULL), 0);
}

static void row_result_name(void)
{
	assert_string_equal(assay_result_name(world.result, 0), "y");
	assert_null(assay_result_name(world.result, 1));
	assert_null(assay_result_name(world.result, SIZE_MAX));
	assert_null(assay_result_name(NULL, 0));
}

static void row_result_tensor(void)
{
	assert_non_null(assay_result_tensor(world.result, 0));
	assert_null(assay_result_tensor(world.result, 1));
	assert_null(assay_result_tensor(world.result, SIZE_MAX));
	assert_null(assay_result_tensor(NULL, 0));
}

static void row_result_noise(void)
{
	assert_non_null(assay_result_noise(world.result, 0));
	assert_null(assay_result_noise(world.result, 1));
	assert_null(assay_result_noise(world.result, SIZE_MAX));
	assert_null(assay_result_noise(NULL, 0));
}

static void row_result_free(void)
{
	assay_result_free(NULL);
}

static void row_reference_gradient(void)
{
	static const char *const wanted[] = {"x", NULL};
	static const struct assay_run_options noisy = {.mode = ASSAY_NOISY};
	struct assay_tensor *seed = world.x /* of another shape than y */, *grads[2] = {NULL};
	const struct assay_gradient right = {
		.inputs = &world.x, .n_inputs = 1, .seeds = &seed, .n_seeds = 1, .wanted = wanted, .n_wanted = 1};
	struct assay_gradient g = right;

	for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++)
		REFUSED(assay_reference_gradient, world.reference, &g, &bad_options[i], grads);
	REFUSED(assay_reference_gradient, world.reference, &g, &noisy, grads);
	REFUSED(assay_reference_gradient, NULL, &g, NULL, grads);
	REFUSED(assay_reference_gradient, world.reference, NULL, NULL, grads);
	REFUSED(assay_reference_gradient, world.reference, &g, NULL, NULL);
	g.inputs = NULL;
	REFUSED(assay_reference_gradient, world.reference, &g, NULL, grads);
	g = right;
	g.seeds = NULL;
	REFUSED(assay_reference_gradient, world.reference, &g, NULL, grads);
	g = right;
	g.wanted = NULL;
	REFUSED(assay_reference_gradient, world.reference, &g, NULL, grads);
	g = right;
	g.n_wanted = 2; /* the second has no name */
	REFUSED(assay_reference_gradient, world.reference, &g, NULL, grads);
	g = right;
	g.n_seeds = SIZE_MAX;
	REFUSED(assay_reference_gradient, world.reference, &g, NULL, grads);
	g = right;
	g.n_inputs = SIZE_MAX;
	assert_int_equal(assay_reference_gradient(world.reference, &g, NULL, grads, NULL), ASSAY_ERR_INPUT);
	g = right;
	g.n_wanted = SIZE_MAX;
	assert_int_equal(assay_reference_gradient(world.reference, &g, NULL, grads, NULL), ASSAY_ERR_MEMORY);
	assert_int_equal(assay_reference_gradient(world.reference, &right, NULL, grads, NULL), ASSAY_ERR_INPUT);
	assert_null(grads[0]);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

#define ROW(name)                          \
	{                                  \
		"assay_" #name, row_##name \
	}

static const struct row {
	const char *function;
	void (*run)(void);
} rows[] = {
	ROW(version),
	ROW(status_text),
	ROW(tensor_new),
	ROW(tensor_load),
	ROW(tensor_save),
	ROW(tensor_free),
	ROW(tensor_dtype),
	ROW(tensor_dtype_name),
	ROW(tensor_rank),
	ROW(tensor_dims),
	ROW(tensor_count),
	ROW(tensor_get),
	ROW(model_load),
	ROW(model_parse),
	ROW(model_free),
	ROW(model_input_count),
	ROW(model_input_name),
	ROW(model_input_has_default),
	ROW(model_output_count),
	ROW(model_output_name),
	ROW(set_max_work),
	ROW(set_threads),
	ROW(reference_open),
	ROW(reference_close),
	ROW(reference_run),
	ROW(result_count),
	ROW(result_name),
	ROW(result_tensor),
	ROW(result_noise),
	ROW(result_free),
	ROW(reference_gradient),
};

#define N_ROWS (sizeof rows / sizeof *rows)

static void wrong_arguments_do_no_harm(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ROWS; i++) {
		print_message("%s\n", rows[i].function);
		rows[i].run();
	}
}

static int has_row(const char *function, size_t n)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (strlen(rows[i].function) == n && !memcmp(rows[i].function, function, n))
			return 1;
	return 0;
}

/* Blanks in the place of comments. */
static void cover_comments(char *text)
{
	for (char *at = text, *end; (at = strstr(at, "/*")) && (end = strstr(at, "*/")); at = end)
		memset(at, ' ', (size_t)(end + 2 - at));
}

static void every_function_of_the_header_has_a_row(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	struct err e = ERR_INIT;
	struct buf header;
	size_t found = 0;
	char *at;

	(void)state;
	buf_init(&header, 0);
	assert_int_equal(buf_read_file(&header, "include/assay.h", 1 << 20, &e), 0);
	at = header.data;
	cover_comments(at);
	while ((at = strstr(at, "assay_"))) {
		size_t n = strspn(at, letters);

		if (at[n] == '(') {
			found++;
			if (!has_row(at, n))
				fail_msg("%.*s() has no row", (int)n, at);
		}
		at += n;
	}
	assert_int_equal(found, N_ROWS); /* and no row is of a function that is gone */
	buf_release(&header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_of_the_header_has_a_row),
		cmocka_unit_test_setup_teardown(wrong_arguments_do_no_harm, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
