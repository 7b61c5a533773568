/* worker.c - a worker's life: start, HELLO, one request after the other, and what becomes of it when it dies.
 *
 * A dead worker is started again at once, but its answer to HELLO is only awaited when the next request comes: the
 * library loads while the caller does something else. */
#include "worker/parent/worker.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "worker/parent/internal.h"

#define DEFAULT_INIT_SECONDS 60
#define DEFAULT_RUN_SECONDS 30
#define DEFAULT_MEMORY ((size_t)8 << 30)
#define DEFAULT_DISK ((size_t)8 << 30)
#define LARGE_WEIGHTS ((size_t)1 << 30) /* those of smaller models are within the limit */
#define WEIGHTS_PER_SECOND (32 << 20)   /* that a slow disk and a slow library read */
#define ROOM 3                          /* a library reads them, keeps them, and packs them anew for its kernels */
#define BYE_SECONDS 0.5                 /* for a process to end once asked to */

/* ---- start ------------------------------------------------------------------------------------------------------- */

/* Sends HELLO; the answer is for finish_start(). */
static int say_hello(struct worker *w, struct err *e)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__Hello hello = ASSAY__HELLO__INIT;
	struct message_out out = {.arena = &w->scratch};
	struct frame_wait wait;
	int rc;

	arena_reset(&w->scratch);
	hello.protocol = MESSAGE_PROTOCOL;
	hello.folder = w->spec.folder;
	hello.n_options = w->spec.n_options;
	q.body_case = ASSAY__REQUEST__BODY_HELLO;
	q.hello = &hello;
	rc = message_put_options(&out, w->spec.options, w->spec.n_options, &hello.options, e);
	if (!rc)
		rc = worker_pack(w, &q, e);
	if (rc) {
		process_end(&w->process);
		return rc;
	}
	wait = worker_patience(w, w->started, w->limits.init_seconds);
	frame_send(w->process.socket, &w->frame, &wait); /* when it died, reading the answer tells how */
	w->state = WORKER_STARTING;
	return 0;
}

/* Starts the process and sends HELLO.  One that was forked needs none, unless its options are others. */
static int start(struct worker *w, struct err *e)
{
	int rc;

	w->state = WORKER_DEAD;
	w->generation++;
	w->sessions.n = 0;
	w->unanswered = 0;
	w->started = w->looked = clock_now();
	w->looked_at_disk = w->fills_disk = w->out_of_step = 0;
	if (w->origin.pid) {
		if (!process_fork(&w->origin, &w->process, e)) {
			if (w->reopens)
				return say_hello(w, e);
			w->state = WORKER_READY;
			return 0;
		}
		process_end(&w->origin); /* it is of no use any more */
		w->reopens = 0;
	}
	rc = process_start(&w->process,
			   &(struct process_order){w->spec.program, w->spec.args, w->spec.env, w->spec.options,
						   w->spec.n_options, w->limits.memory + w->room},
			   e);
	return rc ? rc : say_hello(w, e);
}

/* A copy of a list of names, NULL-terminated; NULL: no memory. */
static char **keep_names(struct arena *a, char *const *names, size_t n)
{
	char **list = arena_array(a, n + 1, sizeof *list);

	for (size_t i = 0; list && i < n; i++) {
		list[i] = arena_strdup(a, names[i]);
		if (!list[i])
			return NULL;
	}
	return list;
}

static int keep_hello(struct worker *w, const Assay__HelloReply *h, struct err *e)
{
	int is_given = !strncmp(w->spec.name, "exec:", 5); /* by whoever named the command */

	if (h->protocol != MESSAGE_PROTOCOL)
		return err_set(e, ERR_UNSUPPORTED, "it speaks version %u of the protocol, not %d",
			       (unsigned)h->protocol, MESSAGE_PROTOCOL);
	arena_reset(&w->hello);
	w->library = arena_strdup(&w->hello, is_given && *w->spec.library ? w->spec.library : h->library);
	w->version = arena_strdup(&w->hello, is_given && *w->spec.version ? w->spec.version : h->version);
	w->capabilities = keep_names(&w->hello, h->capabilities, h->n_capabilities);
	w->operators = keep_names(&w->hello, h->operators, h->n_operators);
	return w->library && w->version && w->capabilities && w->operators ? 0 : err_nomem(e, "a worker", 0);
}

