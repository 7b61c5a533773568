/* test_threads.c - the reference gives the same bits for any number of threads.
 *
 * What comes of a model in the exact, rounded, noisy and gradient mode is hashed, bit for bit.  Every line of
 * data/cases is run in pieces that are much shorter than those of a program, since else none of them would have more
 * than one; some large lines and networks of the zoo in pieces as long as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "case/inputs.h"
#include "model/case.h"
#include "model/case_file.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "zoo/zoo.h"

#define SHORT_STEPS 40

#if defined(__SANITIZE_THREAD__) /* ten times as slow: fewer lines, which have the same loops */
#define EVERY 5
#else
#define EVERY 1
#endif

static const size_t counts[] = {2, 3, 8};

/* ---- what comes of a run ----------------------------------------------------------------------------------------- */

static uint64_t hash_tensor(uint64_t h, const struct tensor *t)
{
	h = hash_bytes(h, t->dims, (size_t)t->rank * sizeof *t->dims);
	for (size_t i = 0; dtype_wide(t->dtype) == WIDE_STR && i < t->count; i++)
		h = hash_bytes(h, t->s[i].p, t->s[i].n);
	if (dtype_wide(t->dtype) != WIDE_STR)
		h = hash_bytes(h, t->data, t->count * dtype_wide_size(t->dtype));
	return h;
}

static uint64_t hash_value(uint64_t h, const struct value *v)
{
	if (!v)
		return hash_number(h, 1);
	if (v->kind == VALUE_TENSOR)
		return hash_tensor(h, v->tensor);
	for (size_t i = 0; i < v->n; i++)
		h = hash_value(h, v->items[i]);
	return hash_number(h, v->n);
}

struct subject {
	struct model *model;
	struct ref *ref;
	struct value **inputs;
	size_t n;
};

static uint64_t hash_mode(const struct subject *s, enum ref_mode mode, uint64_t h)
{
	struct ref_options o = {.mode = mode, .seed = 7};
	struct ref_result out = {0};
	struct err e = ERR_INIT;
	int rc = ref_run(s->ref, s->inputs, s->n, &o, &out, &e);

	if (rc)
		return hash_bytes(h, e.msg, strlen(e.msg)); /* the same failure is the same, too */
	for (size_t i = 0; i < out.n; i++) {
		const struct value *v = out.outputs[i].value;

		h = hash_value(h, v);
		if (out.outputs[i].noise)
			h = hash_bytes(h, out.outputs[i].noise, value_elements(v) * sizeof(float));
	}
	ref_result_release(&out);
	return h;
}

/* Of the sum of the outputs, with respect to the first float input, exact and with noise. */
static uint64_t hash_gradient(const struct subject *s, uint64_t h)
{
	struct graph *g = s->model->graph;
	struct tensor **seeds = mem_array(g->outputs.n, sizeof *seeds), *grad = NULL;
	struct ref_options o = {.seed = 7, .noise_runs = 2};
	struct ref_gradient of = {.inputs = s->inputs, .n = s->n, .seeds = seeds, .n_wanted = 1};
	struct ref_result out = {0};
	struct err e = ERR_INIT;
	float *noise = NULL;

	assert_non_null(seeds);
	for (size_t i = 0; i < s->n && !of.wanted; i++)
		if (s->inputs[i] && s->inputs[i]->kind == VALUE_TENSOR && dtype_is_float(s->inputs[i]->tensor->dtype))
			of.wanted = &g->inputs.at[i];
	if (of.wanted && !ref_run(s->ref, s->inputs, s->n, &o, &out, &e)) {
		for (size_t i = 0; i < out.n; i++) {
			const struct tensor *y = out.outputs[i].value->tensor;

			if (y && dtype_is_float(y->dtype))
				seeds[i] = tensor_zeros(DT_DOUBLE, y->rank, y->dims, &e);
			for (size_t k = 0; seeds[i] && k < seeds[i]->count; k++)
				seeds[i]->f[k] = 1 + (double)(k % 7);
		}
		ref_result_release(&out);
		if (!ref_backward_noisy(s->ref, &of, &o, &grad, &noise, &e)) {
			h = hash_tensor(h, grad);
			h = hash_bytes(h, noise, grad->count * sizeof *noise);
			tensor_unref(grad);
			mem_free(noise);
		}
	}
	for (size_t i = 0; i < g->outputs.n; i++)
		tensor_unref(seeds[i]);
	mem_free(seeds);
	return h;
}

static uint64_t hash_all(const struct subject *s)
{
	uint64_t h = HASH_BEGIN;

	for (int mode = REF_EXACT; mode <= REF_NOISY; mode++)
		h = hash_mode(s, (enum ref_mode)mode, h);
	return hash_gradient(s, h);
}

