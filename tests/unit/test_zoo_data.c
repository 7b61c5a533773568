/* test_zoo_data.c - pictures and words as networks of the zoo are given them, and the statistics of normalizations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/op.h"
#include "reference/reference.h"
#include "zoo/zoo.h"

/* A table of bytes, as pictures are fetched: the last column is the label, the others are brought to 0 … 1. */
static void tables_of_bytes(void **state)
{
	static const char *const path = "test_zoo_pictures.npy";
	const struct zoo_source *source = zoo_source_find("pictures");
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new_packed(DT_UINT8, 2, (int64_t[]){40, 3073}, &e);
	struct zoo_data d;

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < t->count; i++)
		((unsigned char *)t->data)[i] = (unsigned char)(i % 3073 == 3072 ? i / 3073 % 10 : i / 3073 * 5);
	assert_int_equal(npy_save(t, path, &e), 0);
	tensor_unref(t);
	assert_int_equal(zoo_data_load(source, path, 1, &d, &e), 0);
	assert_int_equal(d.n, 40);
	assert_int_equal(d.items->dims[1], 3072);
	for (size_t i = 0; i < d.n; i++) { /* shuffled, and each label with its picture */
		double value = tensor_get(d.items, i * 3072 + 5) * 255, label = tensor_get(d.truth, i);

		assert_true(fabs(value / 5 - floor(value / 5 + 0.5)) < 1e-4);
		assert_true((int)floor(value / 5 + 0.5) % 10 == (int)label);
	}
	zoo_data_release(&d);
	t = tensor_new_packed(DT_UINT8, 1, (int64_t[]){3073}, &e);
	assert_non_null(t);
	memset(t->data, 0, t->count);
	assert_int_equal(npy_save(t, path, &e), 0);
	tensor_unref(t);
	assert_int_equal(zoo_data_load(source, path, 1, &d, &e), ERR_INPUT);
	assert_string_equal(e.msg, "'test_zoo_pictures.npy' is not a table of numbers");
	remove(path);
}

/* A network that takes words gets integers; half a word is an error. */
static void words_are_integers(void **state)
{
	struct zoo_data d = {.n = 2, .source = zoo_source_find("reviews")};
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct tensor *x;

	(void)state;
	assert_int_equal(zoo_build(zoo_find("gru"), 2, 1, NULL, &m, &e), 0);
	d.items = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){2, 32}, &e);
	d.truth = tensor_new_packed(DT_FLOAT, 2, (int64_t[]){2, 1}, &e);
	assert_true(d.items && d.truth);
	for (size_t i = 0; i < 64; i++)
		((float *)d.items->data)[i] = (float)i;
	memset(d.truth->data, 0, 2 * sizeof(float));
	assert_int_equal(zoo_data_check(&d, zoo_find("gru"), m, &e), 0);
	x = zoo_data_batch(&d, (const size_t[]){1, 0}, 0, m->graph->inputs.at[0], &e);
	assert_non_null(x);
	assert_int_equal(x->dtype, DT_INT64);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(((int64_t *)x->data)[i], (i + 32) % 64);
	tensor_unref(x);
	((float *)d.items->data)[3] = 0.5f;
	assert_int_equal(zoo_data_check(&d, zoo_find("gru"), m, &e), ERR_INPUT);
	assert_string_equal(e.msg, "data 'reviews': 0.5 is not a whole number, as network 'gru' takes them");
	zoo_data_release(&d);
	model_free(m);
}

/* Two channels of 2 x 3 numbers in two batches: mean and variance are those of all four items together. */
static void normalizations_are_measured(void **state)
{
	static const float batches[2][12] = {{1, 2, 3, 10, 10, 10, 5, 6, 7, 10, 10, 16},
					     {0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4}};
	struct zoo_norms norms = {0};
	struct err e = ERR_INIT;
	struct ref_options o = {.mode = REF_EXACT, .training = 1, .observe = zoo_norms_observe, .observe_arg = &norms};
	double mean[2] = {0}, var[2] = {0};
	struct wire *x, *ones, *zeros, *more;
	struct model *m = NULL;
	struct ref *ref = NULL;
	struct build b;

	(void)state;
	build_begin(&b, 14, 1, &e);
	x = build_op(&b, "Identity", "copy", build_input(&b, "x", DT_FLOAT, 3, (int64_t[]){2, 2, 3}), NULL);
	ones = build_fill(&b, "ones", 1, (int64_t[]){2}, 1);
	zeros = build_fill(&b, "zeros", 1, (int64_t[]){2}, 0);
	more = build_fill(&b, "more", 1, (int64_t[]){2}, 1);
	build_output(&b, build_op(&b, "BatchNormalization", "norm", x, ones, ones, zeros, more, NULL));
	assert_int_equal(build_end(&b, &m), 0);
	if (ops_bind(m, &e) || zoo_norms_find(m->graph, &norms, &e) || ref_open(m, &ref, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(norms.n, 1);
	for (int i = 0; i < 2; i++) {
		struct tensor *t = tensor_new_packed(DT_FLOAT, 3, (int64_t[]){2, 2, 3}, &e);
		struct value *in;
		struct ref_result r;

		assert_non_null(t);
		memcpy(t->data, batches[i], sizeof batches[i]);
		in = value_tensor(t, &e);
		assert_non_null(in);
		if (ref_run(ref, &in, 1, &o, &r, &e))
			fail_msg("%s", e.msg);
		ref_result_release(&r);
		value_unref(in);
	}
	assert_true(zoo_norms_take(&norms, zeros, mean) && zoo_norms_take(&norms, more, var));
	assert_false(zoo_norms_take(&norms, ones, mean));
	assert_true(fabs(mean[0] - 3) < 1e-12 && fabs(mean[1] - 7.5) < 1e-12);
	assert_true(fabs(var[0] - 172.0 / 12 + 9) < 1e-12 && fabs(var[1] - 852.0 / 12 + 56.25) < 1e-12);
	zoo_norms_release(&norms);
	ref_close(ref);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_bytes),
		cmocka_unit_test(words_are_integers),
		cmocka_unit_test(normalizations_are_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
