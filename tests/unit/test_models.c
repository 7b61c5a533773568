/* test_models.c - whole networks in the reference: against outputs that the onnx package ships, and against ONNX
 * Runtime.
 *
 * $ASSAY_DEPS/onnx-tests/light has nine ImageNet networks whose weights are constants, each with the output that a
 * float32 implementation gave (light_X_output_0.pb).  The input is not shipped: the package's test runner makes it,
 * element i of n being i / n in float64, rounded to float32, for each graph input that is not an initializer; and it
 * compares with rtol 1e-3 and atol 1e-7.  The same is done here.  With such weights most of the outputs are uniform, so
 * these networks show that everything fits together; that the numbers are right is shown by the others.
 *
 * $ASSAY_DEPS/models has networks with trained weights.  On seeded random inputs, every element that ONNX Runtime
 * computes, with all its optimizations and with none, must be explained by the rounding noise the reference predicts.
 *
 * scripts/setup provides all of these files; a missing one is a failure. */
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

#include "backends/ort/ort.h"
#include "base/mem.h"
#include "judge/distance.h"
#include "judge/judge.h"
#include "reference/reference.h"
#include "tensor/io.h"
#include "tensor/stats.h"

#define LIGHT_RTOL 1e-3
#define LIGHT_ATOL 1e-7

#define MODEL_RTOL 1e-3
#define MODEL_ATOL 1e-6 /* sigmoids and softmaxes that are nearly 0 have errors of their sums, near 1 */

/* fail_msg() cannot come back, and nothing is freed then: the process ends with the test. */
#define CHECK(rc, e, what)                                    \
	do {                                                  \
		if (rc)                                       \
			fail_msg("%s: %s", (what), (e)->msg); \
	} while (0)

/* A file that set-up provides; the path stays valid until the fourth call from here. */
static const char *deps_file(const char *folder, const char *name, const char *suffix)
{
	static char paths[4][4096];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	const char *deps = getenv("ASSAY_DEPS");

	if (!deps)
		fail_msg("ASSAY_DEPS is not set: it names the folder that scripts/setup fills");
	snprintf(path, sizeof paths[0], "%s/%s/%s%s", deps, folder, name, suffix);
	if (access(path, R_OK))
		fail_msg("cannot read '%s': run scripts/setup first", path);
	return path;
}

static struct ref *open_model(const char *path, struct model **m)
{
	struct err e = ERR_INIT;
	struct ref *r = NULL;

	CHECK(model_load(path, m, &e), &e, path);
	CHECK(ref_open(*m, &r, &e), &e, path);
	return r;
}

static struct ref_result run_mode(struct ref *r, const struct model *m, struct value *const *in, enum ref_mode mode)
{
	struct ref_options o = {.mode = mode, .seed = 1};
	struct ref_result out = {0};
	struct err e = ERR_INIT;

	CHECK(ref_run(r, in, m->graph->inputs.n, &o, &out, &e), &e, m->path);
	return out;
}

static struct value *value_of(struct tensor *take)
{
	struct err e = ERR_INIT;
	struct value *v = take ? value_tensor(take, &e) : NULL;

	assert_non_null(v);
	return v;
}

/* ---- light models ------------------------------------------------------------------------------------------------ */

/* Element i of n is (float)(i / n); dimensions that the model leaves open are 1. */
static struct value *ramp(const struct type *t)
{
	int64_t dims[TENSOR_MAX_RANK];
	struct err e = ERR_INIT;
	struct tensor *x;

	assert_int_equal(t->dtype, DT_FLOAT);
	for (int a = 0; a < t->rank; a++)
		dims[a] = t->dims[a] >= 0 ? t->dims[a] : 1;
	x = tensor_new(DT_FLOAT, t->rank, dims, &e);
	assert_non_null(x);
	for (size_t i = 0; i < x->count; i++)
		x->f[i] = (double)(float)((double)i / (double)x->count);
	return value_of(x);
}

