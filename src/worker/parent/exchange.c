/* exchange.c - one message to a worker and one back, and what is made of a worker that does not answer (declared in
 * internal.h). */
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "tensor/proto_check.h"
#include "worker/parent/internal.h"

#define SPIN_SECONDS 20e-6
#define DISK_SECONDS 1.0 /* between two looks at what it wrote */
#define HELD_UP_TIMES 9  /* a worker without a processor gets at most so many times its limit in addition */

int worker_too_large(struct worker *w)
{
	double now = clock_now();

	w->looked = now;
	if (process_takes_memory(&w->process, w->limits.memory + w->room))
		return 1;
	if (now < w->looked_at_disk + DISK_SECONDS)
		return 0;
	w->looked_at_disk = now;
	w->fills_disk = process_takes_disk(&w->process, w->limits.disk);
	return w->fills_disk;
}

/* While waiting: is there still somebody to wait for, and within its memory? */
static int look(void *arg)
{
	struct worker *w = arg;
	int status;

	if (w->held_up < 0)
		w->held_up = process_held_up(&w->process);
	return worker_too_large(w) || process_ended(&w->process, &status);
}

/* More than a few times the limit is another matter than a busy machine. */
static double held_up(void *arg)
{
	struct worker *w = arg;

	return w->held_up < 0 ? 0 : fmin(process_held_up(&w->process) - w->held_up, HELD_UP_TIMES * w->patience);
}

static void report_too_large(const struct worker *w, struct worker_report *report)
{
	report_say(report, WORKER_OOM, "took more than %zu MiB of memory", (w->limits.memory + w->room) >> 20);
}

/* It ended by itself, or the kernel saw to its limit before we did. */
static void report_death(const struct worker *w, int status, struct worker_report *report)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && process_ran_out(&w->process))
		report_too_large(w, report);
	else
		report_end(report, status);
}

enum worker_result worker_lost(struct worker *w, enum frame_result why, double seconds, struct worker_report *report)
{
	struct err e = ERR_INIT;
	int status;

	switch (why) {
	case FRAME_LATE:
		report_say(report, WORKER_HANG, "no answer within %g seconds", seconds);
		break;
	case FRAME_STOPPED:
		if (process_ended(&w->process, &status))
			report_death(w, status, report);
		else if (w->fills_disk)
			report_say(report, WORKER_OOM, "wrote more than %zu MiB into its folder", w->limits.disk >> 20);
		else
			report_too_large(w, report);
		break;
	case FRAME_END:
		if (process_wait(&w->process, WORKER_EXIT_SECONDS, &status))
			report_death(w, status, report);
		else
			report_say(report, WORKER_PROTOCOL, "closed its socket");
		break;
	case FRAME_NOMEM:
		w->out_of_step = 1;
		err_nomem(&e, "a frame", w->frame.n);
		worker_unread(report, &e);
		break;
	default:
		report_say(report, WORKER_PROTOCOL, "its reply is not a message");
		break;
	}
	return report->result;
}

static int unpack(const struct frame *f, Assay__Response **r, struct err *e)
{
	ProtobufCMessage *m;
	int rc = proto_unpack(&assay__response__descriptor, frame_message(f), f->n, MESSAGE_MAX_DEPTH, &m, e);

	if (!rc)
		*r = (Assay__Response *)m;
	return rc;
}

void worker_response_free(Assay__Response *r)
{
	if (r)
		protobuf_c_message_free_unpacked(&r->base, proto_allocator());
}

static int check_response(struct worker *w, const Assay__Request *q, const Assay__Response *r, int wanted,
			  struct err *e)
{
	if (r->id != q->id)
		return err_set(e, ERR_INPUT, "answer %llu to request %llu", (unsigned long long)r->id,
			       (unsigned long long)q->id);
	if (r->status < ASSAY__RESPONSE__STATUS__OK || r->status > ASSAY__RESPONSE__STATUS__OOM)
		return err_set(e, ERR_INPUT, "status %d is not known", (int)r->status);
	if (r->status == ASSAY__RESPONSE__STATUS__OK && (int)r->body_case != wanted)
		return err_set(e, ERR_INPUT, "an answer of kind %d where %d is due", (int)r->body_case, wanted);
	return shm_refresh(&w->process.shm, r->shm_size, e);
}

static enum worker_result result_of(const Assay__Response *r, struct worker_report *report)
{
	static const enum worker_result results[] = {
		[ASSAY__RESPONSE__STATUS__OK] = WORKER_OK,
		[ASSAY__RESPONSE__STATUS__UNSUPPORTED] = WORKER_UNSUPPORTED,
		[ASSAY__RESPONSE__STATUS__REJECTED] = WORKER_REJECTED,
		[ASSAY__RESPONSE__STATUS__FAILED] = WORKER_REJECTED,
		[ASSAY__RESPONSE__STATUS__OOM] = WORKER_OOM,
	};

	report_say(report, results[r->status], "%s", r->message);
	return report->result;
}

int worker_pack(struct worker *w, Assay__Request *q, struct err *e)
{
	int rc;

	q->id = ++w->next_id;
	q->shm_size = w->process.shm.size;
	rc = frame_reserve(&w->frame, assay__request__get_packed_size(q), e);
	if (!rc)
		w->frame.n = assay__request__pack(q, frame_message(&w->frame));
	return rc;
}

enum worker_result worker_receive(struct worker *w, const Assay__Request *q, int wanted, const struct frame_wait *wait,
				  double seconds, Assay__Response **r, struct worker_report *report)
{
	enum frame_result got = frame_receive(w->process.socket, &w->frame, wait);
	struct err e = ERR_INIT;
	int rc;

	if (got)
		return worker_lost(w, got, seconds, report);
	rc = unpack(&w->frame, r, &e);
	if (!rc)
		rc = check_response(w, q, *r, wanted, &e);
	return rc ? worker_unread(report, &e) : result_of(*r, report);
}

struct frame_wait worker_patience(struct worker *w, double from, double seconds)
{
	w->patience = seconds;
	w->held_up = w->state == WORKER_READY ? -1 : 0; /* looked up when an answer takes long, which is rare */
	return (struct frame_wait){.deadline = from + seconds,
				   .spin = SPIN_SECONDS,
				   .tick = WORKER_LOOK_SECONDS,
				   .on_tick = look,
				   .held_up = held_up,
				   .arg = w};
}
