/* test_accuracy.c - what every operator states of its rounding is what honest float32 implementations do.
 *
 * The implementations are the reference's own kernels in single precision (single/single.h) on every case, and the
 * plain formulas of support/naive.h.  docs/reference.md tells what is asked of a claim.  At the end claims are made too
 * small and too large, and each must be found out.  test_backend_accuracy.c asks libraries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/op.h"
#include "single/single.h"
#include "support/accuracy.h"
#include "support/naive.h"

#define SEEDS 24       /* draws of a case in each range of its inputs */
#define HARD_SEEDS 6   /* of a hard case, which has many elements */
#define NARROW_SEEDS 4 /* of a case in each narrow type */
#define FIRST_SEED 100

#define MUCH_LESS 0.01 /* planted claims: every operator must be found out … */
#define MUCH_MORE 30.0
#define MORE 10.0 /* … and of these most: others reach a ratio of 1 in every range */

struct claim {
	struct accuracy range[ACCURACY_RANGES];
	struct accuracy narrow; /* in float16 and bfloat16 */
	int seen;               /* some output was a tensor of floats */
};

static struct claim *claims; /* by row */

/* Operators that state a rounding which cannot be seen here. */
static const struct {
	const char *name, *why;
} unjudged[] = {
	{"DynamicQuantizeLinear",
	 "the reference rounds the scale to float32 itself, step by step, as the formula says"},
	{"DynamicQuantizeLSTM", "what it states is that inputs and states become integers of eight bits, which they do "
				"in libraries alone"},
};

static int is_listed(const char *name)
{
	for (size_t i = 0; i < sizeof unjudged / sizeof *unjudged; i++)
		if (!strcmp(unjudged[i].name, name))
			return 1;
	return 0;
}

/* ---- one answer -------------------------------------------------------------------------------------------------- */

/* float64 is not looked at: the exact values are of that type themselves. */
static int is_looked_at(const struct value *v)
{
	return v->kind == VALUE_TENSOR && dtype_is_float(v->tensor->dtype) && v->tensor->dtype != DT_DOUBLE;
}

static void add_result(size_t row, struct accuracy *a, const char *line, const struct ref_result *truth,
		       const struct ref_result *got)
{
	for (size_t i = 0; i < truth->n && i < got->n; i++) {
		const struct value *exact = truth->outputs[i].value, *v = got->outputs[i].value;
		struct accuracy_answer x = {line, (int)i, exact->tensor, truth->outputs[i].noise, v->tensor, 0};

		if (!is_looked_at(exact))
			continue;
		claims[row].seen = 1;
		if (accuracy_add(a, &x))
			fail_msg("%s: output %zu has another shape in single precision", line, i);
	}
}

/* ---- the reference in single precision --------------------------------------------------------------------------- */

/* A line in both builds of the reference. */
struct pair {
	struct accuracy_case k;
	struct op_case single;
	struct ref *ref;
};

static int pair_open(const char *line, struct pair *p, struct err *e)
{
	const struct single *s = single_precision();
	int rc = accuracy_open(line, &p->k, e);

	if (rc)
		return rc;
	rc = s->parse(line, 1, &p->single, e);
	if (!rc && (rc = s->open(p->single.model, &p->ref, e)))
		s->release(&p->single);
	if (rc)
		accuracy_close(&p->k);
	return rc;
}

static void pair_close(struct pair *p)
{
	single_precision()->close(p->ref);
	single_precision()->release(&p->single);
	accuracy_close(&p->k);
}

static int measure(struct pair *p, uint64_t seeds, enum accuracy_range r, struct accuracy *a, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT, .seed = ACCURACY_SEED};
	int rc = 0;

	for (uint64_t seed = FIRST_SEED; !rc && seed < FIRST_SEED + seeds; seed++) {
		struct ref_result got = {0};
		struct accuracy_draw d;

		rc = accuracy_draw(&p->k, seed, r, &d, e);
		if (rc)
			break;
		rc = single_precision()->run(p->ref, d.in.inputs, d.in.n, &o, &got, e);
		if (!rc)
			add_result(p->k.row, a, p->k.line, &d.truth, &got);
		single_precision()->release_result(&got);
		accuracy_draw_release(&d);
	}
	return rc;
}

/* The same line with another type in the place of float32; what does not exist so is passed over. */
static int measure_narrow(const char *line, const char *type)
{
	char *narrow = accuracy_with_type(line, type);
	struct pair p = {0};
	struct err e = ERR_INIT;

	if (!narrow)
		return ERR_MEMORY;
	if (!pair_open(narrow, &p, &e)) {
		measure(&p, NARROW_SEEDS, RANGE_DRAWN, &claims[p.k.row].narrow, &e);
		pair_close(&p);
	}
	mem_free(narrow);
	return 0;
}