static void compare_light(const char *name, const struct tensor *got, const struct tensor *want)
{
	double worst = 0;

	assert_true(tensor_same_shape(got, want));
	assert_int_equal(got->dtype, want->dtype);
	for (size_t i = 0; i < want->count; i++) {
		double x = tensor_get(got, i), y = tensor_get(want, i), d = fabs(x - y);

		if (!(d <= LIGHT_ATOL + LIGHT_RTOL * fabs(y)))
			fail_msg("%s: element %zu is %.9g, shipped %.9g", name, i, x, y);
		worst = fmax(worst, y != 0 ? d / fabs(y) : 0);
	}
	print_message("%s: %zu elements, largest relative difference %.2g\n", name, want->count, worst);
}

static void test_light(void **state)
{
	const char *name = *state;
	struct value **in, *want = NULL;
	struct err e = ERR_INIT;
	struct ref_result got;
	struct model *m;
	struct ref *r = open_model(deps_file("onnx-tests/light", name, ".onnx"), &m);
	const char *shipped = deps_file("onnx-tests/light", name, "_output_0.pb");

	in = mem_array(m->graph->inputs.n, sizeof *in);
	assert_non_null(in);
	for (size_t i = 0; i < m->graph->inputs.n; i++)
		if (!m->graph->inputs.at[i]->init)
			in[i] = ramp(&m->graph->inputs.at[i]->type);
	CHECK(pb_load_value(shipped, VALUE_TENSOR, &want, NULL, &e), &e, shipped);
	got = run_mode(r, m, in, REF_EXACT);
	assert_int_equal(got.n, 1);
	compare_light(name, got.outputs[0].value->tensor, want->tensor);
	ref_result_release(&got);
	value_unref(want);
	for (size_t i = 0; i < m->graph->inputs.n; i++)
		value_unref(in[i]);
	mem_free(in);
	ref_close(r);
	model_free(m);
}

/* ---- trained models ---------------------------------------------------------------------------------------------- */

static const struct trained {
	const char *name;
	enum dtype dtype;
	int rank;
	int64_t dims[4];
	double lo, hi; /* what a picture looks like after normalization; bytes */
} trained[] = {
	{"ppocr-v4-det", DT_FLOAT, 4, {1, 3, 64, 96}, -2, 2},  {"ppocr-v4-rec", DT_FLOAT, 4, {1, 3, 48, 96}, -1, 1},
	{"ppocr-v2-cls", DT_FLOAT, 4, {1, 3, 48, 192}, -1, 1}, {"magika", DT_INT32, 2, {1, 2048}, 0, 255},
	{"nudenet", DT_FLOAT, 4, {1, 3, 320, 320}, 0, 1},
};

/* One more reference to a packed tensor of the model's dtype, filled from a fixed seed. */
static struct tensor *random_input(const struct trained *t)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(t->dtype, t->rank, t->dims, &e), *packed;
	struct rng rng;

	assert_non_null(wide);
	rng_init(&rng, 20240);
	for (size_t i = 0; i < wide->count; i++)
		if (t->dtype == DT_FLOAT)
			wide->f[i] = rng_uniform(&rng, t->lo, t->hi);
		else
			wide->i[i] = rng_between(&rng, (int64_t)t->lo, (int64_t)t->hi);
	packed = tensor_pack(wide, &e);
	assert_non_null(packed);
	tensor_unref(wide);
	return packed;
}

/* Runs the file's bytes in ONNX Runtime on one thread. */
static struct tensor *run_ort(struct ort *o, const char *path, const struct model *m, struct tensor *in, int level)
{
	struct ort_session_options options = {.level = level, .threads = 1};
	struct ort_session *s = NULL;
	struct err e = ERR_INIT;
	struct named_value given = {m->graph->inputs.at[0]->name, value_of(tensor_ref(in))};
	const char *wanted = m->graph->outputs.at[0]->name;
	struct value *got = NULL;
	struct tensor *out;
	struct buf file;

