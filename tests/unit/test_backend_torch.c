/* test_backend_torch.c - PyTorch in its worker, against the reference.  Skipped where it is not installed, or has no
 * device.
 *
 * Every line of data/cases is run on both: a bound operator must lie within the rounding noise of the
 * exact result, and its gradients must be the reference's.  What the binding refuses is counted, and must not be the
 * rule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/build.h"
#include "model/case.h"
#include "model/case_file.h"
#include "reference/reference.h"
#include "support/backend.h"
#include "worker/parent/quirks.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

#define NOISE_LIMIT 16.0 /* standard deviations, and as many units in the last place */
#define LEAST_RUN 450    /* cases that torch runs */
#define LEAST_BACK 320   /* of those, gradients compared */

/* ---- one case on both -------------------------------------------------------------------------------------------- */

struct run {
	struct op_case c;
	struct ref *ref;
	struct ref_result want;
	struct buf bytes;
	struct named_value in[16];
	uint64_t session;
	struct named_value *got;
	size_t n_got;
};

static int open_run(struct run *r, struct err *e)
{
	struct ref_options o = {.mode = REF_NOISY, .seed = 7};
	int rc;

	buf_init(&r->bytes, (size_t)1 << 24);
	rc = model_serialize(r->c.model, &r->bytes, e);
	if (!rc)
		rc = ref_open(r->c.model, &r->ref, e);
	if (!rc)
		rc = ref_run(r->ref, r->c.inputs, r->c.n, &o, &r->want, e);
	for (size_t i = 0; i < r->c.n && i < 16; i++)
		r->in[i] = (struct named_value){r->c.model->graph->inputs.at[i]->name, r->c.inputs[i]};
	return rc;
}

static int begin(const char *line, struct run *r, struct err *e)
{
	int rc;

	memset(r, 0, sizeof *r);
	rc = case_parse(line, 1, &r->c, e);
	return rc ? rc : open_run(r, e);
}

static void end(struct run *r)
{
	struct worker_report report;

	if (r->session)
		worker_unload(backend_test_worker(), r->session, &report);
	if (r->got)
		worker_values_free(r->got, r->n_got);
	ref_result_release(&r->want);
	ref_close(r->ref);
	case_release(&r->c);
	buf_release(&r->bytes);
}

static int same_element(const struct tensor *want, size_t i, double got, float noise)
{
	double x = tensor_get(want, i), rounded = dtype_is_float(want->dtype) ? dtype_round(want->dtype, x, 0) : x;
	double u = dtype_is_float(want->dtype) ? dtype_roundoff(want->dtype) : 0;

	if (rounded == got || (isnan(x) && isnan(got)) || isinf(noise))
		return 1;
	return fabs(got - x) <= NOISE_LIMIT * ((double)noise + u * fabs(x)) + (u > 0 ? dtype_smallest(want->dtype) : 0);
}

static int compare(const struct ref_output *want, const struct named_value *got, struct err *e)
{
	const struct tensor *w = want->value->tensor, *g = got->value->tensor;

	if (!w || !g)
		return err_set(e, ERR_INPUT, "'%s' is not a tensor", want->name);
	if (w->dtype != g->dtype || !tensor_same_shape(w, g))
		return err_set(e, ERR_INPUT, "'%s' has another type or shape", want->name);
	for (size_t i = 0; i < w->count; i++)
		if (!same_element(w, i, tensor_get(g, i), want->noise ? want->noise[i] : 0))
			return err_set(e, ERR_INPUT, "'%s' element %zu is %.9g, expected %.9g (noise %.3g)", want->name,
				       i, tensor_get(g, i), tensor_get(w, i), want->noise ? (double)want->noise[i] : 0);
	return 0;
}

