/* exam_checks.c - what a worker is asked, one row a check (declared in internal_exam.h).  docs/protocol.md has
 * the rules.  Each check makes the sessions that it needs: the worker may have been started again since. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "worker/parent/internal_exam.h"

#define MODEL_BYTES ((size_t)1 << 16)
#define LARGE 300000 /* elements: far above what a message holds, and above what shared memory begins with */
#define UNGIVEN UINT64_C(12345678901) /* a session that nobody has */

static int say(struct exam *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What came instead; 0, for the check to return. */
static int say(struct exam *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->line->got, sizeof c->line->got, fmt, ap);
	va_end(ap);
	return 0;
}

static int say_report(struct exam *c)
{
	char text[400];

	return say(c, "%.399s", worker_report_text(&c->report, text, sizeof text));
}

/* The worker lives and has answered, if only with a refusal. */
static int is_refused(struct exam *c, enum worker_result r)
{
	if (r == WORKER_UNSUPPORTED || r == WORKER_REJECTED)
		return *c->report.message ? 1 : say(c, "%s without a message", worker_result_name(r));
	return r == WORKER_OK ? say(c, "ok") : say_report(c);
}

/* ---- sessions and runs ------------------------------------------------------------------------------------------- */

static enum worker_result load(struct exam *c, const char *op, const char *domain, enum dtype t, int rank,
			       uint64_t *session)
{
	enum worker_result r = WORKER_REJECTED;
	struct buf model;

	buf_init(&model, MODEL_BYTES);
	if (!exam_model(op, domain, t, rank, &model, &c->e))
		r = worker_load(c->w, model.data, model.len, NULL, 0, session, &c->report);
	buf_release(&model);
	return r;
}

/* Runs a session whose graph gives its input back; 1 when it does. */
static int run_same(struct exam *c, uint64_t session, struct value *x, const char *const *names, size_t n_names)
{
	struct named_value in = {"x", x}, *out = NULL;
	size_t n = 0;
	int ok = 0;

	if (!x)
		return say(c, "%.500s", c->e.msg);
	if (worker_run(c->w, session, &(struct backend_run){.in = {&in, 1}, .wanted = {names, n_names}}, &out, &n,
		       &c->report))
		return say_report(c);
	if (n != 1 || strcmp(out[0].name, "y") != 0)
		say(c, "%zu outputs, the first called '%s'", n, n ? out[0].name : "");
	else if (!exam_same(out[0].value, x))
		say(c, "an output of another type, shape or value");
	else
		ok = 1;
	worker_values_free(out, n);
	return ok;
}

/* Loads and runs y = x; 1 when that is what comes back. */
static int identity(struct exam *c, enum dtype t, int rank, const int64_t *dims, const char *const *names,
		    size_t n_names)
{
	struct value *x = exam_value(t, rank, dims, &c->e);
	uint64_t session;
	int ok = load(c, "Identity", "", t, rank, &session) ? say_report(c) : run_same(c, session, x, names, n_names);

	value_unref(x);
	return ok;
}

/* ---- HELLO ------------------------------------------------------------------------------------------------------- */

static int check_hello(struct exam *c)
{
	(void)c;
	return 1; /* who comes here has answered */
}

static int check_library(struct exam *c)
{
	return *worker_library(c->w) ? 1 : say(c, "an empty name");
}

static int check_version(struct exam *c)
{
	return *worker_version(c->w) ? 1 : say(c, "an empty version");
}

static int check_capability(struct exam *c)
{
	return worker_can(c->w, "load") ? 1 : say(c, "no such capability");
}

/* ---- LOAD and RUN ------------------------------------------------------------------------------------------------ */

static int check_load(struct exam *c)
{
	uint64_t session;

	return load(c, "Identity", "", DT_FLOAT, 1, &session) ? say_report(c) : 1;
}

static int check_run(struct exam *c)
{
	return identity(c, DT_FLOAT, 2, (const int64_t[]){2, 3}, NULL, 0);
}

static int check_run_named(struct exam *c)
{
	return identity(c, DT_FLOAT, 2, (const int64_t[]){2, 3}, (const char *const[]){"y"}, 1);
}

static int check_scalar(struct exam *c)
{
	return identity(c, DT_FLOAT, 0, NULL, NULL, 0);
}

static int check_empty(struct exam *c)
{
	return identity(c, DT_FLOAT, 2, (const int64_t[]){0, 3}, NULL, 0);
}

static int check_large(struct exam *c)
{
	return identity(c, DT_FLOAT, 1, (const int64_t[]){LARGE}, NULL, 0);
}