/* From now on processes are forked from the one that has opened the library, and it serves nothing itself. */
static void fork_first(struct worker *w)
{
	struct process forked;
	struct err e = ERR_INIT;

	if (process_fork(&w->process, &forked, &e))
		return; /* then it serves after all */
	w->origin = w->process;
	w->process = forked;
}

/* Awaits the answer to HELLO.  Whatever goes wrong here means that there is no such worker. */
static enum worker_result finish_start(struct worker *w, struct worker_report *report)
{
	const Assay__Request q = {.id = w->next_id};
	struct frame_wait wait = worker_patience(w, w->started, w->limits.init_seconds);
	Assay__Response *r = NULL;
	struct err e = ERR_INIT;
	enum worker_result result =
		worker_receive(w, &q, ASSAY__RESPONSE__BODY_HELLO, &wait, w->limits.init_seconds, &r, report);

	if (result == WORKER_OK && keep_hello(w, r->hello, &e)) {
		report_say(report, WORKER_ABSENT, "%s", e.msg);
		result = WORKER_ABSENT;
	}
	worker_response_free(r);
	if (result == WORKER_OK) {
		w->state = WORKER_READY;
		if (!w->origin.pid && worker_can(w, "fork"))
			fork_first(w);
		return WORKER_OK;
	}
	process_output_tail(&w->process, report->stderr_tail, sizeof report->stderr_tail);
	process_end(&w->process);
	w->state = WORKER_DEAD;
	report->result = WORKER_ABSENT;
	return WORKER_ABSENT;
}

static enum worker_result make_ready(struct worker *w, struct worker_report *report)
{
	struct err e = ERR_INIT;

	if (w->state == WORKER_DEAD && start(w, &e)) {
		report_say(report, WORKER_ABSENT, "%s", e.msg);
		return WORKER_ABSENT;
	}
	if (w->state == WORKER_READY) /* also at once, when it was forked */
		return WORKER_OK;
	return finish_start(w, report);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* The process is of no use any more: tells what it printed and starts another one. */
static void replace(struct worker *w, struct worker_report *report)
{
	struct err e = ERR_INIT;

	process_output_tail(&w->process, report->stderr_tail, sizeof report->stderr_tail);
	process_end(&w->process);
	start(w, &e); /* when this fails, the next request tries again and says why */
}

enum worker_result worker_misspoke(struct worker *w, struct worker_report *report, const struct err *e)
{
	if (worker_unread(report, e) == WORKER_PROTOCOL)
		replace(w, report);
	return report->result;
}

static int must_replace(const struct worker *w, enum worker_result r)
{
	return w->out_of_step || r == WORKER_CRASH || r == WORKER_HANG || r == WORKER_OOM || r == WORKER_PROTOCOL;
}

/* The answer to a request that nobody waited for; 1: the worker died of it, and is started again. */
static int await_answer(struct worker *w, struct worker_report *report)
{
	const Assay__Request q = {.id = w->unanswered};
	double seconds = w->limits.run_seconds * w->times;
	struct frame_wait wait = worker_patience(w, w->asked, seconds);
	Assay__Response *r = NULL;
	int lost;

	w->unanswered = 0;
	wait.exact = 1;
	lost = must_replace(w, worker_receive(w, &q, ASSAY__RESPONSE__BODY_DONE, &wait, seconds, &r, report));
	if (lost)
		replace(w, report);
	worker_response_free(r);
	return lost;
}

enum worker_result worker_begin_ahead(struct worker *w, struct message_out *out, struct worker_report *report)
{
	if (w->unanswered && !worker_can(w, "ahead"))
		await_answer(w, report);
	report->result = WORKER_OK;
	report->signal = report->exit_status = 0;
	report->message[0] = report->stderr_tail[0] = '\0';
	report->seconds = 0;
	if (make_ready(w, report))
		return report->result;
	report->message[0] = '\0';
	process_rewind_output(&w->process);
	arena_reset(&w->scratch);
	*out = (struct message_out){.shm = &w->process.shm, .arena = &w->scratch};
	return WORKER_OK;
}

enum worker_result worker_begin(struct worker *w, struct message_out *out, struct worker_report *report)
{
	if (w->unanswered)
		await_answer(w, report);
	return worker_begin_ahead(w, out, report);
}

double worker_set_patience(struct worker *w, double times)
{
	w->times = times;
	return w->limits.run_seconds * times;
}

enum frame_result worker_send(struct worker *w, Assay__Request *q, struct err *e)
{
	struct frame_wait wait = worker_patience(w, clock_now(), w->limits.run_seconds * w->times);

