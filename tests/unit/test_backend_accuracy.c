/* test_backend_accuracy.c - what operators state of their rounding is what libraries do.
 *
 * Libraries are taken for honest where they agree: a claim is too little when two of them are further off than it
 * allows in the same case, and too much when none comes near it.  One alone may have a defect.  test_accuracy.c asks
 * implementations that have none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "judge/judge.h"
#include "judge/random.h"
#include "ops/op.h"
#include "support/accuracy.h"
#include "support/backend.h"
#include "worker/parent/quirks.h"
#include "worker/parent/spec.h"

#define SEEDS 6       /* draws of a case as its line has them … */
#define RANGE_SEEDS 2 /* … and in every other range of its inputs */
#define FIRST_SEED 100
#define ANOTHER 2048 /* roundoffs of the largest element: a difference that is larger is no rounding */
#define MAX_MODEL ((size_t)1 << 20)
#define MAX_LINES ((size_t)2048)
#define MAX_INPUTS 64

#define MUCH_LESS 0.01 /* planted claims */
#define MUCH_MORE 50.0

/* Two of a kind are one library. */
static const struct {
	const char *name, *type;
} libraries[] = {
	{"ort:O0", "f32"},       {"ort:O99", "f32"}, {"torch", "f32"}, {"tf", "f32"},
	{"openvino:f32", "f32"}, {"tract", "f32"},   {"mxnet", "f32"}, {"torch", "f16"},
	{"tf", "f16"},           {"torch", "bf16"},  {"tf", "bf16"},
};
#define LIBRARIES (sizeof libraries / sizeof *libraries)

/* What libraries did with one line. */
struct result {
	char line[160];
	size_t row;
	struct accuracy by[LIBRARIES];
};

static struct result *results;
static size_t n_results;
static size_t present; /* libraries */
static struct quirks quirks;

/* ---- asking ------------------------------------------------------------------------------------------------------ */

struct asking {
	struct worker_spec spec;
	struct worker *worker;
	size_t library, line;
};

static enum worker_result load(struct worker *w, const struct model *m, uint64_t *session)
{
	struct worker_report report;
	enum worker_result r = WORKER_REJECTED;
	struct err e = ERR_INIT;
	struct buf bytes;

	buf_init(&bytes, MAX_MODEL);
	if (!model_serialize(m, &bytes, &e))
		r = worker_load(w, bytes.data, bytes.len, NULL, 0, session, &report);
	buf_release(&bytes);
	return r;
}

/* 1: one of the outputs is another answer. */
static int add_answers(struct accuracy *a, const char *line, const struct ref_result *truth,
		       const struct named_value *got, size_t n, enum dtype wanted)
{
	int another = 0;

	for (size_t i = 0; i < truth->n && i < n; i++) {
		const struct value *exact = truth->outputs[i].value;
		struct accuracy_answer x = {
			line, (int)i, exact->tensor, truth->outputs[i].noise, got[i].value->tensor, ANOTHER};

		if (exact->kind == VALUE_TENSOR && got[i].value->kind == VALUE_TENSOR && exact->tensor->dtype == wanted)
			another |= accuracy_add(a, &x);
	}
	return another;
}

/* Rows about a float32 that tell what came: which they may, of any node. */
static void look_up(const char *name, const void *node, char *out, size_t size)
{
	static const char *const of_outcome[] = {"verdict", "off", "ratio", "output"};

	(void)node;
	snprintf(out, size, "%s", strcmp(name, "in0") ? "" : "float32");
	for (size_t i = 0; i < sizeof of_outcome / sizeof *of_outcome; i++)
		if (!strcmp(name, of_outcome[i]))
			snprintf(out, size, QUIRK_UNKNOWN);
}

/* Another accuracy of this library is known (data/quirks.tsv): it is not asked.  Of the bugs there most are other
 * answers, which show by themselves. */
static int is_known(const struct worker *w, const struct worker_spec *spec, const struct accuracy_case *k)
{
	const char *op = op_rows[k->row].name;

	if (!strcmp(spec->backend, "mxnet") && !strcmp(op, "Softplus")) /* log(1 + exp(x)) of oneDNN, as OpenVINO's */
		return 1;
	return quirks_for_op(&quirks, spec->backend, worker_version(w), op, look_up, NULL) != NULL;
}

