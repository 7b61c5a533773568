/* batch.c - see batch.h. */
#include "judge/batch.h"

#include "base/mem.h"
#include "judge/session.h"
#include "judge/unjudged.h"
#include "model/join.h"

int batch_fits(const struct trial *a, const struct trial *b)
{
	return !a->invalid && !b->invalid && a->model->graph->nodes.n <= BATCH_NODES &&
	       b->model->graph->nodes.n <= BATCH_NODES && model_joins(a->model, b->model);
}

int batch_holds(const struct outcome *o)
{
	return o->verdict == VERDICT_AGREE || o->verdict == VERDICT_ROUNDING || o->verdict == VERDICT_VACUOUS;
}

/* The inputs of all cases, one after the other, with references of their own. */
static struct value **all_inputs(struct trial *const *cases, size_t n, struct err *e)
{
	struct value **all;
	size_t total = 0, at = 0;

	for (size_t k = 0; k < n; k++)
		total += cases[k]->model->graph->inputs.n;
	all = mem_array(total, sizeof *all);
	if (!all)
		err_nomem(e, "inputs", total * sizeof *all);
	for (size_t k = 0; all && k < n; k++)
		for (size_t i = 0; i < cases[k]->model->graph->inputs.n; i++)
			all[at++] = value_ref(cases[k]->inputs[i]);
	return all;
}

static int join(struct trial *const *cases, size_t n, struct trial *out, struct err *e)
{
	struct model **models = mem_array(n, sizeof *models), *m;
	struct value **inputs;
	int rc = models ? 0 : err_nomem(e, "models", n * sizeof *models);

	for (size_t k = 0; k < n && !rc; k++)
		models[k] = cases[k]->model;
	if (!rc)
		rc = model_join(models, n, &m, e);
	mem_free(models);
	if (rc)
		return rc;
	inputs = all_inputs(cases, n, e);
	if (!inputs) {
		model_free(m);
		return e->code;
	}
	return trial_init(out, m, inputs, cases[0]->seed, e);
}

/* Gives each case its values. */
static int hand_out(struct outcome *all, struct trial *const *cases, size_t n, struct outcome *const *outcomes,
		    unsigned char *joined, struct err *e)
{
	size_t at = 0;

	for (size_t k = 0; k < n; k++) {
		size_t own = cases[k]->model->graph->outputs.n;
		struct outcome *o = outcomes[k];

		o->values = mem_array(own, sizeof *o->values);
		if (!o->values)
			return err_nomem(e, "outputs", own * sizeof *o->values);
		for (o->n = 0; o->n < own; o->n++, at++) {
			o->values[o->n] = all->values[at];
			all->values[at] = NULL;
		}
		o->report = all->report;
		o->load_seconds = all->load_seconds / (double)n;
		o->run_seconds = all->run_seconds / (double)n;
		joined[k] = 1;
	}
	return 0;
}

/* What came of them together; WORKER_OK: they have their outcomes. */
static int run_together(struct party *p, struct trial *const *cases, size_t n, struct outcome *const *outcomes,
			unsigned char *joined, enum worker_result *result, struct err *e)
{
	struct outcome all = {0};
	struct trial t;
	int rc = join(cases, n, &t, e);

	if (unjudged_status(rc)) { /* too large together, or a name is too long */
		err_clear(e);
		*result = WORKER_REJECTED;
		return 0;
	}
	if (rc)
		return rc;
	rc = party_run(p, &t, &all, e);
	*result = all.report.result;
	if (!rc && *result == WORKER_OK && all.n != t.model->graph->outputs.n)
		*result = WORKER_REJECTED;
	if (!rc && *result == WORKER_OK)
		rc = hand_out(&all, cases, n, outcomes, joined, e);
	outcome_release(&all);
	trial_release(&t);
	return rc;
}

int batch_run(struct party *p, struct trial *const *cases, size_t n, struct outcome *const *outcomes,
	      unsigned char *joined, struct err *e)
{
	enum worker_result result = WORKER_OK;
	size_t part;
	int rc = 0;

	if (n < 2)
		return n ? party_run(p, cases[0], outcomes[0], e) : 0;
	rc = run_together(p, cases, n, outcomes, joined, &result, e);
	if (rc || result == WORKER_OK)
		return rc;
	part = result == WORKER_REJECTED || result == WORKER_UNSUPPORTED ? (n + 1) / 2 : 1;
	for (size_t at = 0; at < n && !rc; at += part) {
		size_t left = n - at < part ? n - at : part;

		rc = batch_run(p, cases + at, left, outcomes + at, joined + at, e);
	}
	return rc;
}