	buf_init(&file, MODEL_MAX_FILE);
	CHECK(buf_read_file(&file, path, MODEL_MAX_FILE, &e), &e, path);
	CHECK(ort_session_open(o, &(struct backend_model){.bytes = file.data, .n = file.len}, &options, &s, &e), &e,
	      path);
	CHECK(ort_session_run(s, &(struct backend_run){{&given, 1}, {&wanted, 1}}, &got, &e), &e, path);
	out = tensor_ref(got->tensor);
	value_unref(got);
	value_unref(given.value);
	ort_session_close(s);
	buf_release(&file);
	return out;
}

/* The judge's word on one output, and the plain tolerance beside it. */
static void compare_trained(const char *name, int level, const struct tensor *got, const struct tensor *exact,
			    const float *noise)
{
	struct judgement j;

	judge_tensor(exact, noise, got, JUDGE_LIMIT, &j);
	print_message("%s: level %d: %s, %.2f x noise (element %zu of %zu: %.9g, exact %.9g)\n", name, level,
		      verdict_name(j.verdict), j.ratio, j.worst, exact->count, j.got, j.exact);
	assert_false(verdict_is_finding(j.verdict));
	assert_true(distance_beyond_tolerance(got, exact, MODEL_ATOL, MODEL_RTOL) <= 0);
}

static void test_trained(void **state)
{
	static const int levels[] = {0, 99};
	const struct trained *t = *state;
	const char *path = deps_file("models", t->name, ".onnx");
	struct tensor *x = random_input(t);
	struct value *in = value_of(tensor_ref(x));
	struct ref_result exact, noisy;
	struct err e = ERR_INIT;
	struct ort *o = NULL;
	struct model *m;
	struct ref *r = open_model(path, &m);

	CHECK(ort_open(deps_file("onnxruntime", "libonnxruntime", ".so"), &o, &e), &e, t->name);
	print_message("%s: ONNX Runtime %s\n", t->name, ort_version(o));
	exact = run_mode(r, m, &in, REF_EXACT);
	noisy = run_mode(r, m, &in, REF_NOISY);
	assert_int_equal(exact.n, 1);
	assert_true(tensor_same_shape(exact.outputs[0].value->tensor, noisy.outputs[0].value->tensor));
	assert_non_null(noisy.outputs[0].noise);
	assert_memory_equal(exact.outputs[0].value->tensor->f, noisy.outputs[0].value->tensor->f,
			    exact.outputs[0].value->tensor->count * sizeof(double));
	for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
		struct tensor *got = run_ort(o, path, m, x, levels[k]);

		compare_trained(t->name, levels[k], got, exact.outputs[0].value->tensor, noisy.outputs[0].noise);
		tensor_unref(got);
	}
	ref_result_release(&exact);
	ref_result_release(&noisy);
	value_unref(in);
	tensor_unref(x);
	ref_close(r);
	model_free(m);
	ort_close(o);
}

static const char *const light[] = {
	"light_bvlc_alexnet", "light_densenet121", "light_inception_v1", "light_inception_v2", "light_resnet50",
	"light_shufflenet",   "light_squeezenet",  "light_vgg19",        "light_zfnet512",
};

#define N_LIGHT (sizeof light / sizeof *light)
#define N_TRAINED (sizeof trained / sizeof *trained)

int main(void)
{
	struct CMUnitTest tests[N_LIGHT + N_TRAINED] = {{0}};

	for (size_t i = 0; i < N_LIGHT; i++)
		tests[i] = (struct CMUnitTest){light[i], test_light, NULL, NULL, (void *)light[i]};
	for (size_t i = 0; i < N_TRAINED; i++)
		tests[N_LIGHT + i] =
			(struct CMUnitTest){trained[i].name, test_trained, NULL, NULL, (void *)&trained[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