/* One thread and more, in pieces of `steps`.  How often it was not the same. */
static int compare(const struct subject *s, double steps, const char *what)
{
	uint64_t one;
	int failures = 0;

	parallel_set_steps(steps);
	parallel_set_threads(1);
	one = hash_all(s);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		parallel_set_threads(counts[i]);
		if (hash_all(s) != one) {
			print_error("%s: %zu threads give other bits\n", what, counts[i]);
			failures++;
		}
	}
	parallel_set_threads(1);
	parallel_set_steps(PARALLEL_STEPS);
	return failures;
}

static int compare_line(const char *line, double steps)
{
	struct op_case c = {0};
	struct subject s = {0};
	struct err e = ERR_INIT;
	int failures;

	if (case_parse(line, 1, &c, &e) || ref_open(c.model, &s.ref, &e))
		fail_msg("%s: %s", line, e.msg);
	s.model = c.model;
	s.inputs = c.inputs;
	s.n = c.n;
	failures = compare(&s, steps, line);
	ref_close(s.ref);
	case_release(&c);
	return failures;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_every_case(void **state)
{
	struct case_lines lines;
	struct err e = ERR_INIT;
	int failures = 0;

	(void)state;
	assert_int_equal(case_lines_read("data/cases", &lines, &e), 0);
	for (size_t i = 0; i < lines.all.n; i += EVERY)
		failures += compare_line(lines.all.at[i].text, SHORT_STEPS);
	case_lines_release(&lines);
	assert_int_equal(failures, 0);
}

/* Large enough for pieces as they are; odd sizes, so that the last ones are shorter. */
static void test_large(void **state)
{
	static const char *const lines[] = {
		"Conv-11 f32[1,64,7,7] f32[300,64,3,3] f32[300] pads=[1,1,1,1]",
		"Conv-11 f32[2,32,29,29] f32[40,32,3,3] f32[40] strides=[2,2]",
		"Conv-11 f32[1,96,31,31] f32[96,1,3,3] f32[96] group=96 pads=[1,1,1,1]",
		"Conv-11 f32[1,65,33,33] f32[70,65,1,1]",
		"Conv-11 f32[1,200,15,15] f32[71,200,3,3] f32[71] pads=[1,1,1,1]", /* parts of 36 filters, in pieces */
		"Conv-11 f32[1,24,51,51] f32[20,24,3,3] pads=[1,1,1,1]",           /* a tile for each thread */
		"MatMul-13 f32[130,211] f32[211,600]",
		"MatMul-13 f32[40,17,31] f32[40,31,65]",
		"Gemm-13 f32[2,1000] f32[700,1000] f32[700] transB=1",
		"Softmax-13 f32[301,257]",
		"LayerNormalization-17 f32[301,257] f32[257] f32[257]",
		"ReduceMean-13 f32[301,257] axes=[0]",
		"BatchNormalization-15 f32[3,31,33,31] f32[31] f32[31] f32[31] f32[31]@0.5:2",
		"MaxPool-12 f32[3,31,33,31] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]",
		"AveragePool-11 f32[3,31,33,31] kernel_shape=[3,3] pads=[1,1,1,1]",
		"Add-14 f32[31,33,131] f32[33,1]",
		"Mul-14 f32[31,33,131] f32[31,1,131]",
		"Sigmoid-13 f32[131,1033]",
		"Relu-14 f32[131,1033]",
	};
	int failures = 0;

	(void)state;
	for (size_t i = 0; i<sizeof lines / sizeof *lines; i += EVERY> 1 ? 2 : 1)
		failures += compare_line(lines[i], PARALLEL_STEPS);
	assert_int_equal(failures, 0);
}

static void test_networks(void **state)
{
#if defined(__SANITIZE_THREAD__)
	static const char *const names[] = {"lenet5", "gru"};
#else
	static const char *const names[] = {"lenet5", "resnet20", "gru", "transformer"};
#endif
	int failures = 0;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct subject s = {0};
		struct err e = ERR_INIT;

		if (zoo_build(zoo_find(names[i]), 2, 1, NULL, &s.model, &e) || ref_open(s.model, &s.ref, &e) ||
		    inputs_make(s.model->graph, &(struct input_options){.seed = 1}, &s.inputs, NULL, &e))
			fail_msg("%s: %s", names[i], e.msg);
		s.n = s.model->graph->inputs.n;
		failures += compare(&s, PARALLEL_STEPS / 8.0, names[i]);
		inputs_free(s.inputs, s.n);
		ref_close(s.ref);
		model_free(s.model);
	}
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_case),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_networks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