/* Shared memory grows, and is read from anew when it was used before. */
static int check_sizes(struct exam *c)
{
	static const int64_t sizes[] = {3, 2000, 3 * LARGE, 1, 5 * LARGE, 1025};
	uint64_t session;
	int ok = load(c, "Identity", "", DT_FLOAT, 1, &session) ? say_report(c) : 1;

	for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) {
		struct value *x = exam_value(DT_FLOAT, 1, &sizes[i], &c->e);

		ok = run_same(c, session, x, NULL, 0);
		value_unref(x);
	}
	return ok;
}

/* A type that the library does not have is refused, not changed. */
static int check_types(struct exam *c)
{
	static const enum dtype types[] = {DT_DOUBLE, DT_FLOAT16, DT_BFLOAT16, DT_INT8,   DT_INT16,  DT_INT32,
					   DT_INT64,  DT_UINT8,   DT_UINT16,   DT_UINT32, DT_UINT64, DT_BOOL};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		char what[sizeof c->line->got];

		if (identity(c, types[i], 1, (const int64_t[]){5}, NULL, 0))
			continue;
		if (c->report.result == WORKER_UNSUPPORTED || c->report.result == WORKER_REJECTED)
			continue;
		snprintf(what, sizeof what, "%s", c->line->got);
		return say(c, "%s: %.400s", dtype_name(types[i]), what);
	}
	c->line->got[0] = '\0';
	return 1;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static int check_two_sessions(struct exam *c)
{
	const int64_t dims[] = {4};
	struct value *x = exam_value(DT_FLOAT, 1, dims, &c->e);
	uint64_t a, b;
	int ok = 1;

	if (load(c, "Identity", "", DT_FLOAT, 1, &a) || load(c, "Identity", "", DT_FLOAT, 1, &b))
		ok = say_report(c);
	ok = ok && run_same(c, a, x, NULL, 0) && run_same(c, b, x, NULL, 0);
	if (ok && worker_unload(c->w, a, &c->report))
		ok = say_report(c);
	ok = ok && run_same(c, b, x, NULL, 0);
	value_unref(x);
	return ok;
}

/* A request that names a session of the worker's own numbering. */
static enum worker_result ask_session(struct exam *c, uint64_t theirs, int unload)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__Unload forget = ASSAY__UNLOAD__INIT;
	Assay__Run run = ASSAY__RUN__INIT;
	Assay__Response *r = NULL;
	struct message_out out;

	if (worker_begin(c->w, &out, &c->report))
		return c->report.result;
	run.session = forget.session = theirs;
	q.body_case = unload ? ASSAY__REQUEST__BODY_UNLOAD : ASSAY__REQUEST__BODY_RUN;
	if (unload)
		q.unload = &forget;
	else
		q.run = &run;
	if (!worker_exchange(c->w, &q, unload ? ASSAY__RESPONSE__BODY_DONE : ASSAY__RESPONSE__BODY_RUN, &r, &c->report))
		worker_response_free(r);
	return c->report.result;
}

static int check_unloaded(struct exam *c)
{
	uint64_t session, theirs;

	if (load(c, "Identity", "", DT_FLOAT, 1, &session) || worker_session_find(c->w, session, &theirs, &c->report) ||
	    worker_unload(c->w, session, &c->report))
		return say_report(c);
	return is_refused(c, ask_session(c, theirs, 0)) && is_refused(c, ask_session(c, theirs, 1));
}

static int check_no_session(struct exam *c)
{
	return is_refused(c, ask_session(c, UNGIVEN, 0)) && is_refused(c, ask_session(c, UNGIVEN, 1));
}

/* ---- what makes no sense ----------------------------------------------------------------------------------------- */

static int check_no_model(struct exam *c)
{
	uint64_t session;

	return is_refused(c, worker_load(c->w, "this is no model", 16, NULL, 0, &session, &c->report)) &&
	       is_refused(c, worker_load(c->w, "", 0, NULL, 0, &session, &c->report));
}

/* It may be found out by LOAD or by RUN. */
static int check_unknown_operator(struct exam *c)
{
	struct value *x = exam_value(DT_FLOAT, 1, (const int64_t[]){2}, &c->e);
	struct named_value in = {"x", x}, *out;
	uint64_t session;
	size_t n;
	enum worker_result r = load(c, "NoSuchOperator", "org.example.nowhere", DT_FLOAT, 1, &session);

	if (!r && x) {
		r = worker_run(c->w, session, &(struct backend_run){.in = {&in, 1}}, &out, &n, &c->report);
		if (!r)
			worker_values_free(out, n);
	}
	value_unref(x);
	return is_refused(c, r);
}