/* 0 ran and agrees, 1 refused, negative: wrong. */
static int forward(struct run *r, struct err *e)
{
	struct worker_report report;
	enum worker_result rc;

	rc = worker_load(backend_test_worker(), r->bytes.data, r->bytes.len, NULL, 0, &r->session, &report);
	if (rc == WORKER_OK)
		rc = worker_run(backend_test_worker(), r->session, &(struct backend_run){.in = {r->in, r->c.n}},
				&r->got, &r->n_got, &report);
	if (rc == WORKER_UNSUPPORTED)
		return 1;
	if (rc != WORKER_OK)
		return err_set(e, ERR_INPUT, "%s: %s", worker_result_name(rc), report.message);
	for (size_t i = 0; i < r->want.n && !e->code; i++)
		compare(&r->want.outputs[i], &r->got[i], e);
	return e->code;
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

#define MAX_PORTS 16

struct back {
	struct tensor *seeds[MAX_PORTS], *want[MAX_PORTS], *got[MAX_PORTS];
	struct wire *wires[MAX_PORTS];
	const char *names[MAX_PORTS];
	struct named_value given[MAX_PORTS];
	size_t n, n_given;
};

/* A seed that differs from element to element, as doubles for the reference and packed for the worker. */
static int add_seed(struct back *b, size_t i, const struct ref_output *out, struct err *e)
{
	const struct tensor *y = out->value->tensor;
	struct tensor *packed;

	b->seeds[i] = tensor_new(y->dtype, y->rank, y->dims, e);
	for (size_t k = 0; b->seeds[i] && k < y->count; k++)
		b->seeds[i]->f[k] = 0.25 + 0.125 * (double)(k % 7);
	packed = b->seeds[i] ? tensor_pack(b->seeds[i], e) : NULL;
	if (packed)
		b->given[b->n_given++] = (struct named_value){out->name, value_tensor(packed, e)};
	return e->code;
}

/* 0: something to compare; 1: nothing here is float32 or float64. */
static int prepare(struct run *r, struct back *b, struct err *e)
{
	memset(b, 0, sizeof *b);
	for (size_t i = 0; i < r->c.n && b->n < MAX_PORTS; i++) {
		enum dtype t = r->c.inputs[i]->dtype;

		if (r->c.inputs[i]->kind == VALUE_TENSOR && (t == DT_FLOAT || t == DT_DOUBLE)) {
			b->wires[b->n] = r->c.model->graph->inputs.at[i];
			b->names[b->n] = b->wires[b->n]->name;
			b->n++;
		}
	}
	for (size_t i = 0; i < r->want.n && i < MAX_PORTS && !e->code; i++) {
		enum dtype t = r->want.outputs[i].value->dtype;

		if (r->want.outputs[i].value->kind == VALUE_TENSOR && (t == DT_FLOAT || t == DT_DOUBLE))
			add_seed(b, i, &r->want.outputs[i], e);
	}
	return e->code ? e->code : !b->n || !b->n_given;
}

static void release(struct back *b)
{
	for (size_t i = 0; i < MAX_PORTS; i++) {
		tensor_unref(b->seeds[i]);
		tensor_unref(b->want[i]);
		tensor_unref(b->got[i]);
	}
	for (size_t i = 0; i < b->n_given; i++)
		value_unref(b->given[i].value);
}

static int compare_gradients(const struct back *b, struct err *e)
{
	for (size_t i = 0; i < b->n; i++) {
		double largest = 1;

		for (size_t k = 0; k < b->want[i]->count; k++)
			largest = fmax(largest, fabs(b->want[i]->f[k]));
		if (!tensor_same_shape(b->want[i], b->got[i]))
			return err_set(e, ERR_INPUT, "the gradient of '%s' has another shape", b->names[i]);
		for (size_t k = 0; k < b->want[i]->count; k++) {
			double want = b->want[i]->f[k], got = tensor_get(b->got[i], k);

			if (!(fabs(want - got) <= 2e-4 * largest) && !(isnan(want) && isnan(got)))
				return err_set(e, ERR_INPUT, "the gradient of '%s' element %zu is %.9g, expected %.9g",
					       b->names[i], k, got, want);
		}
	}
	return 0;
}

/* 0 compared, 1 not possible, negative: wrong. */
static int backward(struct run *r, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT, .seed = 7};
	struct worker_report report;
	struct err ignored = ERR_INIT;
	struct ref_gradient of;
	struct back b;
	enum worker_result result;
	int rc = prepare(r, &b, e);

	of = (struct ref_gradient){
		.inputs = r->c.inputs, .n = r->c.n, .seeds = b.seeds, .wanted = b.wires, .n_wanted = b.n};
	if (!rc && ref_backward(r->ref, &of, &o, b.want, &ignored))
		rc = 1; /* the reference has no gradient */
	if (!rc) {
		result = worker_backward(
			backend_test_worker(), r->session,
			&(struct backend_gradient){{r->in, r->c.n}, {b.given, b.n_given}, {b.names, b.n}}, b.got,
			&report);
		if (result == WORKER_UNSUPPORTED)
			rc = 1;
		else if (result != WORKER_OK)
			rc = err_set(e, ERR_INPUT, "gradient: %s: %s", worker_result_name(result), report.message);
		else
			rc = compare_gradients(&b, e);
	}
	release(&b);
	return rc;
}