static int measure_line(const char *line, int hard, void *arg)
{
	struct pair p = {0};
	struct err e = ERR_INIT;
	int rc = pair_open(line, &p, &e), ranges = p.k.free && !hard ? ACCURACY_RANGES : 1;

	(void)arg;
	if (!rc && is_listed(op_rows[p.k.row].name)) {
		pair_close(&p);
		return 0;
	}
	for (int r = 0; !rc && r < ranges && !(op_rows[p.k.row].op->flags & OP_RANDOM); r++)
		rc = measure(&p, hard ? HARD_SEEDS : SEEDS, r, &claims[p.k.row].range[r], &e);
	if (rc)
		print_error("%s\n    %s\n", line, e.msg);
	else
		pair_close(&p);
	if (!rc && !hard && !(op_rows[p.k.row].op->flags & OP_RANDOM))
		rc = measure_narrow(line, "f16") | measure_narrow(line, "bf16");
	return rc;
}

static void test_measure_kernels(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	if (!single_precision()) {
		print_message("skipped: this compiler does not make code for the x87 unit\n");
		skip();
	}
	if (accuracy_lines(measure_line, NULL, &e))
		fail_msg("%s", e.msg);
}

/* ---- plain formulas ---------------------------------------------------------------------------------------------- */

static float *floats_of(const struct tensor *t)
{
	float *x = mem_array(t->count + 1, sizeof *x);

	for (size_t i = 0; x && i < t->count; i++)
		x[i] = (float)t->f[i];
	return x;
}

static void measure_naive(const struct naive *n, struct accuracy_case *k, struct accuracy_draw *d)
{
	const struct tensor *x = d->in.inputs[0]->tensor, *exact = d->truth.outputs[0].value->tensor;
	size_t rows = x->rank > 1 ? (size_t)x->dims[0] : 1;
	struct naive_in in = {.rows = rows, .n = x->count / rows};
	struct err e = ERR_INIT;
	struct tensor *got = tensor_copy(exact, &e);
	float *y = floats_of(exact), *inputs[NAIVE_INPUTS] = {NULL};
	struct accuracy_answer answer = {n->line, 0, exact, d->truth.outputs[0].noise, got, 0};

	for (size_t i = 0; i < d->in.n; i++)
		in.x[i] = inputs[i] = floats_of(d->in.inputs[i]->tensor);
	assert_non_null(got);
	assert_non_null(y);
	n->fn(&in, y);
	for (size_t i = 0; i < got->count; i++)
		got->f[i] = (double)y[i];
	accuracy_add(&claims[k->row].range[RANGE_DRAWN], &answer);
	claims[k->row].seen = 1;
	for (size_t i = 0; i < d->in.n; i++)
		mem_free(inputs[i]);
	mem_free(y);
	tensor_unref(got);
}

static void test_measure_formulas(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	for (const struct naive *n = naives; n->line; n++) {
		struct accuracy_case k;

		if (accuracy_open(n->line, &k, &e))
			fail_msg("%s: %s", n->line, e.msg);
		for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
			struct accuracy_draw d;

			if (accuracy_draw(&k, seed, RANGE_DRAWN, &d, &e))
				fail_msg("%s: %s", n->line, e.msg);
			measure_naive(n, &k, &d);
			accuracy_draw_release(&d);
		}
		accuracy_close(&k);
	}
}

/* ---- what was measured ------------------------------------------------------------------------------------------- */

static int is_judged(const struct claim *c)
{
	return accuracy_rounding(c->range) >= ACCURACY_ENOUGH;
}

static const char *worst_place(const struct claim *c)
{
	double worst = accuracy_worst(c->range);

	for (int r = 0; r < ACCURACY_RANGES; r++)
		if (c->range[r].worst == worst)
			return c->range[r].where;
	return "";
}

static void print_claim(size_t row, const char *what)
{
	const struct claim *c = &claims[row];

	print_message("%-26s %s: worst ratio %.3g (", op_rows[row].name, what, accuracy_worst(c->range));
	for (int r = 0; r < ACCURACY_RANGES; r++)
		if (c->range[r].rounding)
			print_message("%s%s %.3g", r ? ", " : "", accuracy_range_name(r), c->range[r].worst);
	print_message(")\n");
}

static void test_claims(void **state)
{
	static const char *const words[] = {"fine", "TOO LITTLE is stated", "TOO MUCH is stated"};
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < op_row_count; i++) {
		enum accuracy_verdict v = accuracy_judge(claims[i].range, 1);

		if (is_judged(&claims[i]) || v != ACCURACY_FINE)
			print_claim(i, words[v]);
		if (v != ACCURACY_FINE)
			print_message("    %s\n", worst_place(&claims[i]));
		if (claims[i].narrow.worst > ACCURACY_LITTLE)
			print_message("%s: TOO LITTLE is stated: %s\n", op_rows[i].name, claims[i].narrow.where);
		bad += v != ACCURACY_FINE || claims[i].narrow.worst > ACCURACY_LITTLE;
	}
	assert_int_equal(bad, 0);
}