/* One draw; not 0 when the library does not run it, or computes something else: then nothing of the line counts. */
static int ask(struct asking *q, struct accuracy_case *k, uint64_t session, uint64_t seed, enum accuracy_range r)
{
	static const enum dtype types[] = {DT_FLOAT, DT_FLOAT16, DT_BFLOAT16};
	const char *type = libraries[q->library].type;
	struct accuracy *a = &results[q->line].by[q->library];
	struct named_value in[MAX_INPUTS], *got = NULL;
	struct accuracy_draw d;
	struct worker_report report;
	struct err e = ERR_INIT;
	size_t n = 0;
	int rc;

	if (accuracy_draw(k, seed, r, &d, &e))
		fail_msg("%s: %s", k->line, e.msg);
	for (size_t i = 0; i < d.in.n && i < MAX_INPUTS; i++)
		in[i] = (struct named_value){d.in.model->graph->inputs.at[i]->name, d.in.inputs[i]};
	rc = worker_run(q->worker, session, &(struct backend_run){.in = {in, d.in.n}}, &got, &n, &report) != WORKER_OK;
	if (!rc)
		rc = add_answers(a, k->line, &d.truth, got, n, types[(*type == 'b') * 2 + !strcmp(type, "f16")]);
	if (rc)
		*a = (struct accuracy){0};
	worker_values_free(got, n);
	accuracy_draw_release(&d);
	return rc;
}

static void ask_case(struct asking *q, struct accuracy_case *k, int hard)
{
	struct worker_report report;
	uint64_t session;

	if (load(q->worker, k->c.model, &session) != WORKER_OK)
		return;
	for (int r = 0; r < (k->free && !hard ? ACCURACY_RANGES : 1); r++)
		for (uint64_t seed = 0; seed < (r ? RANGE_SEEDS : SEEDS); seed++)
			if (ask(q, k, session, FIRST_SEED + seed, r))
				r = ACCURACY_RANGES;
	worker_unload(q->worker, session, &report);
}

static int is_random(const struct accuracy_case *k)
{
	const struct graph *g = k->c.model->graph;
	unsigned char *random = NULL;
	struct err e = ERR_INIT;
	int found = random_wires(g, 1, &random, &e) != 0;

	for (size_t i = 0; !found && i < g->outputs.n; i++)
		found = random[g->outputs.at[i]->id];
	mem_free(random);
	return found;
}

/* Operators that only move values say so to test_accuracy.c, which is enough. */
static int states_rounding(const struct accuracy_case *k)
{
	return op_rows[k->row].op->ulps != 0.0f || op_rows[k->row].op->scale;
}

static int ask_line(const char *line, int hard, void *arg)
{
	struct asking *q = arg;
	struct accuracy_case k;
	struct err e = ERR_INIT;
	char *typed = accuracy_with_type(line, libraries[q->library].type);

	if (!typed || q->line == MAX_LINES)
		fail_msg("%s: no room", line);
	if (!accuracy_open(typed, &k, &e)) {
		snprintf(results[q->line].line, sizeof results[q->line].line, "%s", line);
		results[q->line].row = k.row;
		if (states_rounding(&k) && !is_random(&k) && !is_known(q->worker, &q->spec, &k))
			ask_case(q, &k, hard);
		accuracy_close(&k);
	}
	mem_free(typed);
	q->line++;
	return 0;
}

