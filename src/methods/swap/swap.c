/* swap.c - see swap.h: Algorithm 1, the ranking, and the order of things. */
#include "methods/swap/swap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/random.h"

int swap_run_mix(struct swapping *s, struct mixed_run *out, struct err *e)
{
	int rc = mixed_forward(s->mixed, out, e);

	if (!rc && out->outputs && s->out->gradients)
		rc = mixed_backward(s->mixed, out, e);
	s->out->backend_seconds += out->seconds;
	if (rc)
		mixed_run_release(out);
	return rc;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void leave_gradients(struct swapping *s, const char *who, const char *why)
{
	s->out->gradients = 0;
	snprintf(s->out->no_gradients, sizeof s->out->no_gradients, "%.100s%s%.380s", who, *who ? ": " : "", why);
}

/* Whether gradients can be compared at all; where not, the result says why. */
static int ask_gradients(struct swapping *s, struct err *e)
{
	int rc;

	s->out->gradients = s->o->gradients;
	for (int i = SWAP_BASE; i <= SWAP_TEST && s->out->gradients; i++)
		if (s->parties[i]->worker && !worker_can(s->parties[i]->worker, "backward"))
			leave_gradients(s, s->parties[i]->spec.name, "computes no gradients");
	if (!s->out->gradients)
		return 0;
	rc = trial_seed_gradients(s->t, e);
	if (!rc && s->t->invalid)
		return 0;
	if (!rc)
		rc = trial_truth_gradients(s->t, e);
	if (rc == ERR_UNSUPPORTED) {
		leave_gradients(s, "", e->msg);
		err_clear(e);
		return 0;
	}
	for (size_t i = 0; i < s->t->model->graph->outputs.n && !rc; i++)
		if (s->random[s->t->model->graph->outputs.at[i]->id] && s->out->gradients)
			leave_gradients(s, "", "the outputs depend on chance");
	return rc;
}

static int open_mix(struct swapping *s, struct err *e)
{
	const struct graph *g = s->t->model->graph;
	size_t *binding = mem_array(g->nodes.n + 1, sizeof *binding); /* all zero: SWAP_BASE */
	int rc;

	s->ops = mem_array(g->nodes.n + 1, sizeof *s->ops);
	if (!binding || !s->ops)
		rc = err_nomem(e, "operators", g->nodes.n * sizeof *s->ops);
	else
		rc = mixed_open(s->t, s->parties, SWAP_SIDES, binding, s->out->gradients, &s->mixed, e);
	mem_free(binding);
	for (size_t i = 0; i < g->nodes.n && !rc; i++)
		s->ops[i] = (struct swap_op){.node = g->nodes.at[i],
					     .delta_c = (double)NAN,
					     .delta_g = (double)NAN,
					     .ratio = (double)NAN,
					     .side = SWAP_TEST};
	return rc;
}

int swap_open(struct swapping *s, struct err *e)
{
	int rc = trial_truth(s->t, e);

	if (!rc && s->t->invalid)
		rc = err_set(e, ERR_INPUT, "the model is not valid: %.800s", s->t->why.msg);
	if (!rc)
		rc = random_wires(s->t->model->graph, 1, &s->random, e);
	if (!rc)
		rc = ask_gradients(s, e);
	return rc ? rc : open_mix(s, e);
}

static void release_ops(struct swap_op *ops, size_t n)
{
	for (size_t i = 0; ops && i < n; i++) {
		outcome_release(&ops[i].outcome);
		trial_release(&ops[i].part);
	}
	mem_free(ops);
}

void swap_shut(struct swapping *s)
{
	mixed_close(s->mixed);
	mem_free(s->random);
	release_ops(s->ops, s->t->model->graph->nodes.n);
}

/* The network on the base library, as far as that has its operators. */
static int run_base(struct swapping *s, struct mixed_run *out, struct err *e)
{
	char said[512];
	int rc = swap_settle(s, SWAP_BASE, out, e);

	if (rc || out->report.result == WORKER_OK)
		return rc;
	worker_report_text(&out->report, said, sizeof said);
	if (out->backward) {
		leave_gradients(s, s->parties[SWAP_BASE]->spec.name, said);
		out->report = (struct worker_report){0};
		return 0;
	}
	mixed_run_release(out);
	return err_set(e, ERR_UNSUPPORTED, "'%s' does not run the network: %.400s", s->parties[SWAP_BASE]->spec.name,
		       said);
}

/* ---- Algorithm 1 ------------------------------------------------------------------------------------------------- */

/* Is the change more than rounding explains? */
static int is_suspicious(const struct swapping *s, const struct swap_op *op, const struct mixed_run *after)
{
	return after->report.result != WORKER_OK || op->base_failed || isnan(op->delta_c) ||
	       op->ratio > swap_noise_limit(s);
}

/* One operator changes hands.  *before becomes the run after it, and *moved counts it, unless the library under test
 * fails on it: then it goes back. */
static int swap_one(struct swapping *s, struct swap_op *op, struct mixed_run *before, size_t *moved, struct err *e)
{
	struct mixed_run after = {0};
	int rc;

	mixed_rebind(s->mixed, op->node, SWAP_TEST);
	rc = swap_run_mix(s, &after, e);
	if (!rc)
		rc = swap_measure(s, before, &after, op, e);
	if (!rc && is_suspicious(s, op, &after))
		rc = swap_judge_op(s, op, e);
	else if (!rc)
		op->verdict = op->ratio > 0 ? VERDICT_ROUNDING : VERDICT_AGREE;
	if (!rc && after.report.result == WORKER_OK) {
		mixed_run_release(before);
		*before = after;
		++*moved;
		return 0;
	}
	mixed_rebind(s->mixed, op->node, op->home);
	mixed_run_release(&after);
	return rc;
}

/* The verdict on a library that computes `own` operators of the network; the reference alone is always right. */
static enum verdict judge_side(const struct swapping *s, const struct mixed_run *run, size_t own, double *ratio)
{
	if (own)
		return swap_judge_run(s, run, ratio);
	*ratio = NAN;
	return VERDICT_UNSUPPORTED;
}

static size_t count_at(const struct swapping *s, enum swap_side side)
{
	size_t n = 0;

	for (size_t i = 0; i < s->t->model->graph->nodes.n; i++)
		n += s->ops[i].home == side;
	return n;
}

static int swap_all(struct swapping *s, struct err *e)
{
	size_t n = s->t->model->graph->nodes.n, moved = 0;
	struct mixed_run run = {0};
	int rc = run_base(s, &run, e);

	if (!rc)
		s->out->base_verdict = judge_side(s, &run, count_at(s, SWAP_BASE), &s->out->base_ratio);
	for (size_t i = n; i > 0 && !rc; i--) {
		rc = swap_one(s, &s->ops[i - 1], &run, &moved, e);
		if (s->o->progress)
			s->o->progress(s->parties[SWAP_TEST]->spec.name, n - i + 1, n, s->o->progress_arg);
	}
	if (!rc)
		s->out->test_verdict = judge_side(s, &run, moved, &s->out->test_ratio);
	mixed_run_release(&run);
	return rc;
}

/* ---- ranking ----------------------------------------------------------------------------------------------------- */

/* The larger δ.  NaN is "none": the library under test lacks the operator, which counts as 0, or failed on it, which
 * stands above all numbers.  A change to or from NaN has δ = infinity (measure.c). */
static double weight(const struct swap_op *op)
{
	double c = isnan(op->delta_c) ? 0 : op->delta_c, g = isnan(op->delta_g) ? 0 : op->delta_g;

	if (isnan(op->delta_c) && verdict_is_finding(op->verdict))
		return (double)INFINITY;
	return c > g ? c : g;
}

/* Findings first, then by δ; equal ones in the order they were swapped. */
static int compare_ops(const void *a, const void *b)
{
	const struct swap_op *x = a, *y = b;
	int fx = verdict_is_finding(x->verdict), fy = verdict_is_finding(y->verdict);

	if (fx != fy)
		return fy - fx;
	if (weight(x) != weight(y))
		return weight(x) < weight(y) ? 1 : -1;
	return y->node->index - x->node->index;
}

static void rank(struct swapping *s)
{
	size_t n = s->t->model->graph->nodes.n;

	qsort(s->ops, n, sizeof *s->ops, compare_ops);
	for (size_t i = 0; i < n; i++) {
		s->ops[i].rank = (int)i + 1;
		s->out->verdict = i ? verdict_worse(s->out->verdict, s->ops[i].verdict) : s->ops[i].verdict;
	}
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int analyse(struct swapping *s, struct err *e)
{
	double start;
	int rc = swap_open(s, e);

	if (!rc)
		rc = swap_all(s, e);
	if (rc)
		return rc;
	rank(s);
	start = clock_now();
	if (!s->o->no_verify)
		rc = swap_verify(s, e);
	s->out->verify_seconds = clock_now() - start;
	return rc;
}

int swap_run(struct trial *t, struct party *base, struct party *test, const struct swap_options *o,
	     struct swap_result *out, struct err *e)
{
	struct swap_result r = {0};
	struct swapping s = {.t = t, .o = o, .out = &r};
	double start = clock_now();
	int rc;

	s.parties[SWAP_BASE] = base;
	s.parties[SWAP_TEST] = test;
	s.parties[SWAP_REFERENCE] = &s.reference;
	rc = analyse(&s, e);
	if (!rc) {
		r.ops = s.ops;
		r.n = t->model->graph->nodes.n;
		r.seconds = clock_now() - start;
		s.ops = NULL;
		*out = r;
	}
	swap_shut(&s);
	return rc;
}

void swap_result_release(struct swap_result *r)
{
	release_ops(r->ops, r->n);
	*r = (struct swap_result){0};
}
