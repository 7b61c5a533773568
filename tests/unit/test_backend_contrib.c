/* test_backend_contrib.c - operators of com.microsoft on ONNX Runtime, whose they are: every line of
 * data/cases/contrib.case, and models that its own optimizer writes.  Skipped where it is not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "case/zoo_model.h"
#include "judge/trial.h"
#include "model/case.h"
#include "model/case_file.h"
#include "ops/op.h"
#include "support/backend.h"

#define CASES "data/cases/contrib.case"

static struct party ort;

/* Takes model and inputs; the verdict must be that of a right answer. */
static void judge_right(const char *what, struct model *take, struct value **inputs)
{
	struct trial t = {0};
	struct outcome o = {0};
	struct err e = ERR_INIT;

	if (trial_init(&t, take, inputs, 1, &e) || trial_judge(&t, &ort, NULL, &o, &e))
		fail_msg("%s: %s", what, e.msg);
	if (o.verdict != VERDICT_ROUNDING && o.verdict != VERDICT_AGREE && o.verdict != VERDICT_VACUOUS)
		fail_msg("%s: %s: %s", what, verdict_name(o.verdict), o.reason);
	outcome_release(&o);
	trial_release(&t);
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

/* What ONNX Runtime does not run on a processor: a part of the line, and what it says. */
static const struct {
	const char *line, *says;
} refused[] = {
	{"BiasSplitGelu-1", "Could not find an implementation"},
	{"BiasAdd-1", "Could not find an implementation"},
	{"BiasDropout-1", "Could not find an implementation"},
	{"BiasSoftmax-1", "Could not find an implementation"},
	{":Gelu-1 f64", "Could not find an implementation for Erf"},
	{"qk_norm_epsilon", "implemented only on the CU"},
	{"Attention-1 f32[2,3,8] f32[8,24] num_heads", "died by signal"}, /* the bias is optional */
#ifndef __x86_64__
	{"com.microsoft.nchwc:",
	 "is not a registered function/op"}, /* builds for other processors have no such layout */
#endif
};

static const char *refusal_of(const char *line)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strstr(line, refused[i].line))
			return refused[i].says;
	return NULL;
}

static void test_line(void **state)
{
	const char *line = *state, *says = refusal_of(line);
	struct worker_report report;
	struct err e = ERR_INIT;
	struct op_case c;

	if (!says) {
		if (case_parse(line, 1, &c, &e))
			fail_msg("%s: %s", line, e.msg);
		judge_right(line, c.model, c.inputs);
		return;
	}
	assert_int_not_equal(backend_try(line, &report), WORKER_OK);
	if (!strstr(report.message, says))
		fail_msg("%s: %s", line, report.message);
}

/* ---- what the optimizer writes ----------------------------------------------------------------------------------- */

/* A file, or a network of the zoo. */
static int read_model(const char *path, struct buf *bytes, struct err *e)
{
	struct model *m = NULL;
	int rc;

	if (!zoo_find(path))
		return buf_read_file(bytes, path, (size_t)1 << 20, e);
	rc = zoo_model_open(path, 1, bytes, &m, e);
	model_free(m);
	return rc;
}

/* A model as ONNX Runtime saves it at the level that the option set names. */
static struct model *optimized(const char *path, const char *backend)
{
	char saved[] = "/tmp/assay-contrib-XXXXXX";
	struct worker_limits limits = {0};
	struct worker_report report;
	struct worker_spec s;
	struct worker *w = NULL;
	struct model *m = NULL;
	struct buf bytes;
	struct err e = ERR_INIT;
	uint64_t session;
	int fd = mkstemp(saved);

	assert_true(fd >= 0);
	close(fd);
	buf_init(&bytes, (size_t)1 << 26);
	if (read_model(path, &bytes, &e) || spec_make(backend, &s, &e) || spec_set_option(&s, "save", saved, &e) ||
	    worker_open(&s, &limits, &w, &report, &e))
		fail_msg("%s: %s", path, e.msg);
	backend_require(worker_load(w, bytes.data, bytes.len, NULL, 0, &session, &report), &report);
	worker_close(w);
	spec_release(&s);
	buf_release(&bytes);
	if (model_load(saved, &m, &e))
		fail_msg("%s: %s", path, e.msg);
	assert_int_equal(unlink(saved), 0);
	return m;
}