	return worker_pack(w, q, e) ? FRAME_NOMEM : frame_send(w->process.socket, &w->frame, &wait);
}

int worker_lost_before(struct worker *w, struct worker_report *report)
{
	w->lost_before = w->unanswered && await_answer(w, report);
	return w->lost_before;
}

void worker_skip(struct worker *w, uint64_t id)
{
	struct worker_report ignored;

	w->unanswered = id;
	w->asked = clock_now();
	await_answer(w, &ignored);
}

enum worker_result worker_answer(struct worker *w, const Assay__Request *q, enum frame_result sent, int wanted,
				 Assay__Response **out, struct worker_report *report)
{
	double seconds = w->limits.run_seconds * w->times, begin = clock_now();
	struct frame_wait wait = worker_patience(w, begin, seconds);
	Assay__Response *r = NULL;

	wait.exact = w->next_id != q->id; /* others were sent behind it, and their answers come as well */
	if (sent)
		worker_lost(w, sent, seconds, report);
	else
		worker_receive(w, q, wanted, &wait, seconds, &r, report);
	report->seconds = clock_now() - begin;
	if (!must_replace(w, report->result) && begin + report->seconds > w->looked + WORKER_LOOK_SECONDS &&
	    worker_too_large(w))
		worker_lost(w, FRAME_STOPPED, seconds, report);
	if (report->result != WORKER_OK)
		process_output_tail(&w->process, report->stderr_tail, sizeof report->stderr_tail);
	if (must_replace(w, report->result))
		replace(w, report);
	if (report->result == WORKER_OK)
		*out = r;
	else
		worker_response_free(r);
	return report->result;
}

enum worker_result worker_exchange(struct worker *w, Assay__Request *q, int wanted, Assay__Response **out,
				   struct worker_report *report)
{
	struct err e = ERR_INIT;
	enum frame_result sent = worker_send(w, q, &e);

	if (e.code)
		return worker_refused(report, &e);
	if (worker_lost_before(w, report))
		return report->result;
	return worker_answer(w, q, sent, wanted, out, report);
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

/* Who waits for an answer no longer than that does not wait a minute for HELLO either; opening a library takes its time
 * all the same. */
static double init_seconds(double run_seconds)
{
	double seconds = run_seconds * WORKER_PATIENCE, usual = clock_patience(DEFAULT_INIT_SECONDS);

	if (run_seconds <= 0 || (seconds > usual && run_seconds < usual))
		return usual;
	return seconds < usual ? seconds : run_seconds;
}

static void set_limits(struct worker_limits *l, const struct worker_limits *given)
{
	*l = given ? *given : (struct worker_limits){0};
	if (l->init_seconds <= 0)
		l->init_seconds = init_seconds(l->run_seconds);
	l->run_seconds = l->run_seconds > 0 ? l->run_seconds : clock_patience(DEFAULT_RUN_SECONDS);
	l->memory = l->memory ? l->memory : DEFAULT_MEMORY;
	l->disk = l->disk ? l->disk : DEFAULT_DISK;
}

/* Why there is no worker: the reason, the last of what it printed (a loader's or an interpreter's words), and what
 * tells how to fix it. */
static int cannot_start(const struct worker_spec *spec, const struct worker_report *report, struct err *e)
{
	int known = spec->backend && *spec->folder; /* a library that was installed */
	char said[320] = "";
	size_t n = strlen(report->stderr_tail), at = 0, from;

	while (n && isspace((unsigned char)report->stderr_tail[n - 1]))
		n--;
	from = n > sizeof said - 1 ? n - (sizeof said - 1) : 0;
	for (; from < n; from++)
		said[at++] =
			(char)(iscntrl((unsigned char)report->stderr_tail[from]) ? ' ' : report->stderr_tail[from]);
	return err_set(e, ERR_INPUT, "cannot start worker '%s': %s%s%s%s%s%s", spec->name, report->message,
		       at ? "; it printed: " : "", said, known ? "; 'assay backends doctor " : "",
		       known ? spec->backend : "", known ? "' says what helps" : "");
}

/* One that was closed before and can be forked, with the new one's limits; else the new one, which takes over the
 * process that forks where only options are others. */
static struct worker *parked_or_new(struct worker *w)
{
	struct worker *parked = worker_unpark(w);

