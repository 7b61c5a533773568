/* session.c - requests to a backend, a worker or the reference in this process (see session.h). */
#include "judge/session.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/internal.h"
#include "judge/unjudged.h"

/* ---- on a worker ------------------------------------------------------------------------------------------------- */

/* Worker values come in the order of the names asked for; only the array is another one. */
static int take_values(struct outcome *o, struct named_value *got, size_t n, struct err *e)
{
	o->values = mem_array(n, sizeof *o->values);
	if (!o->values)
		return err_nomem(e, "outputs", n * sizeof *o->values);
	o->n = n;
	for (size_t i = 0; i < n; i++) {
		o->values[i] = got[i].value;
		got[i].value = NULL;
	}
	return 0;
}

/* The case's inputs by name, those that have a value; borrowed.  The caller frees the array with mem_free(). */
static int named_inputs(const struct trial *t, struct named_value **out, size_t *n, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct named_value *given = mem_array(g->inputs.n, sizeof *given);

	if (!given)
		return err_nomem(e, "inputs", g->inputs.n * sizeof *given);
	*n = 0;
	for (size_t i = 0; i < g->inputs.n; i++)
		if (t->inputs[i])
			given[(*n)++] = (struct named_value){g->inputs.at[i]->name, t->inputs[i]};
	*out = given;
	return 0;
}

static const char **wire_names(const struct trial *t, struct err *e)
{
	const char **names = mem_array(t->n_grads, sizeof *names);

	if (!names)
		err_nomem(e, "gradients", t->n_grads * sizeof *names);
	for (size_t i = 0; names && i < t->n_grads; i++)
		names[i] = t->grad_wires[i]->name;
	return names;
}

/* Seeds of the outputs that have one, packed. */
static int named_seeds(const struct trial *t, struct named_value **out, size_t *n, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct named_value *seeds = mem_array(g->outputs.n, sizeof *seeds);
	int rc = seeds ? 0 : err_nomem(e, "seeds", g->outputs.n * sizeof *seeds);

	*n = 0;
	for (size_t i = 0; i < g->outputs.n && !rc; i++) {
		struct tensor *packed = t->grad_seeds[i] ? tensor_pack(t->grad_seeds[i], e) : NULL;

		if (!t->grad_seeds[i])
			continue;
		seeds[*n] = (struct named_value){g->outputs.at[i]->name, packed ? value_tensor(packed, e) : NULL};
		rc = seeds[*n].value ? 0 : e->code;
		*n += !rc;
	}
	if (!rc) {
		*out = seeds;
		return 0;
	}
	while (*n)
		value_unref(seeds[--*n].value);
	mem_free(seeds);
	return rc;
}