/* ---- all cases --------------------------------------------------------------------------------------------------- */

static struct {
	size_t ran, refused, back, known, wrong;
} counts;

static const char *backend = "torch"; /* or "torch-cuda" */
static struct quirks quirks;

/* A quirk_lookup: the type of the first input is all of a node that rows of torch go by. */
static void look_up(const char *name, const void *arg, char *out, size_t size)
{
	const struct node *n = ((const struct run *)arg)->c.model->graph->nodes.at[0];

	snprintf(out, size, "%s",
		 !strcmp(name, "in0")                               ? dtype_name(n->in[0]->type.dtype)
		 : !strcmp(name, "verdict") || !strcmp(name, "off") ? QUIRK_UNKNOWN
								    : "");
}

/* True where data/quirks.tsv says how the library differs in the operator that a line begins with. */
static int is_known(const char *line, const struct run *r)
{
	char op[64];

	snprintf(op, sizeof op, "%.*s", (int)strcspn(line, "-"), line);
	return quirks_for_op(&quirks, backend, worker_version(backend_test_worker()), op, look_up, r) != NULL;
}

static void check_line(const char *line)
{
	struct err e = ERR_INIT;
	struct run r;
	int rc = begin(line, &r, &e);

	if (!rc)
		rc = forward(&r, &e);
	counts.ran += rc == 0;
	counts.refused += rc == 1;
	if (!rc) {
		rc = backward(&r, &e);
		counts.back += rc == 0;
	}
	if (rc < 0) {
		int known = is_known(line, &r);

		print_error("%s%s: %s\n", known ? "a quirk: " : "", line, e.msg);
		counts.known += (size_t)known;
		counts.wrong += !known;
	}
	end(&r);
}

static void test_cases(void **state)
{
	struct err e = ERR_INIT;
	struct case_lines lines;

	(void)state;
	assert_int_equal(quirks_load("data/quirks.tsv", &quirks, &e), 0);
	assert_int_equal(case_lines_read("data/cases", &lines, &e), 0);
	for (size_t i = 0; i < lines.all.n; i++)
		check_line(lines.all.at[i].text);
	case_lines_release(&lines);
	quirks_release(&quirks);
	print_message("%zu cases agree, %zu of them with gradients, %zu have a quirk, %zu are refused\n", counts.ran,
		      counts.back, counts.known, counts.refused);
	assert_true(counts.known == 0 || strcmp(backend, "torch"));
	assert_int_equal(counts.wrong, 0);
	assert_true(counts.ran >= LEAST_RUN);
	assert_true(counts.back >= LEAST_BACK);
}

/* The same through TorchScript: programs are recorded and compiled for each run. */
static void test_jit(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,1,1] strides=[2,2]",
		"ConvTranspose-11 f32[1,1,1,1] f32[1,1,1,2] dilations=[1,3]", /* a window wider than the input */
		"Gemm-13 f32[2,3] f32[3,4] f32[4] alpha=0.5 beta=2.0",
		"DFT-20 f32[1,5,1] - i64{1}[] inverse=1",
		"Softmax-11 f32[2,3,4] axis=1",
		"TopK-11 f32[3,5] i64{2} -> 2",
		"Slice-13 f32[5,4] i64{3} i64{0} i64{0} i64{-1}",
		"Shape-13 f32[0,3]", /* no operator at all: a constant */
	};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct run r;
		int rc = begin(lines[i], &r, &e);

		if (rc || (rc = forward(&r, &e)))
			fail_msg("%s: %s", lines[i], rc == 1 ? "refused" : e.msg);
		end(&r);
	}
}

/* ---- what calls of the library do otherwise ---------------------------------------------------------------------- */

static void check_verdict(const char *line, int want)
{
	struct err e = ERR_INIT;
	struct run r;
	int rc = begin(line, &r, &e);

	if (!rc)
		rc = forward(&r, &e);
	if (rc != want)
		fail_msg("%s: %d, expected %d: %s", line, rc, want, e.msg);
	end(&r);
}

static void test_results_of_another_type(void **state)
{
	(void)state;
	check_verdict("DequantizeLinear-23 u8[3,4]@0:255 f16{0.02}[] u8{128}[] output_dtype=1", 0);
	check_verdict("DequantizeLinear-23 u8[3,4]@0:255 f32{0.02}[] u8{128}[] output_dtype=10", 0);
	check_verdict("DequantizeLinear-13 i32{5,-7,100} f32{0.02} i32{0}", 0); /* a bias, as quantizers write it */
}

