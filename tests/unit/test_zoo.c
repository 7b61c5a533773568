/* test_zoo.c - networks that assay builds itself, and training on its own gradients. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/place.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "tensor/csv.h"
#include "zoo/zoo.h"

static struct model *built(const char *name, int64_t batch, const struct tensor_set *weights)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;

	if (zoo_build(zoo_find(name), batch, 1, weights, &m, &e))
		fail_msg("%s: %s", name, e.msg);
	return m;
}

/* Every network: shapes follow from the input, and there is one class distribution for each item of the batch. */
static void every_network_infers(void **state)
{
	(void)state;
	for (const struct zoo_row *row = zoo_rows; row->name; row++) {
		struct model *m = built(row->name, 3, NULL);
		struct err e = ERR_INIT;
		const struct type *t;

		if (ops_bind(m, &e) || ops_infer(m, &e))
			fail_msg("%s: %s", row->name, e.msg);
		t = &m->graph->outputs.at[0]->type;
		assert_int_equal(m->graph->outputs.n, 1);
		assert_true(type_is_static(t));
		assert_int_equal(t->dims[0], 3);
		model_free(m);
	}
}

/* The first output of the reference on an input that differs from element to element. */
static struct tensor *computed(struct model *m)
{
	const struct wire *w = m->graph->inputs.at[0];
	struct ref_options o = {.mode = REF_ROUNDED};
	struct ref_result r = {.n = 0};
	struct err e = ERR_INIT;
	struct ref *ref = NULL;
	struct tensor *x, *y;
	struct value *in;

	if (ops_bind(m, &e) || ops_infer(m, &e))
		fail_msg("%s", e.msg);
	x = tensor_new_packed(w->type.dtype, w->type.rank, w->type.dims, &e);
	assert_non_null(x);
	for (size_t i = 0; i < x->count; i++)
		if (x->dtype == DT_FLOAT)
			((float *)x->data)[i] = (float)(i * 7 % 31) / 31;
		else
			((int64_t *)x->data)[i] = (int64_t)(i * 7 % 31);
	in = value_tensor(x, &e);
	assert_non_null(in);
	if (ref_open(m, &ref, &e) || ref_run(ref, &in, 1, &o, &r, &e))
		fail_msg("%s", e.msg);
	y = tensor_ref(r.outputs[0].value->tensor);
	ref_result_release(&r);
	ref_close(ref);
	value_unref(in);
	return y;
}

/* Networks in older opsets compute the same; those that need a newer one say so. */
static void older_opsets_compute_the_same(void **state)
{
	static const char *const names[] = {"lenet5", "mobilenetv2", "simplernn", "lstm", "gru", "autoencoder"};
	struct err e = ERR_INIT;
	struct model *old = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct model *m = built(names[i], 2, NULL);
		struct tensor *want = computed(m), *got;

		assert_int_equal(zoo_build_at(zoo_find(names[i]), ZOO_FIRST_OPSET, 2, 1, NULL, &old, &e), 0);
		assert_int_equal(model_opset(old, ""), ZOO_FIRST_OPSET);
		got = computed(old);
		assert_true(tensor_same_shape(got, want));
		for (size_t k = 0; k < got->count; k++)
			assert_true(tensor_get(got, k) == tensor_get(want, k));
		tensor_unref(got);
		tensor_unref(want);
		model_free(old);
		model_free(m);
	}
	assert_int_equal(zoo_build_at(zoo_find("transformer"), 9, 1, 1, NULL, &old, &e), ERR_USAGE);
	assert_int_equal(zoo_build_at(zoo_find("lenet5"), 6, 1, 1, NULL, &old, &e), ERR_USAGE);
}

