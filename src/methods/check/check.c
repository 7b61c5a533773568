/* check.c - see check.h: extraction, and the order of things. */
#include "methods/check/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/remote.h"

/* ---- extraction -------------------------------------------------------------------------------------------------- */

int check_set_run(struct trial *t, const struct check_data *data, size_t run, struct err *e)
{
	size_t n = t->model->graph->inputs.n;
	struct value **in = mem_array(n + 1, sizeof *in);

	if (!in)
		return err_nomem(e, "inputs", n * sizeof *in);
	for (size_t i = 0; i < n; i++)
		in[i] = value_ref(data->runs[run][i]);
	return trial_set_inputs(t, in, e);
}

/* The reference as a backend: one run after the other in this process. */
static int extract_here(struct trial *t, struct check_backend *b, const struct check_data *data,
			const struct check_options *o, struct err *e)
{
	struct judge_options only_run = {.no_truth = 1};
	int rc = 0;

	for (; b->n < data->n && !rc; b->n++) {
		rc = check_set_run(t, data, b->n, e);
		if (!rc)
			rc = trial_judge(t, &b->party, &only_run, &b->runs[b->n], e);
		if (rc)
			break;
		b->load_seconds += b->runs[b->n].load_seconds;
		b->run_seconds += b->runs[b->n].run_seconds;
		if (o->progress)
			o->progress(b->party.spec.name, b->n + 1, data->n, o->progress_arg);
	}
	return rc;
}

static const char **output_names(const struct graph *g, struct err *e)
{
	const char **names = mem_array(g->outputs.n + 1, sizeof *names);

	if (!names)
		err_nomem(e, "outputs", g->outputs.n * sizeof *names);
	for (size_t i = 0; names && i < g->outputs.n; i++)
		names[i] = g->outputs.at[i]->name;
	return names;
}

static int run_one(struct trial *t, struct check_backend *b, uint64_t session, struct value *const *in,
		   const char *const *names, struct outcome *o, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct named_value *given, *got = NULL;
	size_t n_given, n = 0;
	int rc = remote_inputs(g, in, &given, &n_given, e);

	if (rc)
		return rc;
	if (worker_run(b->party.worker, session, given, n_given, names, g->outputs.n, &got, &n, &o->report) ==
	    WORKER_OK) {
		o->values = mem_array(n + 1, sizeof *o->values);
		rc = o->values ? 0 : err_nomem(e, "outputs", n * sizeof *o->values);
		for (; o->values && o->n < n; o->n++)
			o->values[o->n] = value_ref(got[o->n].value);
		worker_values_free(got, n);
	}
	o->run_seconds = o->report.seconds;
	mem_free(given);
	return rc;
}

/* One session, all inputs; the first input that fails ends it, and says how. */
static int extract_there(struct trial *t, struct check_backend *b, const struct check_data *data,
			 const struct check_options *o, struct err *e)
{
	const char **names = output_names(t->model->graph, e);
	struct outcome *first = &b->runs[0];
	struct worker_report ignored;
	uint64_t session = 0;
	int rc = names ? 0 : e->code;

	if (rc)
		return rc;
	worker_load(b->party.worker, t->bytes.data, t->bytes.len, NULL, 0, &session, &first->report);
	b->load_seconds = first->report.seconds;
	if (first->report.result != WORKER_OK)
		b->n = 1;
	while (b->n < data->n && !rc && first->report.result == WORKER_OK) {
		struct outcome *r = &b->runs[b->n];

		rc = run_one(t, b, session, data->runs[b->n], names, r, e);
		b->run_seconds += r->run_seconds;
		b->n++;
		if (r->report.result != WORKER_OK)
			break;
		if (o->progress)
			o->progress(b->party.spec.name, b->n, data->n, o->progress_arg);
	}
	if (!rc && b->n == data->n && b->runs[b->n - 1].report.result == WORKER_OK)
		worker_unload(b->party.worker, session, &ignored);
	mem_free(names);
	return rc;
}

int check_extract(struct trial *t, struct check_backend *b, const struct check_data *data,
		  const struct check_options *o, struct err *e)
{
	b->runs = mem_array(data->n + 1, sizeof *b->runs);
	if (!b->runs)
		return err_nomem(e, "outputs", data->n * sizeof *b->runs);
	return b->party.worker ? extract_there(t, b, data, o, e) : extract_here(t, b, data, o, e);
}

/* ---- the order of things ----------------------------------------------------------------------------------------- */

static int take_parties(struct check_result *r, struct party *parties, size_t n, struct err *e)
{
	r->backends = mem_array(n + 1, sizeof *r->backends);
	if (!r->backends)
		return err_nomem(e, "backends", n * sizeof *r->backends);
	for (size_t i = 0; i < n; i++) {
		r->backends[i].party = parties[i];
		parties[i] = (struct party){0};
	}
	r->n_backends = n;
	return 0;
}

int check_run(struct trial *t, struct party *parties, size_t n, const struct check_data *data,
	      const struct check_options *o, struct check_result *out, struct err *e)
{
	struct check_result r = {0};
	double start = clock_now(), then;
	int rc = take_parties(&r, parties, n, e);

	for (size_t i = 0; i < n && !rc; i++) {
		rc = check_extract(t, &r.backends[i], data, o, e);
		r.own_seconds += r.backends[i].load_seconds + r.backends[i].run_seconds;
	}
	r.extract_seconds = clock_now() - start;
	then = clock_now();
	if (!rc)
		rc = check_compare(&r, data, o, e);
	r.compare_seconds = clock_now() - then;
	then = clock_now();
	if (!rc)
		rc = check_judge(t, &r, data, o, e);
	r.judge_seconds = clock_now() - then;
	if (!rc && o->oracle) {
		check_ask_oracle(&r, data, o);
		check_number_patterns(&r);
	}
	if (rc)
		check_result_release(&r);
	else
		*out = r;
	return rc;
}

void check_result_release(struct check_result *r)
{
	for (size_t i = 0; i < r->n_backends; i++) {
		struct check_backend *b = &r->backends[i];

		for (size_t k = 0; b->runs && k < b->n; k++)
			outcome_release(&b->runs[k]);
		mem_free(b->runs);
		party_close(&b->party);
	}
	mem_free(r->backends);
	mem_free(r->pairs);
	*r = (struct check_result){0};
}