static void test_windows_of_one(void **state)
{
	(void)state;
	check_verdict("HannWindow-17 i64{1}[]", 1);
	check_verdict("HammingWindow-17 i64{1}[]", 1);
	check_verdict("BlackmanWindow-17 i64{1}[]", 1);
	check_verdict("HannWindow-17 i64{2}[]", 0);
}

/* What is neither above nor below is 0 by the formulas of ONNX. */
static void test_nan(void **state)
{
	(void)state;
	check_verdict("ThresholdedRelu-22 f32{nan,0.5,2.0} alpha=1.0", 0);
	check_verdict("Shrink-9 f32{nan,0.25,2.0} lambd=0.5 bias=0.0", 0);
	check_verdict("Shrink-9 f32{nan,0.25,2.0} lambd=0.5 bias=0.5", 0);
}

/* A bound that is left out is the type's end. */
static void test_clip_of_infinities(void **state)
{
	(void)state;
	check_verdict("Clip-13 f32{-inf,-4,0.25,3,inf}", 0);
	check_verdict("Clip-13 f32{-inf,-4,0.25,3,inf} - f32{2}[]", 0);
	check_verdict("Clip-13 f32{-inf,-4,0.25,3,inf} f32{-2}[]", 0);
	check_verdict("Clip-13 f64{-inf,-4,0.25,3,inf} f64{-2}[]", 0);
}

/* avg_pool3d takes no input that is smaller than its window. */
static void test_small_volumes(void **state)
{
	(void)state;
	check_verdict("AveragePool-19 f32[1,1,2,5,5] kernel_shape=[3,3,3] pads=[1,1,1,1,1,1]", 0);
	check_verdict("AveragePool-19 f32[1,1,2,5,5] kernel_shape=[3,3,3] pads=[1,1,1,1,1,1] count_include_pad=1", 0);
	check_verdict("AveragePool-19 f32[1,1,2,5,5] kernel_shape=[3,3,3] ceil_mode=1 strides=[2,2,2]", 0);
}

/* Complex numbers that begin at an odd place of what they are a slice of. */
static void test_complex_slice(void **state)
{
	struct build b;
	struct err e = ERR_INIT;
	struct run r = {0};
	struct wire *x;
	int64_t n = 9;
	struct tensor *t = tensor_new(DT_FLOAT, 1, &n, &e);

	(void)state;
	assert_non_null(t);
	for (int64_t i = 0; i < n; i++)
		t->f[i] = (double)(i * i);
	build_begin(&b, 20, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 1, &n);
	x = build_op(&b, "Slice", "part", x, build_ints64(&b, "from", 1, (int64_t[]){1}),
		     build_ints64(&b, "to", 1, (int64_t[]){9}), NULL);
	x = build_op(&b, "Reshape", "rows", x, build_ints64(&b, "shape", 3, (int64_t[]){1, 4, 2}), NULL);
	build_output(&b, build_op(&b, "DFT", "y", x, NULL));
	assert_int_equal(build_end(&b, &r.c.model), 0);
	r.c.inputs = mem_array(1, sizeof *r.c.inputs);
	assert_non_null(r.c.inputs);
	r.c.inputs[0] = value_tensor(t, &e);
	r.c.n = 1;
	if (open_run(&r, &e) || forward(&r, &e))
		fail_msg("%s", e.msg);
	end(&r);
}

/* The backend is named by the only argument: torch, or torch-cuda. */
int main(int argc, char **argv)
{
	char jit[64];

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		BACKEND_COMMON_TESTS,
		cmocka_unit_test(backend_test_rejections),
		cmocka_unit_test(test_results_of_another_type),
		cmocka_unit_test(test_windows_of_one),
		cmocka_unit_test(test_complex_slice),
		cmocka_unit_test(test_small_volumes),
		cmocka_unit_test(test_nan),
		cmocka_unit_test(test_clip_of_infinities),
	};
	const struct CMUnitTest compiled[] = {cmocka_unit_test(test_jit)};
	int rc;

	if (argc > 1)
		backend = argv[1];
	rc = BACKEND_TEST_RUN(backend, tests);
	snprintf(jit, sizeof jit, "%s:jit", backend);
	return rc ? rc : BACKEND_TEST_RUN(jit, compiled);
}