/* ConstantOfShape makes the weights of a Gemm and the variance of a normalization: both become random numbers. */
static void weights_are_filled(void **state)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	const struct node *gemm;
	size_t filled = 0;
	struct build b;
	struct wire *x, *w, *var, *ones;

	(void)state;
	build_begin(&b, 9, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 2, (int64_t[]){2, 8});
	ones = build_fill(&b, "ones", 1, (int64_t[]){4}, 1);
	w = build_op(&b, "ConstantOfShape", "w", build_ints64(&b, "w_shape", 2, (int64_t[]){4, 8}), NULL);
	var = build_op(&b, "ConstantOfShape", "var", build_ints64(&b, "var_shape", 1, (int64_t[]){4}), NULL);
	x = build_op(&b, "Gemm", "y", x, w, ones, NULL);
	build_int(&b, "transB", 1);
	build_output(&b, build_op(&b, "BatchNormalization", "z", x, ones, ones, ones, var, NULL));
	if (build_end(&b, &m) || zoo_fill(m, 3, &filled, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(filled, 2);
	assert_int_equal(m->graph->nodes.n, 2);
	gemm = m->graph->nodes.at[0];
	assert_string_equal(gemm->op_type, "Gemm");
	assert_non_null(gemm->in[1]->init);
	assert_true(tensor_get(gemm->in[1]->init, 0) != tensor_get(gemm->in[1]->init, 1));
	for (size_t i = 0; i < 4; i++)
		assert_true(tensor_get(m->graph->nodes.at[1]->in[4]->init, i) >= 0.5);
	model_free(m);
}

static void seven_seeds(void **state)
{
	int n = 0;

	(void)state;
	for (const struct zoo_row *row = zoo_rows; row->name; row++)
		n += row->network->seed_of_papers;
	assert_int_equal(n, 7);
}

/* The same seed gives the same bytes, another one others. */
static void bytes_follow_from_the_seed(void **state)
{
	struct buf bytes[3];
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct model *m = NULL;

		buf_init(&bytes[i], MODEL_MAX_FILE);
		assert_int_equal(zoo_build(zoo_find("lstm"), 1, i == 2 ? 8 : 7, NULL, &m, &e), 0);
		assert_int_equal(model_serialize(m, &bytes[i], &e), 0);
		model_free(m);
	}
	assert_int_equal(bytes[0].len, bytes[1].len);
	assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].len);
	assert_memory_not_equal(bytes[0].data, bytes[2].data, bytes[0].len);
	for (int i = 0; i < 3; i++)
		buf_release(&bytes[i]);
}

static void weights_must_fit(void **state)
{
	struct tensor_set set = TENSOR_SET_INIT;
	struct err e = ERR_INIT;
	struct model *m = NULL;

	(void)state;
	assert_int_equal(tensor_set_add(&set, "fc1.bias", tensor_new_packed(DT_FLOAT, 1, (int64_t[]){3}, &e), &e), 0);
	assert_int_equal(zoo_build(zoo_find("mlp"), 1, 0, &set, &m, &e), ERR_INPUT);
	assert_string_equal(e.msg, "network 'mlp': weight 'fc1.bias' is float32[3], wanted float32[64]");
	tensor_set_release(&set);
	assert_int_equal(tensor_set_add(&set, "fc9", tensor_new_packed(DT_FLOAT, 1, (int64_t[]){3}, &e), &e), 0);
	assert_int_equal(zoo_build(zoo_find("mlp"), 1, 0, &set, &m, &e), ERR_INPUT);
	assert_string_equal(e.msg, "network 'mlp': weight 'fc9': the network has no such initializer");
	tensor_set_release(&set);
	assert_int_equal(zoo_build(zoo_find("mlp"), 0, 0, NULL, &m, &e), ERR_USAGE);
	assert_null(zoo_find("alexnet"));
}

/* ---- digits ------------------------------------------------------------------------------------------------------ */

/* A table of n made-up digits: class c has a bright block of 8 x 3 pixels in one of ten places, with some noise. */
static void write_digits(const char *path, int n)
{
	FILE *f = fopen(path, "w");
	struct rng r;

	assert_non_null(f);
	rng_init(&r, 3);
	for (int i = 0; i < n; i++) {
		for (int p = 0; p < 784; p++) {
			int c = i % 10, y = p / 28 - (c / 5 * 14 + 3), x = p % 28 - (c % 5 * 5 + 3);
			int bright = y >= 0 && y < 8 && x >= 0 && x < 3;

			fprintf(f, "%d,", (bright ? 200 : 0) + (int)rng_below(&r, 50));
		}
		fprintf(f, "%d\n", i % 10);
	}
	fclose(f);
}

static const char *const digits_path = "test_zoo_digits.csv";

