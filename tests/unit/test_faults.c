/* test_faults.c - every fault of the catalogue, on a case in which it shows.
 *
 * For each: the rounded reference without it is no finding of the judge, and with it is one; gradients differ by far
 * more than double rounding.  A fault without a line here fails the test, so none can be dead. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "faults/fault.h"
#include "judge/trial.h"
#include "model/case.h"

/* ---- forward ----------------------------------------------------------------------------------------------------- */

static enum verdict judge_all(const struct ref_result *noisy, const struct ref_result *got)
{
	enum verdict worst = VERDICT_AGREE;

	for (size_t i = 0; i < noisy->n; i++) {
		struct judgement j;

		judge_tensor(noisy->outputs[i].value->tensor, noisy->outputs[i].noise, got->outputs[i].value->tensor,
			     JUDGE_LIMIT, &j);
		worst = verdict_worse(worst, j.verdict);
	}
	return worst;
}

static void check_value(const struct fault *f, struct ref *r, const struct op_case *c, const char *line)
{
	struct ref_options clean = {.mode = REF_ROUNDED}, noise = {.mode = REF_NOISY}, bad = {.mode = REF_ROUNDED};
	struct ref_result rounded, noisy, faulty;
	struct fault_state state;
	struct err e = ERR_INIT;

	fault_plant(f, &state, &bad);
	assert_int_equal(ref_run(r, c->inputs, c->n, &noise, &noisy, &e), 0);
	assert_int_equal(ref_run(r, c->inputs, c->n, &clean, &rounded, &e), 0);
	assert_int_equal(ref_run(r, c->inputs, c->n, &bad, &faulty, &e), 0);
	if (!state.applied || !verdict_is_finding(judge_all(&noisy, &faulty)) ||
	    verdict_is_finding(judge_all(&noisy, &rounded)))
		fail_msg("%s: applied %zu, clean %s, with it %s", line, state.applied,
			 verdict_name(judge_all(&noisy, &rounded)), verdict_name(judge_all(&noisy, &faulty)));
	ref_result_release(&noisy);
	ref_result_release(&rounded);
	ref_result_release(&faulty);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static struct tensor *seed_for(const struct ref_result *out)
{
	const struct tensor *y = out->outputs[0].value->tensor;
	struct err e = ERR_INIT;
	struct tensor *s = tensor_zeros(DT_DOUBLE, y->rank, y->dims, &e);

	assert_non_null(s);
	for (size_t i = 0; i < s->count; i++)
		s->f[i] = 1 + 0.1 * (double)i;
	return s;
}

/* The largest relative difference over all float inputs. */
static double gradient_difference(struct ref *r, const struct op_case *c, const struct ref_options *bad)
{
	struct ref_options clean = {.mode = REF_EXACT};
	struct graph *g = c->model->graph;
	struct ref_result out;
	struct tensor *seeds[8] = {NULL};
	struct ref_gradient of = {.inputs = c->inputs, .n = c->n, .seeds = seeds, .n_wanted = 1};
	struct err e = ERR_INIT;
	double worst = 0;

	assert_int_equal(ref_run(r, c->inputs, c->n, &clean, &out, &e), 0);
	seeds[0] = seed_for(&out);
	for (size_t i = 0; i < c->n; i++) {
		struct tensor *right, *wrong;

		of.wanted = &g->inputs.at[i];
		assert_int_equal(ref_backward(r, &of, &clean, &right, &e), 0);
		assert_int_equal(ref_backward(r, &of, bad, &wrong, &e), 0);
		for (size_t k = 0; k < right->count; k++)
			worst = fmax(worst, fabs(right->f[k] - wrong->f[k]) / (1e-3 + fabs(right->f[k])));
		tensor_unref(right);
		tensor_unref(wrong);
	}
	tensor_unref(seeds[0]);
	ref_result_release(&out);
	return worst;
}

static void check_gradient(const struct fault *f, struct ref *r, const struct op_case *c, const char *line)
{
	struct ref_options bad = {.mode = REF_ROUNDED}, none = {.mode = REF_ROUNDED};
	struct fault_state state;

	fault_plant(f, &state, &bad);
	if (!(gradient_difference(r, c, &bad) > 0.01) || !(gradient_difference(r, c, &none) < 1e-5))
		fail_msg("%s: the gradient does not tell", line);
}

/* ---- driver ------------------------------------------------------------------------------------------------------ */

static void test_each_fault(void **state)
{
	(void)state;
	for (size_t i = 0; fault_examples[i].fault; i++) {
		const struct fault_row *row = fault_find(fault_examples[i].fault);
		struct err e = ERR_INIT;
		struct op_case c;
		struct ref *r = NULL;

		assert_non_null(row);
		if (row->fault->kind == FAULT_PROCESS)
			continue;
		if (case_parse(fault_examples[i].line, 5, &c, &e) || ref_open(c.model, &r, &e))
			fail_msg("%s: %s", fault_examples[i].line, e.msg);
		if (row->fault->kind == FAULT_GRADIENT)
			check_gradient(row->fault, r, &c, fault_examples[i].line);
		else
			check_value(row->fault, r, &c, fault_examples[i].line);
		ref_close(r);
		case_release(&c);
	}
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* Judges an example on its fault's worker, again and again until something is found; at most `runs` times. */
static enum verdict judge_process(const struct fault_example *x, int runs, double seconds)
{
	struct worker_limits limits = {.run_seconds = seconds, .memory = (size_t)300 << 20};
	struct outcome o = {0};
	struct err e = ERR_INIT;
	struct op_case c;
	struct trial t;
	struct party p;
	char name[64];
	enum verdict v;

	snprintf(name, sizeof name, "fault:%s", x->fault);
	if (case_parse(x->line, 5, &c, &e) || trial_init(&t, c.model, c.inputs, 5, &e) ||
	    party_open(&p, name, &limits, &e))
		fail_msg("%s: %s", x->line, e.msg);
	do {
		outcome_release(&o);
		if (trial_judge(&t, &p, NULL, &o, &e))
			fail_msg("%s: %s", x->line, e.msg);
	} while (!verdict_is_finding(o.verdict) && --runs > 0);
	if (o.verdict == VERDICT_WRONG && trial_confirm(&t, &p, NULL, &o, &e))
		fail_msg("%s: %s", x->line, e.msg);
	v = o.verdict;
	outcome_release(&o);
	party_close(&p);
	trial_release(&t);
	return v;
}

static void test_processes(void **state)
{
	static const struct {
		const char *fault;
		int runs;
		double seconds; /* short only where it hangs */
		enum verdict verdict;
	} cases[] = {
		{"crash_zero_dim", 1, 600, VERDICT_CRASH}, {"crash_large_kernel", 1, 600, VERDICT_CRASH},
		{"hang_large_stride", 1, 1, VERDICT_HANG}, {"memory_growth", 8, 600, VERDICT_OOM},
		{"nondeterminism", 1, 600, VERDICT_WRONG},
	};
	size_t n = 0;

	(void)state;
	for (size_t i = 0; fault_examples[i].fault; i++)
		for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
			enum verdict v;

			if (strcmp(cases[k].fault, fault_examples[i].fault) != 0)
				continue;
			v = judge_process(&fault_examples[i], cases[k].runs, cases[k].seconds);
			if (v != cases[k].verdict)
				fail_msg("%s: %s, wanted %s", cases[k].fault, verdict_name(v),
					 verdict_name(cases[k].verdict));
			n++;
		}
	assert_int_equal(n, sizeof cases / sizeof *cases);
}

/* fault:NAME@NODE is at work in that node alone. */
static void test_one_node(void **state)
{
	static const struct {
		const char *backend;
		enum verdict verdict;
	} cases[] = {{"fault:sigmoid_hard@Sigmoid_0", VERDICT_WRONG}, {"fault:sigmoid_hard@other", VERDICT_AGREE}};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct outcome o;
		struct op_case c;
		struct trial t;
		struct party p;

		if (case_parse("Sigmoid-13 f32[3,4]", 5, &c, &e) || trial_init(&t, c.model, c.inputs, 5, &e) ||
		    party_open(&p, cases[i].backend, NULL, &e) || trial_judge(&t, &p, NULL, &o, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(o.verdict, cases[i].verdict);
		outcome_release(&o);
		party_close(&p);
		trial_release(&t);
	}
}

static void test_every_fault_has_a_line(void **state)
{
	size_t values = 0;

	(void)state;
	for (const struct fault_row *row = fault_rows; row->name; row++) {
		size_t found = 0;

		for (size_t i = 0; fault_examples[i].fault; i++)
			found += !strcmp(fault_examples[i].fault, row->name);
		if (!found)
			fail_msg("no line for fault '%s'", row->name);
		values += row->fault->kind != FAULT_PROCESS;
		assert_non_null(row->fault->what);
		assert_non_null(row->fault->like);
	}
	assert_true(values >= 40);
	assert_null(fault_find("no_such_fault"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_fault),
		cmocka_unit_test(test_every_fault_has_a_line),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_one_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