	if (!parked)
		return w;
	if (!worker_is_same(parked, w)) {
		w->origin = parked->origin;
		w->reopens = 1;
		parked->origin = (struct process)PROCESS_INIT;
		worker_free(parked);
		return w;
	}
	parked->limits = w->limits;
	worker_free(w);
	return parked;
}

int worker_open(const struct worker_spec *spec, const struct worker_limits *limits, struct worker **out,
		struct worker_report *report, struct err *e)
{
	struct worker *w = mem_zalloc(sizeof *w);
	struct message_out unused;

	if (!w || worker_keep_spec(w, spec)) {
		worker_free(w);
		*report = (struct worker_report){.result = WORKER_ABSENT};
		return err_nomem(e, "a worker", sizeof *w);
	}
	w->process = w->origin = (struct process)PROCESS_INIT;
	w->is_limited = limits && limits->run_seconds > 0;
	set_limits(&w->limits, limits);
	w = parked_or_new(w);
	w->times = 1;
	if (worker_begin(w, &unused, report)) {
		worker_free(w);
		return cannot_start(spec, report, e);
	}
	report->seconds = clock_now() - w->started;
	*out = w;
	return 0;
}

/* A request that was not waited for is answered first. */
static void say_bye(struct worker *w)
{
	Assay__Request q = ASSAY__REQUEST__INIT;
	Assay__Bye bye = ASSAY__BYE__INIT;
	struct frame_wait wait = {.deadline = clock_now() + BYE_SECONDS};
	struct err e = ERR_INIT;
	int status;

	q.body_case = ASSAY__REQUEST__BODY_BYE;
	q.bye = &bye;
	if (w->unanswered && frame_receive(w->process.socket, &w->frame, &wait))
		return;
	if (!worker_pack(w, &q, &e) && !frame_send(w->process.socket, &w->frame, &wait) &&
	    !frame_receive(w->process.socket, &w->frame, &wait))
		process_wait(&w->process, BYE_SECONDS, &status);
}

static void end_process(struct worker *w)
{
	if (w->state == WORKER_READY && !w->origin.pid) /* one that was forked has nothing to save */
		say_bye(w);
	if (w->state != WORKER_DEAD)
		process_end(&w->process);
	w->process = (struct process)PROCESS_INIT;
	w->state = WORKER_DEAD;
	w->unanswered = 0;
}

static void end_origin(struct worker *w)
{
	if (w->origin.pid)
		process_end(&w->origin);
	w->origin = (struct process)PROCESS_INIT;
}

/* The kernel's own limit is set when a process starts. */
void worker_make_room(struct worker *w, size_t weights)
{
	if (weights < LARGE_WEIGHTS || weights > (SIZE_MAX - w->limits.memory) / ROOM || ROOM * weights <= w->room)
		return;
	w->room = ROOM * weights;
	if (!w->is_limited)
		w->limits.run_seconds = clock_patience(DEFAULT_RUN_SECONDS + (double)weights / WEIGHTS_PER_SECOND);
	end_process(w);
	end_origin(w);
}

void worker_renew(struct worker *w)
{
	end_process(w);
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	end_process(w);
	end_origin(w);
	frame_release(&w->frame);
	vec_release(&w->sessions);
	arena_release(&w->scratch);
	arena_release(&w->hello);
	arena_release(&w->keep);
	mem_free(w);
}

void worker_close(struct worker *w)
{
	if (!w)
		return;
	end_process(w);
	if (!w->origin.pid || w->room || !worker_park(w))
		worker_free(w);
}

const char *worker_library(const struct worker *w)
{
	return w->library;
}

const char *worker_version(const struct worker *w)
{
	return w->version;
}

const char *const *worker_operators(const struct worker *w)
{
	return (const char *const *)w->operators;
}

unsigned worker_guards(const struct worker *w)
{
	return w->process.supervision ? supervision_guards(w->process.supervision) : 0;
}

int worker_can(const struct worker *w, const char *capability)
{
	for (char **c = w->capabilities; c && *c; c++)
		if (!strcmp(*c, capability))
			return 1;
	return 0;
}