static void test_ask(void **state)
{
	(void)state;
	for (size_t i = 0; i < LIBRARIES; i++) {
		struct asking q = {.library = i};
		struct worker_limits limits = {0};
		struct worker_report report;
		struct err e = ERR_INIT;

		if (spec_make(libraries[i].name, &q.spec, &e)) {
			assert_int_equal(backend_test_missing(&e), BACKEND_SKIPPED);
			continue;
		}
		if (worker_open(&q.spec, &limits, &q.worker, &report, &e) || accuracy_lines(ask_line, &q, &e))
			fail_msg("%s: %s", libraries[i].name, e.msg);
		n_results = q.line;
		present++;
		worker_close(q.worker);
		spec_release(&q.spec);
	}
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

static int same_library(size_t a, size_t b)
{
	size_t n = strcspn(libraries[a].name, ":");

	return !strcmp(libraries[a].type, libraries[b].type) && n == strcspn(libraries[b].name, ":") &&
	       !strncmp(libraries[a].name, libraries[b].name, n);
}

/* What libraries reach in one line, in units of what is stated. */
struct reach {
	double one, two; /* at least one, at least two of them */
	size_t by;       /* who is at `two`, or at `one` */
};

static struct reach reach_of(const struct result *r)
{
	struct reach most = {0, 0, 0};

	for (size_t a = 0; a < LIBRARIES; a++) {
		double x = r->by[a].worst;

		if (x > most.one && x <= JUDGE_LIMIT)
			most = (struct reach){x, most.two, most.two > 0 ? most.by : a};
		for (size_t b = 0; b < a; b++)
			if (!same_library(a, b) && !strcmp(libraries[a].type, libraries[b].type) &&
			    fmin(x, r->by[b].worst) > most.two)
				most = (struct reach){most.one, fmin(x, r->by[b].worst), x < r->by[b].worst ? a : b};
	}
	return most;
}

/* The same over all lines of an operator. */
struct claim {
	double one, two;
	size_t rounding;
	const char *where;
};

static struct claim claim_of(size_t row)
{
	struct claim c = {0, 0, 0, ""};

	for (size_t i = 0; i < n_results; i++) {
		struct reach x = reach_of(&results[i]);

		if (results[i].row != row)
			continue;
		for (size_t l = 0; l < LIBRARIES; l++)
			c.rounding += results[i].by[l].rounding;
		if (x.two > c.two || c.two == 0)
			c.where = results[i].by[x.by].where;
		c.two = fmax(c.two, x.two);
		c.one = fmax(c.one, x.one);
	}
	return c;
}

static int too_little(const struct claim *c, double factor)
{
	return c->two > ACCURACY_LITTLE * factor;
}

static int too_much(const struct claim *c, double factor)
{
	return c->rounding >= ACCURACY_ENOUGH && fmax(c->one, c->two) < ACCURACY_MUCH * factor;
}

static void test_claims(void **state)
{
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < op_row_count; i++) {
		struct claim c = claim_of(i);
		int little = too_little(&c, 1), much = too_much(&c, 1);

		if (!little && (c.rounding < ACCURACY_ENOUGH))
			continue;
		print_message("%-26s %s: two libraries reach %.3g, one %.3g\n", op_rows[i].name,
			      little ? "TOO LITTLE is stated"
			      : much ? "TOO MUCH is stated"
				     : "fine",
			      c.two, c.one);
		if (little || much)
			print_message("    %s\n", c.where);
		bad += little || much;
	}
	assert_int_equal(bad, 0);
}

/* Had operators stated a hundredth, or fifty times as much. */
static void test_planted_claims(void **state)
{
	size_t judged = 0, by_two = 0, unseen = 0;

	(void)state;
	for (size_t i = 0; i < op_row_count; i++) {
		struct claim c = claim_of(i);

		if (c.rounding < ACCURACY_ENOUGH)
			continue;
		judged++;
		by_two += c.two > 0;
		if ((c.two > 0 && (!too_little(&c, MUCH_LESS) || c.two >= ACCURACY_MUCH * MUCH_MORE)) ||
		    (c.two == 0 && !too_much(&c, MUCH_MORE))) {
			print_message("%s: a planted claim is not found\n", op_rows[i].name);
			unseen++;
		}
	}
	print_message("%zu operators judged, %zu by two libraries\n", judged, by_two);
	assert_int_equal(unseen, 0);
	assert_true(judged > 60 || present < 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ask),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_planted_claims),
	};
	struct err e = ERR_INIT;
	int rc;

	results = mem_array(MAX_LINES, sizeof *results);
	if (!results || quirks_load("data/quirks.tsv", &quirks, &e))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	quirks_release(&quirks);
	mem_free(results);
	return rc ? rc : present ? 0 : BACKEND_SKIPPED;
}
