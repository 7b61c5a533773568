/* requests.c - LOAD, RUN and UNLOAD from the parent's side (declared in worker.h). */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "worker/parent/internal.h"

/* The model into shared memory or the message; *q and *load live until it is sent. */
static int put_load(struct worker *w, const struct backend_model *m, struct message_out *out, Assay__Request *q,
		    Assay__Load *load, struct err *e)
{
	int rc = 0;

	assay__request__init(q);
	assay__load__init(load);
	q->body_case = ASSAY__REQUEST__BODY_LOAD;
	q->load = load;
	load->outputs = message_names(m->outputs.at);
	load->n_outputs = m->outputs.n;
	if (m->path)
		load->path = (char *)(uintptr_t)m->path;
	if (m->n > MESSAGE_INLINE) {
		load->size = m->n;
		rc = message_put_bytes(out, m->bytes, m->n, &load->shm_offset, e);
	} else {
		load->model = (ProtobufCBinaryData){.len = m->n, .data = (uint8_t *)(uintptr_t)m->bytes};
	}
	load->n_options = w->spec.n_options;
	return rc ? rc : message_put_options(out, w->spec.options, w->spec.n_options, &load->options, e);
}

static enum worker_result load_once(struct worker *w, const struct backend_model *m, uint64_t *session,
				    struct worker_report *report)
{
	Assay__Request q;
	Assay__Load load;
	Assay__Response *r;
	struct message_out out;
	struct err e = ERR_INIT;
	int rc;

	if (worker_begin_ahead(w, &out, report))
		return report->result;
	if (put_load(w, m, &out, &q, &load, &e))
		return worker_refused(report, &e);
	if (worker_exchange(w, &q, ASSAY__RESPONSE__BODY_LOAD, &r, report))
		return report->result;
	rc = worker_session_add(w, r->load->session, session, &e);
	worker_response_free(r);
	return rc ? worker_refused(report, &e) : WORKER_OK;
}

enum worker_result worker_load_model(struct worker *w, const struct backend_model *m, uint64_t *session,
				     struct worker_report *report)
{
	w->lost_before = 0;
	load_once(w, m, session, report);
	return w->lost_before ? load_once(w, m, session, report) : report->result;
}

enum worker_result worker_load(struct worker *w, const void *model, size_t n, const char *const *outputs,
			       size_t n_outputs, uint64_t *session, struct worker_report *report)
{
	const struct backend_model m = {.bytes = model, .n = n, .outputs = {outputs, n_outputs}};

	return worker_load_model(w, &m, session, report);
}

void worker_values_free(struct named_value *v, size_t n)
{
	for (size_t i = 0; v && i < n; i++) {
		mem_free((char *)(uintptr_t)v[i].name);
		value_unref(v[i].value);
	}
	mem_free(v);
}

/* Copies out of the message and shared memory; with names asked for, in their order and no others. */
static int get_outputs(struct worker *w, const Assay__RunReply *m, const struct backend_names *names,
		       struct named_value **out, struct err *e)
{
	struct message_in in = {.shm = &w->process.shm, .copy = 1};
	struct named_value *v;
	int rc = 0;

	if (names->n && m->n_outputs != names->n)
		return err_set(e, ERR_INPUT, "%zu outputs where %zu were asked for", m->n_outputs, names->n);
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(m->outputs[i]->name, names->at[i]) != 0)
			return err_set(e, ERR_INPUT, "output '%s' where '%s' was asked for", m->outputs[i]->name,
				       names->at[i]);
	v = mem_array(m->n_outputs, sizeof *v);
	if (!v)
		return err_nomem(e, "outputs", m->n_outputs * sizeof *v);
	for (size_t i = 0; !rc && i < m->n_outputs; i++) {
		v[i].name = mem_strdup(m->outputs[i]->name);
		rc = v[i].name ? message_get_value(&in, m->outputs[i], &v[i].value, e) : err_nomem(e, "a name", 0);
	}
	if (rc)
		worker_values_free(v, m->n_outputs);
	else
		*out = v;
	return rc;
}

static int put_run(const struct backend_run *q, uint64_t session, struct message_out *out, Assay__Request *m,
		   Assay__Run *run, struct err *e)
{
	assay__request__init(m);
	assay__run__init(run);
	m->body_case = ASSAY__REQUEST__BODY_RUN;
	m->run = run;
	run->session = session;
	run->outputs = message_names(q->wanted.at);
	run->n_outputs = q->wanted.n;
	run->n_inputs = q->in.n;
	return message_put_values(out, q->in.at, q->in.n, &run->inputs, e);
}

/* Of an answer to RUN, which is freed. */
static enum worker_result take_outputs(struct worker *w, Assay__Response *r, const struct backend_run *q,
				       struct named_value **out, size_t *n_out, struct worker_report *report)
{
	struct err e = ERR_INIT;

	*n_out = r->run->n_outputs;
	if (get_outputs(w, r->run, &q->wanted, out, &e))
		worker_misspoke(w, report, &e);
	worker_response_free(r);
	return report->result;
}

enum worker_result worker_run(struct worker *w, uint64_t session, const struct backend_run *q, struct named_value **out,
			      size_t *n_out, struct worker_report *report)
{
	Assay__Request m;
	Assay__Run run;
	Assay__Response *r;
	struct message_out put;
	struct err e = ERR_INIT;
	uint64_t theirs;

	if (worker_begin(w, &put, report) || worker_session_find(w, session, &theirs, report))
		return report->result;
	if (put_run(q, theirs, &put, &m, &run, &e))
		return worker_refused(report, &e);
	if (worker_exchange(w, &m, ASSAY__RESPONSE__BODY_RUN, &r, report))
		return report->result;
	return take_outputs(w, r, q, out, n_out, report);
}

