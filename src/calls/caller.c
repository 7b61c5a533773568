/* caller.c - see caller.h. */
#include "calls/caller.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "calls/onnx_call.h"
#include "calls/onnx_list.h"

#define MAX_MODEL ((size_t)2 << 30) /* what protobuf allows */

/* What could not even be asked: a call that is no model is refused as a library would refuse it. */
static enum worker_result not_asked(struct worker_report *report, const struct err *e)
{
	*report = (struct worker_report){.result = e->code == ERR_INPUT    ? WORKER_REJECTED
						   : e->code == ERR_MEMORY ? WORKER_OOM
									   : WORKER_UNSUPPORTED};
	snprintf(report->message, sizeof report->message, "%s", e->msg);
	return report->result;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static int is_loaded(const struct caller *c, const struct caller_model *m)
{
	return m->bytes.len && worker_has_session(c->worker, m->session);
}

static void forget(struct caller_model *m)
{
	buf_release(&m->bytes);
	*m = (struct caller_model){0};
}

void caller_release(struct caller *c)
{
	for (size_t i = 0; i < CALLER_MOST_KEPT; i++)
		forget(&c->kept[i]);
	*c = (struct caller){0};
}

static struct caller_model *find_kept(struct caller *c, const struct buf *bytes)
{
	for (struct caller_model *m = c->kept; m < c->kept + CALLER_MOST_KEPT; m++)
		if (m->bytes.len == bytes->len && !memcmp(m->bytes.data, bytes->data, bytes->len) && is_loaded(c, m))
			return m;
	return NULL;
}

static void unload(struct caller *c, struct caller_model *m)
{
	if (is_loaded(c, m))
		worker_unload_later(c->worker, m->session);
	forget(m);
}

/* Takes the bytes over; NULL: it was not loaded. */
static struct caller_model *load(struct caller *c, struct buf *bytes, struct worker_report *report)
{
	const struct backend_model model = {.bytes = bytes->data, .n = bytes->len};
	struct caller_model *m = &c->kept[c->next++ % CALLER_MOST_KEPT];

	unload(c, m);
	m->bytes = *bytes;
	*bytes = (struct buf){0};
	if (worker_load_model(c->worker, &model, &m->session, report) == WORKER_OK)
		return m;
	forget(m);
	return NULL;
}

/* ---- INVOKE ------------------------------------------------------------------------------------------------------ */

/* Takes what came of RUN over. */
static int take(struct named_value *v, size_t n, struct backend_answer *out, struct err *e)
{
	struct value **values = mem_array(n, sizeof(struct value *));

	for (size_t i = 0; values && i < n; i++)
		values[i] = value_ref(v[i].value);
	worker_values_free(v, n);
	if (!values)
		return err_nomem(e, "outputs", n * sizeof *values);
	*out = (struct backend_answer){.out = values, .n_out = n};
	return 0;
}

/* A session that did not run is not kept. */
static enum worker_result run(struct caller *c, struct caller_model *m, const struct onnx_call *call,
			      struct backend_answer *out, struct worker_report *report)
{
	const char *names[ONNX_CALL_OUTPUTS];
	const struct backend_run q = {.in = {call->given, call->n_given}, .wanted = {names, (size_t)call->n_out}};
	struct named_value *v;
	struct err e = ERR_INIT;
	size_t n;

	for (int i = 0; i < call->n_out; i++)
		names[i] = call->model->graph->outputs.at[i]->name;
	if (worker_run(c->worker, m->session, &q, &v, &n, report) != WORKER_OK) {
		unload(c, m);
		return report->result;
	}
	return take(v, n, out, &e) ? not_asked(report, &e) : WORKER_OK;
}

static enum worker_result load_and_run(struct caller *c, const struct onnx_call *call, struct backend_answer *out,
				       struct worker_report *report)
{
	struct caller_model *m;
	struct err e = ERR_INIT;
	struct buf bytes;

	buf_init(&bytes, MAX_MODEL);
	if (model_serialize(call->model, &bytes, &e)) {
		buf_release(&bytes);
		return not_asked(report, &e);
	}
	m = find_kept(c, &bytes);
	if (!m)
		m = load(c, &bytes, report);
	buf_release(&bytes);
	return m ? run(c, m, call, out, report) : report->result;
}

enum worker_result caller_invoke(struct caller *c, const struct backend_call *q, struct backend_answer *out,
				 struct worker_report *report)
{
	struct onnx_call call = {0};
	struct err e = ERR_INIT;
	enum worker_result result;

	if (worker_can(c->worker, "invoke"))
		return worker_invoke(c->worker, q, out, report);
	if (q->gradient)
		err_set(&e, ERR_UNSUPPORTED, "%s gives no gradients", worker_library(c->worker));
	else
		onnx_call_make(q, &call, &e);
	if (e.code)
		return not_asked(report, &e);
	result = load_and_run(c, &call, out, report);
	onnx_call_release(&call);
	return result;
}

/* ---- LIST -------------------------------------------------------------------------------------------------------- */

static int is_known(const char *const *known, const char *name)
{
	while (*known && strcmp(*known, name) != 0)
		known++;
	return *known != NULL;
}

/* A worker that says which operators it knows is not asked for others. */
static int leave_out(struct arena *arena, const char *const *known, struct backend_operation *ops, size_t n)
{
	for (size_t i = 0; *known && i < n; i++)
		if (!is_known(known, ops[i].name) &&
		    !(ops[i].unusable = arena_strdup(arena, "the library, or its binding, does not have it")))
			return ERR_MEMORY;
	return 0;
}

enum worker_result caller_list(struct caller *c, const char *prefix, struct arena *arena,
			       struct backend_operation **out, size_t *n, struct worker_report *report)
{
	struct err e = ERR_INIT;

	if (worker_can(c->worker, "list"))
		return worker_list(c->worker, prefix, arena, out, n, report);
	if (!worker_can(c->worker, "load"))
		err_set(&e, ERR_UNSUPPORTED, "%s has no list of operations and reads no models",
			worker_library(c->worker));
	else if (!onnx_list(prefix, arena, out, n, &e) && leave_out(arena, worker_operators(c->worker), *out, *n))
		err_nomem(&e, "a list of operations", 0);
	if (e.code)
		return not_asked(report, &e);
	*report = (struct worker_report){.result = WORKER_OK};
	return WORKER_OK;
}
