/* internal.h - what the parts of the parent's side share. */
#ifndef WORKER_PARENT_INTERNAL_H
#define WORKER_PARENT_INTERNAL_H

#include "base/arena.h"
#include "base/vec.h"
#include "worker/frames.h"
#include "worker/message.h"
#include "worker/parent/spawn.h"
#include "worker/parent/worker.h"

struct worker_session {
	uint64_t ours, theirs;
};

struct worker {
	struct worker_spec spec; /* a copy, in `keep` */
	struct worker_limits limits;
	size_t room;    /* bytes above limits.memory, for the weights of a large model */
	double times;   /* the limit of a request is so many times limits.run_seconds */
	int is_limited; /* somebody has said how long a request may take */
	struct arena keep;

	enum { WORKER_DEAD, WORKER_STARTING, WORKER_READY } state;
	struct process process;
	struct process origin; /* has the library open and forks; none where that cannot be done */
	int reopens;           /* the origin has other options: what it forks gets a HELLO with ours */
	double started;        /* when it was */
	double patience;       /* seconds that its answer may take */
	double held_up;        /* seconds without a processor before the answer is due; below 0: not known */
	double looked;         /* when its memory was looked at */
	double looked_at_disk; /* when its folder was */
	int fills_disk;        /* and was found too large */
	uint32_t generation;   /* how often it was started: sessions of earlier ones are gone */
	uint64_t next_id;      /* of a request */
	uint64_t unanswered;   /* a request to unload, whose answer has not been read; 0: none */
	double asked;          /* when that was */
	int out_of_step;       /* part of an answer is unread: what comes next would be taken for another one */
	int lost_before;       /* the last request was not made: the worker had died of the one before */
	uint64_t last_session; /* number of one, as callers see it */
	VEC(struct worker_session) sessions;
	struct arena hello; /* of the answer to HELLO: */
	const char *library, *version;
	char **capabilities, **operators; /* NULL-terminated */

	struct frame frame;
	struct arena scratch; /* of one request */
};

/* ---- report.c ---------------------------------------------------------------------------------------------------- */

/* Result and message of a report; and those of a process that ended without being asked to. */
void report_say(struct worker_report *report, enum worker_result result, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void report_end(struct worker_report *report, int status);

/* ---- exchange.c -------------------------------------------------------------------------------------------------- */

#define WORKER_EXIT_SECONDS 2.0  /* for a process to end once its socket is closed */
#define WORKER_LOOK_SECONDS 0.05 /* between two looks at its memory */

/* Numbers *q and packs it into the worker's frame, for frame_send(). */
int worker_pack(struct worker *w, Assay__Request *q, struct err *e);
/* Waits for the answer to *q, which has been sent. */
enum worker_result worker_receive(struct worker *w, const Assay__Request *q, int wanted, const struct frame_wait *wait,
				  double seconds, Assay__Response **r, struct worker_report *report);
/* Nothing came, or could be sent: what became of the worker. */
enum worker_result worker_lost(struct worker *w, enum frame_result why, double seconds, struct worker_report *report);
/* How to wait: up to a moment, with an eye on the worker.  On a busy machine that moment is later: what counts is the
 * time in which the worker ran or slept. */
struct frame_wait worker_patience(struct worker *w, double from, double seconds);
int worker_too_large(struct worker *w);

/* ---- worker.c ---------------------------------------------------------------------------------------------------- */

/* Begins a request: the worker is ready, the report and the scratch memory are empty. */
enum worker_result worker_begin(struct worker *w, struct message_out *out, struct worker_report *report);
/* The same; what was asked before may be unanswered, where the worker takes requests ahead.  worker_exchange() sets
 * lost_before when the worker died of that: then the request is to be made again. */
enum worker_result worker_begin_ahead(struct worker *w, struct message_out *out, struct worker_report *report);

/* Sends *q and waits for an answer of the kind `wanted`, for at most run_seconds.  On WORKER_OK the caller
 * frees *r with worker_response_free(). */
enum worker_result worker_exchange(struct worker *w, Assay__Request *q, int wanted, Assay__Response **r,
				   struct worker_report *report);
/* The same in parts, where several requests are sent before the first answer is awaited.  worker_send() fails with *e
 * set where *q cannot be packed.  worker_lost_before(): 1 when the worker died of what was left unanswered before; of
 * what was sent since then nothing was done. */
enum frame_result worker_send(struct worker *w, Assay__Request *q, struct err *e);
int worker_lost_before(struct worker *w, struct worker_report *report);
enum worker_result worker_answer(struct worker *w, const Assay__Request *q, enum frame_result sent, int wanted,
				 Assay__Response **r, struct worker_report *report);
/* Reads the answer to a request that no longer matters. */
void worker_skip(struct worker *w, uint64_t id);
void worker_response_free(Assay__Response *r);

/* The request cannot be made, for the reason e: that is ours and never a refusal of the library's. */
enum worker_result worker_refused(struct worker_report *report, const struct err *e);

/* The answer cannot be read, for the reason e.  Where it makes no sense, that is the worker's; where there is no memory
 * for it here, that is ours, as in worker_refused(). */
enum worker_result worker_unread(struct worker_report *report, const struct err *e);
/* The same of an answer that worker_exchange() took: the worker is started again when it makes no sense. */
enum worker_result worker_misspoke(struct worker *w, struct worker_report *report, const struct err *e);

/* ---- worker.c, parked.c ------------------------------------------------------------------------------------------ */

/* Fills w->spec; no text in it is NULL. */
int worker_keep_spec(struct worker *w, const struct worker_spec *s); /* kept_spec.c */
/* Ends what is left of it; NULL is fine. */
void worker_free(struct worker *w);
/* Keeps one whose process is ended, and that forks, for worker_unpark(); 0: nobody wants that. */
int worker_park(struct worker *w);
/* One that was parked and starts the same process as this one does, but for options where HELLO can change them; or
 * NULL. */
struct worker *worker_unpark(const struct worker *like);
int worker_is_same(const struct worker *a, const struct worker *b); /* options, too */

/* ---- sessions.c -------------------------------------------------------------------------------------------------- */

/* A session that the worker calls `theirs`: what callers call it. */
int worker_session_add(struct worker *w, uint64_t theirs, uint64_t *ours, struct err *e);
void worker_session_forget(struct worker *w, uint64_t ours);
enum worker_result worker_session_find(const struct worker *w, uint64_t ours, uint64_t *theirs,
				       struct worker_report *report);

#endif