enum worker_result worker_unload(struct worker *w, uint64_t session, struct worker_report *report)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__Unload unload = ASSAY__UNLOAD__INIT;
	Assay__Response *r;
	struct message_out unused;

	if (worker_begin(w, &unused, report) || worker_session_find(w, session, &unload.session, report))
		return report->result;
	q.body_case = ASSAY__REQUEST__BODY_UNLOAD;
	q.unload = &unload;
	if (!worker_exchange(w, &q, ASSAY__RESPONSE__BODY_DONE, &r, report)) {
		worker_session_forget(w, session);
		worker_response_free(r);
	}
	return report->result;
}

void worker_unload_later(struct worker *w, uint64_t session)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__Unload unload = ASSAY__UNLOAD__INIT;
	struct worker_report report;
	struct message_out unused;
	struct frame_wait wait;
	struct err e = ERR_INIT;

	if (worker_begin(w, &unused, &report) || worker_session_find(w, session, &unload.session, &report))
		return;
	q.body_case = ASSAY__REQUEST__BODY_UNLOAD;
	q.unload = &unload;
	w->asked = clock_now();
	wait = worker_patience(w, w->asked, w->limits.run_seconds * w->times);
	if (worker_pack(w, &q, &e))
		return;
	frame_send(w->process.socket, &w->frame, &wait); /* when it died, reading the answer tells how */
	w->unanswered = q.id;
	worker_session_forget(w, session);
}

/* ---- LOAD, RUN and UNLOAD ---------------------------------------------------------------------------------------- */

#define SENT_AHEAD ((size_t)32 << 10) /* bytes of a request that the socket takes while nobody reads */

struct three {
	Assay__Request load, run, unload;
	Assay__Load load_body;
	Assay__Run run_body;
	Assay__Unload unload_body;
	enum frame_result sent; /* what came of sending the first */
};

static enum worker_result one_by_one(struct worker *w, const struct backend_model *m, const struct backend_run *q,
				     struct named_value **out, size_t *n_out, struct worker_seconds *took,
				     struct worker_report *report)
{
	uint64_t session;
	enum worker_result result = worker_load_model(w, m, &session, report);

	took->load = report->seconds;
	if (result != WORKER_OK)
		return result;
	result = worker_run(w, session, q, out, n_out, report);
	took->run = report->seconds;
	if (worker_has_session(w, session))
		worker_unload_later(w, session);
	return result;
}

/* 0: they are to be asked for one by one. */
static int put_three(struct worker *w, const struct backend_model *m, const struct backend_run *q,
		     struct message_out *put, struct three *all)
{
	struct err ignored = ERR_INIT;

	if (put_load(w, m, put, &all->load, &all->load_body, &ignored) ||
	    put_run(q, 0, put, &all->run, &all->run_body, &ignored))
		return 0;
	assay__request__init(&all->unload);
	assay__unload__init(&all->unload_body);
	all->unload.body_case = ASSAY__REQUEST__BODY_UNLOAD;
	all->unload.unload = &all->unload_body;
	return assay__request__get_packed_size(&all->load) + assay__request__get_packed_size(&all->run) <= SENT_AHEAD;
}

/* The answers, once all are sent. */
static enum worker_result take_three(struct worker *w, const struct three *all, const struct backend_run *q,
				     struct named_value **out, size_t *n_out, struct worker_seconds *took,
				     struct worker_report *report)
{
	uint32_t generation = w->generation;
	Assay__Response *r;

	worker_answer(w, &all->load, all->sent, ASSAY__RESPONSE__BODY_LOAD, &r, report);
	took->load = report->seconds;
	if (report->result != WORKER_OK && w->generation == generation)
		worker_skip(w, all->run.id); /* there is no session, it says */
	if (report->result == WORKER_OK) {
		worker_response_free(r);
		worker_answer(w, &all->run, FRAME_OK, ASSAY__RESPONSE__BODY_RUN, &r, report);
		took->run = report->seconds;
		if (report->result == WORKER_OK)
			take_outputs(w, r, q, out, n_out, report);
	}
	if (w->generation == generation) {
		w->unanswered = all->unload.id;
		w->asked = clock_now();
	}
	return report->result;
}

static enum worker_result ask_together(struct worker *w, const struct backend_model *m, const struct backend_run *q,
				       struct named_value **out, size_t *n_out, struct worker_seconds *took,
				       struct worker_report *report)
{
	struct message_out put;
	struct three all;
	struct err e = ERR_INIT;

	*took = (struct worker_seconds){0, 0};
	w->lost_before = 0;
	if (worker_begin_ahead(w, &put, report))
		return report->result;
	if (!put_three(w, m, q, &put, &all))
		return one_by_one(w, m, q, out, n_out, took, report);
	all.sent = worker_send(w, &all.load, &e);
	if (e.code)
		return worker_refused(report, &e);
	worker_send(w, &all.run, &e); /* when it died meanwhile, the answers tell of what */
	worker_send(w, &all.unload, &e);
	if (worker_lost_before(w, report))
		return report->result;
	return take_three(w, &all, q, out, n_out, took, report);
}

enum worker_result worker_load_run(struct worker *w, const struct backend_model *m, const struct backend_run *q,
				   struct named_value **out, size_t *n_out, struct worker_seconds *took,
				   struct worker_report *report)
{
	if (!worker_can(w, "newest"))
		return one_by_one(w, m, q, out, n_out, took, report);
	ask_together(w, m, q, out, n_out, took, report);
	return w->lost_before ? ask_together(w, m, q, out, n_out, took, report) : report->result;
}