static void training_learns(void **state)
{
	struct zoo_train_options o = {.epochs = 12, .rate = 5e-3, .held_out = 32, .seed = 5};
	struct zoo_train_result r[2];
	struct zoo_data d;
	struct err e = ERR_INIT;

	(void)state;
	write_digits(digits_path, 160);
	assert_int_equal(zoo_data_load(zoo_source_find("digits"), digits_path, 1, &d, &e), 0);
	assert_int_equal(d.n, 160);
	for (int i = 0; i < 2; i++)
		if (zoo_train(zoo_find("mlp"), &d, &o, &r[i], &e))
			fail_msg("%s", e.msg);
	assert_true(r[0].accuracy > 0.6); /* 0.1 is chance */
	assert_int_equal(r[0].tested, 32);
	assert_int_equal(r[0].weights.n, r[1].weights.n);
	for (size_t i = 0; i < r[0].weights.n; i++) /* the same seed, the same bytes */
		assert_memory_equal(r[0].weights.at[i].tensor->data, r[1].weights.at[i].tensor->data,
				    r[0].weights.at[i].tensor->count * sizeof(float));
	tensor_set_release(&r[0].weights);
	tensor_set_release(&r[1].weights);
	assert_int_equal(zoo_train(zoo_find("densenet"), &d, &o, &r[0], &e), ERR_USAGE);
	o.held_out = 150;
	assert_int_equal(zoo_train(zoo_find("mlp"), &d, &o, &r[0], &e), ERR_USAGE);
	zoo_data_release(&d);
	remove(digits_path);
}

static void write_text(const char *text)
{
	FILE *f = fopen(digits_path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void tables_are_checked(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"", "'test_zoo_digits.csv' is empty"},
		{"1,2\n3\n", "'test_zoo_digits.csv' line 2 has 1 columns, the lines before it 2"},
		{"1,x\n", "'test_zoo_digits.csv' line 1 column 2: not a number"},
		{"1,2;3\n", "'test_zoo_digits.csv' line 1 column 2: not a number"},
	};
	struct tensor *t = NULL;
	struct err e = ERR_INIT;
	struct zoo_data d;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		write_text(bad[i].text);
		assert_int_equal(csv_load(digits_path, &t, &e), ERR_INPUT);
		assert_string_equal(e.msg, bad[i].message);
	}
	write_text("1, 2.5\r\n-3e1,nan\n");
	assert_int_equal(csv_load(digits_path, &t, &e), 0);
	assert_int_equal(t->dims[0], 2);
	assert_true(tensor_get(t, 1) == 2.5 && tensor_get(t, 2) == -30 && isnan(tensor_get(t, 3)));
	tensor_unref(t);
	write_text("3\n");
	assert_int_equal(zoo_data_load(zoo_source_find("digits"), digits_path, 0, &d, &e), ERR_INPUT);
	/* a header, and numbers with spaces between them; lines are those of the file */
	write_text("two,columns\n1 2\t3\n4 5 x\n");
	assert_int_equal(csv_load_form(digits_path, &(struct csv_form){.skip = 1, .spaces = 1}, &t, &e), ERR_INPUT);
	assert_string_equal(e.msg, "'test_zoo_digits.csv' line 3 column 3: not a number");
	write_text("two,columns\n1 2\t3 \n4 5 6\n");
	assert_int_equal(csv_load_form(digits_path, &(struct csv_form){.skip = 1, .spaces = 1}, &t, &e), 0);
	assert_true(t->dims[0] == 2 && t->dims[1] == 3 && tensor_get(t, 5) == 6);
	tensor_unref(t);
	write_text("\x1f\x8b\x08 broken");
	assert_int_not_equal(csv_load(digits_path, &t, &e), 0);
	remove(digits_path);
	assert_int_equal(csv_load("no such file", &t, &e), ERR_IO);
}

/* Each kind of output learns: a probability, a number, labels of the steps of a line, the input itself. */
static void every_kind_learns(void **state)
{
	static const struct {
		const char *name;
		int epochs;
		double at_least; /* of what is held out */
	} kinds[] = {{"cancer_mlp", 4, 0.9}, {"diabetes_mlp", 12, 0.3}, {"lines_gru", 6, 0.7}};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct zoo_row *row = zoo_find(kinds[i].name);
		const struct zoo_source *source = zoo_source_find(row->network->dataset);
		struct zoo_train_options o = {.epochs = kinds[i].epochs, .rate = 2e-2, .held_out = source->held_out};
		struct zoo_train_result r;
		struct zoo_data d;
		struct err e = ERR_INIT;

		if (zoo_data_load(source, NULL, 0, &d, &e) || zoo_train(row, &d, &o, &r, &e))
			fail_msg("%s: %s", row->name, e.msg);
		if (!(r.accuracy >= kinds[i].at_least))
			fail_msg("%s: %g, expected %g", row->name, r.accuracy, kinds[i].at_least);
		tensor_set_release(&r.weights);
		zoo_data_release(&d);
	}
}