static int backward_worker(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e)
{
	const char **names = wire_names(t, e);
	struct named_value *in = NULL, *seeds = NULL;
	struct tensor **grads = names ? mem_array(t->n_grads, sizeof *grads) : NULL;
	size_t n_in = 0, n = 0;
	int rc = !names ? e->code : grads ? named_seeds(t, &seeds, &n, e) : err_nomem(e, "gradients", 0);

	if (!rc)
		rc = named_inputs(t, &in, &n_in, e);
	if (!rc) {
		const struct backend_gradient asked = {{in, n_in}, {seeds, n}, {names, t->n_grads}};

		worker_backward(p->worker, session, &asked, grads, &o->report);
		o->run_seconds = o->report.seconds;
		if (o->report.result == WORKER_OK) {
			o->grads = grads;
			o->n = t->n_grads;
			grads = NULL;
		}
	}
	while (n)
		value_unref(seeds[--n].value);
	mem_free(seeds);
	mem_free(in);
	mem_free(grads);
	mem_free(names);
	return rc;
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

/* A refusal of the reference as a worker would report it. */
static int report_refusal(struct outcome *o, int rc, struct err *e)
{
	if (rc != ERR_INPUT && !unjudged_status(rc))
		return rc;
	o->report.result = rc == ERR_INPUT ? WORKER_REJECTED : WORKER_UNSUPPORTED;
	snprintf(o->report.message, sizeof o->report.message, "%s", e->msg);
	err_clear(e);
	return 0;
}

static int run_reference(struct trial *t, struct outcome *o, struct err *e)
{
	struct ref_options options = {.mode = REF_ROUNDED, .seed = t->seed};
	struct ref_result r = {.n = 0};
	double start = clock_now();
	int rc = trial_open_ref(t, e);

	if (!rc && !t->ref) {
		*e = t->why;
		return report_refusal(o, ERR_INPUT, e);
	}
	o->load_seconds = clock_now() - start;
	if (!rc)
		rc = ref_run(t->ref, t->inputs, t->model->graph->inputs.n, &options, &r, e);
	o->run_seconds = clock_now() - start - o->load_seconds;
	if (rc)
		return report_refusal(o, rc, e);
	o->values = mem_array(r.n, sizeof *o->values);
	for (size_t i = 0; i < r.n && o->values && !rc; i++, o->n = i)
		if (!(o->values[i] = value_convert(r.outputs[i].value, tensor_pack, e)))
			rc = e->code;
	if (!o->values)
		rc = err_nomem(e, "outputs", r.n * sizeof *o->values);
	ref_result_release(&r);
	return rc;
}

static int backward_reference(struct trial *t, struct outcome *o, struct err *e)
{
	struct ref_options options = {.mode = REF_ROUNDED, .seed = t->seed};
	const struct ref_gradient of = {.inputs = t->inputs,
					.n = t->model->graph->inputs.n,
					.seeds = t->grad_seeds,
					.wanted = t->grad_wires,
					.n_wanted = t->n_grads};
	struct tensor **grads = mem_array(t->n_grads, sizeof *grads);
	double start = clock_now();
	int rc = grads ? trial_open_ref(t, e) : err_nomem(e, "gradients", t->n_grads * sizeof *grads);

	if (!rc && !t->ref) {
		*e = t->why;
		rc = ERR_INPUT;
	}
	if (!rc)
		rc = ref_backward(t->ref, &of, &options, grads, e);
	o->run_seconds = clock_now() - start;
	if (rc) {
		mem_free(grads);
		return report_refusal(o, rc, e);
	}
	o->grads = grads;
	o->n = t->n_grads;
	for (size_t i = 0; i < o->n && !rc; i++) {
		struct tensor *wide = grads[i];

		wide->dtype = trial_wire_dtype(t->grad_wires[i]);
		grads[i] = tensor_pack(wide, e);
		rc = grads[i] ? 0 : e->code;
		tensor_unref(wide);
	}
	return rc;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static void too_large(struct worker_report *r)
{
	*r = (struct worker_report){.result = WORKER_UNSUPPORTED};
	snprintf(r->message, sizeof r->message, "with the data of its further files the model is too large to send");
}

static size_t weight_bytes(const struct graph *g)
{
	size_t bytes = 0;

	for (size_t i = 0; i < g->wires.n; i++)
		if (g->wires.at[i]->init)
			bytes += dtype_packed_size(g->wires.at[i]->init->dtype, g->wires.at[i]->init->count);
	return bytes;
}

/* What the worker is given to load; 0: that is too large to send, as the report says. */
static int model_to_load(struct party *p, const struct trial *t, const struct backend_names *more,
			 struct backend_model *m, struct outcome *o)
{
	*m = (struct backend_model){.bytes = t->bytes.data, .n = t->bytes.len, .outputs = *more};
	worker_make_room(p->worker, weight_bytes(t->model->graph));
	if (worker_can(p->worker, "files"))
		m->path = t->model->file;
	if (!t->model->too_large || (m->path && !more->n))
		return 1;
	too_large(&o->report);
	o->load_seconds = o->report.seconds;
	return 0;
}

void session_load_exposing(struct party *p, const struct trial *t, const struct backend_names *more, uint64_t *session,
			   struct outcome *o)
{
	struct backend_model m;

	*session = 0;
	if (!p->worker || !model_to_load(p, t, more, &m, o))
		return;
	worker_load_model(p->worker, &m, session, &o->report);
	o->load_seconds = o->report.seconds;
}

void session_load(struct party *p, const struct trial *t, uint64_t *session, struct outcome *o)
{
	session_load_exposing(p, t, &(struct backend_names){NULL, 0}, session, o);
}

int session_run_for(struct party *p, struct trial *t, uint64_t session, const struct backend_names *wanted,
		    struct outcome *o, struct err *e)
{
	struct named_value *in, *got = NULL;
	size_t n_in, n = 0;
	int rc = named_inputs(t, &in, &n_in, e);

	if (rc)
		return rc;
	worker_run(p->worker, session, &(struct backend_run){{in, n_in}, *wanted}, &got, &n, &o->report);
	o->run_seconds = o->report.seconds;
	if (o->report.result == WORKER_OK) {
		rc = take_values(o, got, n, e);
		worker_values_free(got, n);
	}
	mem_free(in);
	return rc;
}

static const char **output_names(const struct trial *t, struct err *e)
{
	const struct graph *g = t->model->graph;
	const char **names = mem_array(g->outputs.n, sizeof *names);

	if (!names)
		err_nomem(e, "outputs", g->outputs.n * sizeof *names);
	for (size_t i = 0; names && i < g->outputs.n; i++)
		names[i] = g->outputs.at[i]->name;
	return names;
}

int session_run(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e)
{
	const char **names;
	int rc;

	if (!p->worker)
		return run_reference(t, o, e);
	names = output_names(t, e);
	if (!names)
		return e->code;
	rc = session_run_for(p, t, session, &(struct backend_names){names, t->model->graph->outputs.n}, o, e);
	mem_free(names);
	return rc;
}

int session_backward(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e)
{
	return p->worker ? backward_worker(p, t, session, o, e) : backward_reference(t, o, e);
}

int session_failed(const struct outcome *o, struct err *e)
{
	char text[sizeof e->msg];

	if (o->report.result == WORKER_OK)
		return 0;
	if (o->report.result == WORKER_UNSUPPORTED)
		return err_set(e, ERR_UNSUPPORTED, "%s", worker_report_words(&o->report, text, sizeof text));
	return err_set(e, ERR_INPUT, "%s", worker_report_text(&o->report, text, sizeof text));
}

int session_lives(const struct party *p, uint64_t session)
{
	return !p->worker || worker_has_session(p->worker, session);
}

void session_unload(struct party *p, uint64_t session)
{
	if (p->worker)
		worker_unload_later(p->worker, session);
}

typedef int session_request(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e);

/* Loads, makes one request, unloads. */
static int once(struct party *p, struct trial *t, session_request *ask, struct outcome *o, struct err *e)
{
	uint64_t session;
	int rc;

	session_load(p, t, &session, o);
	if (o->report.result != WORKER_OK)
		return 0;
	rc = ask(p, t, session, o, e);
	if (session_lives(p, session))
		session_unload(p, session);
	return rc;
}

static int run_worker(struct party *p, struct trial *t, struct outcome *o, struct err *e)
{
	const char **names = output_names(t, e);
	struct backend_run q = {.wanted = {names, t->model->graph->outputs.n}};
	struct named_value *in = NULL, *got = NULL;
	struct worker_seconds took = {0, 0};
	struct backend_model m;
	size_t n = 0;
	int rc = names ? named_inputs(t, &in, &q.in.n, e) : e->code;

	q.in.at = in;
	if (!rc && model_to_load(p, t, &(struct backend_names){NULL, 0}, &m, o)) {
		worker_load_run(p->worker, &m, &q, &got, &n, &took, &o->report);
		o->load_seconds = took.load;
		o->run_seconds = took.run;
		if (o->report.result == WORKER_OK)
			rc = take_values(o, got, n, e);
		worker_values_free(got, n);
	}
	mem_free(in);
	mem_free(names);
	return rc;
}

int party_run(struct party *p, struct trial *t, struct outcome *o, struct err *e)
{
	return p->worker ? run_worker(p, t, o, e) : once(p, t, session_run, o, e);
}

int party_backward(struct party *p, struct trial *t, struct outcome *o, struct err *e)
{
	return once(p, t, session_backward, o, e);
}
