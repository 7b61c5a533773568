/* check.c - see check.h: extraction, and the order of things. */
#include "methods/check/check.h"

#include "base/clock.h"
#include "base/mem.h"
#include "judge/session.h"
#include "methods/check/pattern.h"

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

/* One session, all inputs; the first input that fails ends it, and says how. */
int check_extract(struct trial *t, struct check_backend *b, const struct check_data *data,
		  const struct check_options *o, struct err *e)
{
	struct outcome *last;
	uint64_t session;
	int rc = 0;

	b->runs = mem_array(data->n + 1, sizeof *b->runs);
	if (!b->runs)
		return err_nomem(e, "outputs", data->n * sizeof *b->runs);
	last = &b->runs[0];
	session_load(&b->party, t, &session, last);
	if (last->report.result != WORKER_OK)
		b->n = 1;
	while (b->n < data->n && !rc && last->report.result == WORKER_OK) {
		last = &b->runs[b->n];
		rc = check_set_run(t, data, b->n++, e);
		if (!rc)
			rc = session_run(&b->party, t, session, last, e);
		if (!rc && o->progress && last->report.result == WORKER_OK)
			o->progress(b->party.spec.name, b->n, data->n, o->progress_arg);
	}
	for (size_t i = 0; i < b->n; i++) {
		b->load_seconds += b->runs[i].load_seconds;
		b->run_seconds += b->runs[i].run_seconds;
	}
	if (session_lives(&b->party, session))
		session_unload(&b->party, session);
	return rc;
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
		rc = check_compare(&r, t->model->graph, data, o, e);
	r.compare_seconds = clock_now() - then;
	then = clock_now();
	if (!rc)
		rc = check_judge(t, &r, data, o, e);
	r.judge_seconds = clock_now() - then;
	if (!rc)
		rc = check_weigh(&r, t->model->graph, data, o, e);
	if (!rc)
		rc = check_find_differences(t, &r, data, e);
	if (!rc && o->oracle) {
		check_ask_oracle(&r, data, o);
		pattern_number(&r);
	}
	if (!rc)
		check_explain_pairs(&r, data);
	if (rc)
		check_result_release(&r);
	else
		*out = r;
	return rc;
}

int check_has_failure(const struct check_result *r, const struct check_options *o)
{
	int found = r->n_differences > 0 || check_held_finding(r);

	for (size_t i = 0; i < r->n_pairs; i++)
		found |= r->pairs[i].inconsistent && (o->pairs_decide || !r->pairs[i].explained);
	for (size_t i = 0; i < r->n_backends; i++)
		found |= verdict_is_finding(r->backends[i].verdict);
	return found;
}

void check_backend_release(struct check_backend *b)
{
	for (size_t k = 0; b->runs && k < b->n; k++)
		outcome_release(&b->runs[k]);
	mem_free(b->runs);
	party_close(&b->party);
}

void check_take_back(struct check_result *r, struct party *parties)
{
	for (size_t i = 0; i < r->n_backends; i++) {
		struct party *p = &r->backends[i].party;

		if (verdict_is_finding(r->backends[i].verdict))
			continue;
		parties[i] = *p;
		*p = (struct party){0};
	}
}

void check_result_release(struct check_result *r)
{
	for (size_t i = 0; i < r->n_backends; i++)
		check_backend_release(&r->backends[i]);
	mem_free(r->backends);
	mem_free(r->pairs);
	mem_free(r->tasks);
	mem_free(r->differences);
	mem_free(r->held);
	*r = (struct check_result){0};
}