static int has_operator(const struct model *m, const char *name)
{
	int found = 0;

	for (size_t i = 0; i < m->graph->nodes.n; i++)
		found |= !strcmp(m->graph->nodes.at[i]->op_type, name);
	return found;
}

/* Numbers for each input: integers are 0 and 1, which is right for words and masks; open dimensions are 2. */
static struct value **make_inputs(const struct graph *g)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	struct err e = ERR_INIT;
	struct rng rng;

	rng_init(&rng, 5);
	for (size_t i = 0; in && i < g->inputs.n; i++) {
		const struct type *t = &g->inputs.at[i]->type;
		int64_t dims[TENSOR_MAX_RANK];
		struct tensor *x;

		for (int d = 0; d < t->rank; d++)
			dims[d] = t->dims[d] >= 0 ? t->dims[d] : 2;
		x = tensor_new(t->dtype, t->rank, dims, &e);
		assert_non_null(x);
		for (size_t k = 0; k < x->count; k++)
			if (dtype_is_float(x->dtype))
				x->f[k] = (double)(float)rng_uniform(&rng, -2, 2);
			else
				x->i[k] = (int64_t)rng_below(&rng, 2);
		in[i] = value_tensor(x, &e);
	}
	return in;
}

static const struct {
	const char *path, *backend;
	const char *operators[6]; /* that the optimizer makes of it */
} fusible[] = {
	{"tests/fixtures/fusible/bert.onnx", "ort:O2", {"Attention", "SkipLayerNormalization", "BiasGelu"}},
	{"tests/fixtures/fusible/gpt.onnx",
	 "ort:O2",
	 {"LayerNormalization", "FastGelu", "SimplifiedLayerNormalization", "FusedMatMul", "QuickGelu"}},
	{"tests/fixtures/fusible/convolutions.onnx", "ort:O2", {"FusedConv", "FusedGemm"}},
#ifdef __x86_64__
	/* Blocks of channels, which is its default. */
	{"inception", "ort", {"ReorderOutput", "Conv", "MaxPool", "AveragePool", "GlobalAveragePool"}},
	{"mobilenetv2", "ort", {"ReorderOutput", "Conv"}},
	{"autoencoder", "ort", {"ReorderOutput", "Conv"}},
#endif
};

static void test_optimized(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof fusible / sizeof *fusible; i++) {
		struct model *m = optimized(fusible[i].path, fusible[i].backend);

		for (int k = 0; fusible[i].operators[k]; k++)
			if (!has_operator(m, fusible[i].operators[k]))
				fail_msg("%s: no %s", fusible[i].path, fusible[i].operators[k]);
		judge_right(fusible[i].path, m, make_inputs(m->graph));
	}
}

/* The optimizer writes it in opsets that do not have it. */
static void test_early(void **state)
{
	(void)state;
	backend_check("LayerNormalization-13 f32[2,3,8] f32[8] f32[8]");
	backend_check("LayerNormalization-12 f32[2,3,8] f32[8] f32[8] epsilon=0.5 axis=2 -> 3");
}

int main(void)
{
	struct err e = ERR_INIT;
	struct case_lines lines;
	struct CMUnitTest *tests;
	int rc = case_lines_read(CASES, &lines, &e);
	size_t n = lines.all.n;

	if (rc)
		return 1;
	tests = mem_array(n + 2, sizeof *tests);
	for (size_t i = 0; tests && i < n; i++)
		tests[i] =
			(struct CMUnitTest){lines.all.at[i].text, test_line, NULL, NULL, (void *)lines.all.at[i].text};
	if (tests) {
		tests[n] = (struct CMUnitTest)cmocka_unit_test(test_optimized);
		tests[n + 1] = (struct CMUnitTest)cmocka_unit_test(test_early);
	}
	if (party_open(&ort, "ort", NULL, &e))
		rc = backend_test_missing(&e);
	else
		rc = tests ? backend_test_run("ort", tests, n + 2) : 1;
	party_close(&ort);
	mem_free(tests);
	case_lines_release(&lines);
	return rc;
}
