/* party.c - backends that take part in a trial: a worker, or the reference in this process (declared in trial.h). */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/internal.h"
#include "judge/remote.h"
#include "judge/session.h"

int party_open_spec(struct party *p, const struct worker_spec *spec, const struct worker_limits *limits, struct err *e)
{
	struct party made = {.limits = limits ? *limits : (struct worker_limits){0}};
	struct worker_report report;
	int rc = spec_copy(spec, &made.spec, e);

	if (!rc && !spec_is_reference(spec))
		rc = worker_open(&made.spec, &made.limits, &made.worker, &report, e);
	if (rc)
		spec_release(&made.spec);
	else
		*p = made;
	return rc;
}

int party_open(struct party *p, const char *name, const struct worker_limits *limits, struct err *e)
{
	struct worker_spec spec;
	int rc = spec_make(name, &spec, e);

	if (rc)
		return rc;
	rc = party_open_spec(p, &spec, limits, e);
	spec_release(&spec);
	return rc;
}

void party_close(struct party *p)
{
	worker_close(p->worker);
	spec_release(&p->spec);
	*p = (struct party){0};
}

const char *party_version(const struct party *p)
{
	return p->worker ? worker_version(p->worker) : ASSAY_VERSION;
}

/* ---- on a worker ------------------------------------------------------------------------------------------------- */

static const char **output_names(const struct graph *g, struct err *e)
{
	const char **names = mem_array(g->outputs.n, sizeof *names);

	if (!names)
		err_nomem(e, "outputs", g->outputs.n * sizeof *names);
	for (size_t i = 0; names && i < g->outputs.n; i++)
		names[i] = g->outputs.at[i]->name;
	return names;
}

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

/* What a request left to do once a model is loaded. */
typedef int session_user(struct party *p, struct trial *t, uint64_t session, struct named_value *in, size_t n_in,
			 struct outcome *o, struct err *e);

/* … with the case's inputs by name. */
static int with_inputs(struct party *p, struct trial *t, uint64_t session, session_user *use, struct outcome *o,
		       struct err *e)
{
	struct named_value *in;
	size_t n;
	int rc = remote_inputs(t->model->graph, t->inputs, &in, &n, e);

	if (rc)
		return rc;
	rc = use(p, t, session, in, n, o, e);
	mem_free(in);
	return rc;
}

static int run_session(struct party *p, struct trial *t, uint64_t session, struct named_value *in, size_t n_in,
		       struct outcome *o, struct err *e)
{
	const struct graph *g = t->model->graph;
	const char **names = output_names(g, e);
	struct named_value *got = NULL;
	size_t n = 0;
	int rc = names ? 0 : e->code;

	if (rc)
		return rc;
	worker_run(p->worker, session, in, n_in, names, g->outputs.n, &got, &n, &o->report);
	o->run_seconds = o->report.seconds;
	if (o->report.result == WORKER_OK) {
		rc = take_values(o, got, n, e);
		worker_values_free(got, n);
	}
	mem_free(names);
	return rc;
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

static int backward_session(struct party *p, struct trial *t, uint64_t session, struct named_value *in, size_t n_in,
			    struct outcome *o, struct err *e)
{
	const char **names = wire_names(t, e);
	struct named_value *seeds = NULL;
	struct tensor **grads = names ? mem_array(t->n_grads, sizeof *grads) : NULL;
	size_t n = 0;
	int rc = !names ? e->code : grads ? named_seeds(t, &seeds, &n, e) : err_nomem(e, "gradients", 0);

	if (!rc) {
		worker_backward(p->worker, session, in, n_in, seeds, n, names, t->n_grads, grads, &o->report);
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
	mem_free(grads);
	mem_free(names);
	return rc;
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

/* A refusal of the reference as a worker would report it. */
static int report_refusal(struct outcome *o, int rc, struct err *e)
{
	if (rc != ERR_INPUT && rc != ERR_UNSUPPORTED)
		return rc;
	o->report.result = rc == ERR_INPUT ? WORKER_REJECTED : WORKER_UNSUPPORTED;
	snprintf(o->report.message, sizeof o->report.message, "%s", e->msg);
	err_clear(e);
	return 0;
}

static int run_reference(struct trial *t, struct outcome *o, struct err *e)
{
	struct ref_options options = {.mode = REF_ROUNDED, .seed = t->seed};
	struct ref_result r = {NULL, 0};
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
	struct tensor **grads = mem_array(t->n_grads, sizeof *grads);
	double start = clock_now();
	int rc = grads ? trial_open_ref(t, e) : err_nomem(e, "gradients", t->n_grads * sizeof *grads);

	if (!rc && !t->ref) {
		*e = t->why;
		rc = ERR_INPUT;
	}
	if (!rc)
		rc = ref_backward(t->ref, t->inputs, t->model->graph->inputs.n, &options, t->grad_seeds, t->grad_wires,
				  t->n_grads, grads, e);
	o->run_seconds = clock_now() - start;
	if (rc) {
		mem_free(grads);
		return report_refusal(o, rc, e);
	}
	o->grads = grads;
	o->n = t->n_grads;
	for (size_t i = 0; i < o->n && !rc; i++) {
		struct tensor *wide = grads[i];

		wide->dtype = wire_dtype(t->grad_wires[i]);
		grads[i] = tensor_pack(wide, e);
		rc = grads[i] ? 0 : e->code;
		tensor_unref(wide);
	}
	return rc;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

void session_load(struct party *p, const struct trial *t, uint64_t *session, struct outcome *o)
{
	*session = 0;
	if (!p->worker)
		return;
	worker_load(p->worker, t->bytes.data, t->bytes.len, NULL, 0, session, &o->report);
	o->load_seconds = o->report.seconds;
}

int session_run(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e)
{
	return p->worker ? with_inputs(p, t, session, run_session, o, e) : run_reference(t, o, e);
}

int session_backward(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e)
{
	return p->worker ? with_inputs(p, t, session, backward_session, o, e) : backward_reference(t, o, e);
}

int session_survives(const struct outcome *o)
{
	return o->report.result <= WORKER_REJECTED || o->report.result == WORKER_OOM;
}

int session_lives(const struct party *p, uint64_t session)
{
	return !p->worker || worker_has_session(p->worker, session);
}

void session_unload(struct party *p, uint64_t session)
{
	struct worker_report ignored;

	if (p->worker)
		worker_unload(p->worker, session, &ignored);
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
	if (session_survives(o))
		session_unload(p, session);
	return rc;
}

int party_run(struct party *p, struct trial *t, struct outcome *o, struct err *e)
{
	return once(p, t, session_run, o, e);
}

int party_backward(struct party *p, struct trial *t, struct outcome *o, struct err *e)
{
	return once(p, t, session_backward, o, e);
}