/* Subgraphs and sequences cannot be written as a line; operators on them hand values on. */
static int beyond_the_language(const struct op *op)
{
	return (op->flags & OP_CONTROL) || (op->in[0].flags & PORT_ANY_KIND) || (op->out[0].flags & PORT_ANY_KIND);
}

/* An operator on floats that states a rounding which was not seen, or of which nothing was seen at all. */
static int is_missing(size_t row)
{
	const struct op *op = op_rows[row].op;
	int floats = 0, states = 0;

	for (int i = 0; i < OP_MAX_PORTS && op->out[i].name; i++)
		floats |= (op->out[i].types & T_FLOAT) != 0;
	if (!floats || op->flags & OP_RANDOM || is_judged(&claims[row]) || is_listed(op_rows[row].name))
		return 0;
	if (!claims[row].seen)
		return !beyond_the_language(op) || op->ulps != 0.0f || op->scale;
	for (int r = 0; r < ACCURACY_RANGES; r++)
		states |= claims[row].range[r].stated > 0;
	return states;
}

static void test_every_operator(void **state)
{
	int missing = 0;

	(void)state;
	if (!single_precision())
		skip();
	for (size_t i = 0; i < sizeof unjudged / sizeof *unjudged; i++)
		print_message("%s is not measured: %s\n", unjudged[i].name, unjudged[i].why);
	for (size_t i = 0; i < op_row_count; i++)
		if (is_missing(i)) {
			print_error("the rounding of operator %s was not measured\n", op_rows[i].name);
			missing++;
		} else if (is_judged(&claims[i]) && is_listed(op_rows[i].name)) {
			print_error("operator %s is measured, and listed as one that is not\n", op_rows[i].name);
			missing++;
		}
	assert_int_equal(missing, 0);
}

/* ---- planted claims ---------------------------------------------------------------------------------------------- */

static void test_planted_claims(void **state)
{
	size_t judged = 0, more = 0;
	int unseen = 0;

	(void)state;
	if (!single_precision())
		skip();
	for (size_t i = 0; i < op_row_count; i++) {
		const struct accuracy *r = claims[i].range;

		if (!is_judged(&claims[i]))
			continue;
		judged++;
		more += accuracy_judge(r, MORE) == ACCURACY_TOO_MUCH;
		if (accuracy_judge(r, MUCH_LESS) != ACCURACY_TOO_LITTLE ||
		    accuracy_judge(r, 0) != ACCURACY_TOO_LITTLE || accuracy_judge(r, MUCH_MORE) != ACCURACY_TOO_MUCH) {
			print_claim(i, "a planted claim is not found");
			unseen++;
		}
	}
	print_message("%zu operators judged; a claim of %g times as much is found in %zu\n", judged, MORE, more);
	assert_int_equal(unseen, 0);
	assert_true(more * 10 >= judged * 8);
}

/* An operator that says it is exact, and is not. */
static void test_planted_exact(void **state)
{
	struct naive n = {"Exp-13 f32[50]", "", NULL};
	struct accuracy ranges[ACCURACY_RANGES] = {{0}};
	struct accuracy_case k;
	struct accuracy_draw d;
	struct accuracy_answer x;
	struct err e = ERR_INIT;
	struct op lying;

	(void)state;
	assert_int_equal(accuracy_open(n.line, &k, &e), 0);
	lying = *k.c.model->graph->nodes.at[0]->op;
	lying.ulps = 0;
	k.c.model->graph->nodes.at[0]->op = &lying;
	assert_int_equal(accuracy_draw(&k, FIRST_SEED, RANGE_DRAWN, &d, &e), 0);
	x = (struct accuracy_answer){
		n.line, 0, d.truth.outputs[0].value->tensor, d.truth.outputs[0].noise, d.truth.outputs[0].value->tensor,
		0}; /* rounded once, no library does better */
	accuracy_add(&ranges[RANGE_DRAWN], &x);
	assert_int_equal(ranges[RANGE_DRAWN].exact, 50);
	assert_int_equal(accuracy_judge(ranges, 1), ACCURACY_TOO_LITTLE);
	accuracy_draw_release(&d);
	accuracy_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_measure_kernels), cmocka_unit_test(test_measure_formulas),
		cmocka_unit_test(test_claims),          cmocka_unit_test(test_every_operator),
		cmocka_unit_test(test_planted_claims),  cmocka_unit_test(test_planted_exact),
	};
	int rc;

	claims = mem_array(op_row_count, sizeof *claims);
	if (!claims)
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	mem_free(claims);
	return rc;
}