static int check_no_input(struct exam *c)
{
	struct named_value *out;
	uint64_t session;
	size_t n;
	enum worker_result r;

	if (load(c, "Identity", "", DT_FLOAT, 1, &session))
		return say_report(c);
	r = worker_run(c->w, session, &(struct backend_run){.in = {NULL, 0}}, &out, &n, &c->report);
	if (!r)
		worker_values_free(out, n);
	return is_refused(c, r);
}

static int check_unknown_request(struct exam *c)
{
	Assay__Request q = ASSAY__REQUEST__INIT; /* as one of a later version looks to this one: without a body */
	Assay__Response *r = NULL;
	struct message_out out;

	if (worker_begin(c->w, &out, &c->report))
		return say_report(c);
	if (!worker_exchange(c->w, &q, ASSAY__RESPONSE__BODY_DONE, &r, &c->report))
		worker_response_free(r);
	return c->report.result == WORKER_UNSUPPORTED ? 1 : say_report(c);
}

static int check_after(struct exam *c)
{
	return check_run(c); /* whatever it was asked before */
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Ends the process, by BYE or by closing the socket, and waits for it. */
static int check_end(struct exam *c, int bye)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__Bye body = ASSAY__BYE__INIT;
	Assay__Response *r = NULL;
	struct message_out out;
	struct frame_wait wait;
	int status = 0, ended;

	if (worker_begin(c->w, &out, &c->report))
		return say_report(c);
	q.body_case = ASSAY__REQUEST__BODY_BYE;
	q.bye = &body;
	wait = worker_patience(c->w, clock_now(), c->w->limits.run_seconds);
	if (bye &&
	    (worker_pack(c->w, &q, &c->e) || frame_send(c->w->process.socket, &c->w->frame, &wait) ||
	     worker_receive(c->w, &q, ASSAY__RESPONSE__BODY_DONE, &wait, c->w->limits.run_seconds, &r, &c->report))) {
		worker_response_free(r);
		return say_report(c);
	}
	worker_response_free(r);
	if (!bye)
		shutdown(c->w->process.socket, SHUT_RDWR);
	ended = process_wait(&c->w->process, WORKER_EXIT_SECONDS, &status);
	worker_close(c->w);
	c->w = NULL;
	if (!ended)
		return say(c, "it was still there after %g seconds", WORKER_EXIT_SECONDS);
	return status ? say(c, "it ended with status %d, signal %d", status >> 8, status & 0x7f) : 1;
}

static int check_bye(struct exam *c)
{
	return check_end(c, 1);
}

static int check_end_of_file(struct exam *c)
{
	return check_end(c, 0);
}

const struct exam_check exam_checks[] = {
	{"hello", "an answer to HELLO, of version 1 of the protocol, in time", check_hello},
	{"hello library", "the library's name", check_library},
	{"hello version", "the library's version", check_version},
	{"hello capabilities", "the capability 'load'", check_capability},
	{"load", "a session for a model of one Identity", check_load},
	{"run", "the output 'y', equal to the input", check_run},
	{"run by name", "the one output that was asked for by name", check_run_named},
	{"run scalar", "a tensor without dimensions", check_scalar},
	{"run empty", "a tensor with a dimension of 0", check_empty},
	{"run types", "every type there and back, or UNSUPPORTED or REJECTED", check_types},
	{"shared memory", "a tensor that is too large for a message", check_large},
	{"shared memory sizes", "tensors small and large in turn, while shared memory grows", check_sizes},
	{"sessions", "two sessions at once, and the second after the first is unloaded", check_two_sessions},
	{"session unloaded", "REJECTED for RUN and UNLOAD of a session that was unloaded", check_unloaded},
	{"session unknown", "REJECTED for RUN and UNLOAD of a session that never was", check_no_session},
	{"load nonsense", "REJECTED, with a message, for bytes that are not a model, and for none", check_no_model},
	{"load unknown operator", "UNSUPPORTED or REJECTED, with a message, by LOAD or RUN", check_unknown_operator},
	{"run without input", "REJECTED, with a message", check_no_input},
	{"unknown request", "UNSUPPORTED", check_unknown_request},
	{"run after all that", "the output 'y', equal to the input", check_after},
	{"bye", "Done, and the process ends with status 0", check_bye},
	{"end of file", "the process ends with status 0 when its socket is closed", check_end_of_file},
	{NULL, NULL, NULL},
};