/* Labels that are none of the network's classes, and items that it does not take. */
static void data_are_checked(void **state)
{
	struct zoo_train_options o = {.epochs = 1};
	struct zoo_train_result r;
	struct zoo_data d;
	struct err e = ERR_INIT;

	(void)state;
	write_digits(digits_path, 64);
	assert_int_equal(zoo_data_load(zoo_source_find("digits"), digits_path, 1, &d, &e), 0);
	assert_int_equal(zoo_train(zoo_find("digits8_cnn"), &d, &o, &r, &e), ERR_INPUT);
	assert_string_equal(e.msg, "items of 'digits' have 784 numbers, network 'digits8_cnn' takes 64");
	((float *)d.truth->data)[5] = 2.5f;
	assert_int_equal(zoo_train(zoo_find("mlp"), &d, &o, &r, &e), ERR_INPUT);
	assert_string_equal(e.msg, "data 'digits': label 2.5 is none of 10 classes");
	zoo_data_release(&d);
	remove(digits_path);
}

/* What a network in the tree must reach on what it was not trained on. */
struct kept_weights {
	const char *name;
	double accuracy;
};

static void check_kept(const struct kept_weights *kept, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct zoo_row *row = zoo_find(kept[i].name);
		struct tensor_set weights = TENSOR_SET_INIT;
		struct err e = ERR_INIT;
		struct zoo_data d;
		double accuracy = 0;
		struct model *m;
		char path[256];

		if (zoo_data_load(zoo_source_find(row->network->dataset), NULL, 0, &d, &e))
			fail_msg("%s", e.msg);
		snprintf(path, sizeof path, "data/zoo/%s.npz", kept[i].name);
		assert_int_equal(npz_load(path, &weights, &e), 0);
		m = built(kept[i].name, 1, &weights);
		if (zoo_score(row, m, &d, d.n - d.source->held_out, d.n, &accuracy, &e))
			fail_msg("%s", e.msg);
		if (!(accuracy >= kept[i].accuracy))
			fail_msg("%s: %g of what is held out, expected %g", kept[i].name, accuracy, kept[i].accuracy);
		model_free(m);
		tensor_set_release(&weights);
		zoo_data_release(&d);
	}
}

/* The weights in the tree belong to the networks in the tree. */
static void kept_weights_are_good(void **state)
{
	static const struct kept_weights trained[] = {
		{"lenet5", 0.97},
		{"mlp", 0.95},
		{"rows_lstm", 0.96},
		{"rows_gru", 0.96},
		{"lenet1", 0.94},
		{"autoencoder", 0.8},
		{"digits8_mlp", 0.97},
		{"digits8_cnn", 0.96},
		{"digits8_residual", 0.97},
		{"digits8_separable", 0.94},
		{"digits8_branches", 0.94},
		{"digits8_rnn", 0.96},
		{"digits8_lstm", 0.98},
		{"digits8_gru", 0.98},
		{"digits8_attention", 0.94},
		{"lines_gru", 0.93},
		{"iris_mlp", 0.97},
		{"wine_mlp", 0.99},
		{"cancer_mlp", 0.95},
		{"diabetes_mlp", 0.5},
		{"simplernn", 0.7},
		{"lstm", 0.7},
		{"gru", 0.7},
	};

	(void)state;
	check_kept(trained, sizeof trained / sizeof *trained);
}

/* The same on pictures, which are fetched on request only. */
static void kept_weights_of_pictures_are_good(void **state)
{
	static const struct kept_weights trained[] = {{"resnet20", 0.35}};
	char path[PLACE_PATH];
	struct err e = ERR_INIT;

	(void)state;
	if (place_deps(zoo_source_find("pictures")->file, path, &e)) {
		print_message("skipped: %s; 'scripts/setup --pictures' fetches it\n", e.msg);
		skip();
	}
	check_kept(trained, sizeof trained / sizeof *trained);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_network_infers),
		cmocka_unit_test(older_opsets_compute_the_same),
		cmocka_unit_test(weights_are_filled),
		cmocka_unit_test(seven_seeds),
		cmocka_unit_test(bytes_follow_from_the_seed),
		cmocka_unit_test(weights_must_fit),
		cmocka_unit_test(training_learns),
		cmocka_unit_test(every_kind_learns),
		cmocka_unit_test(data_are_checked),
		cmocka_unit_test(tables_are_checked),
		cmocka_unit_test(kept_weights_are_good),
		cmocka_unit_test(kept_weights_of_pictures_are_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
