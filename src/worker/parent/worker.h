/* worker.h - the parent's side: worker processes, one for each library and version, isolated and timed.
 *
 * worker_load(), worker_run() … send one request and wait for its answer within a time limit.  What a library does to
 * its process becomes one of a closed list of results; the worker is started again by itself when it died.  Not
 * thread-safe: a worker belongs to one thread. */
#ifndef WORKER_PARENT_WORKER_H
#define WORKER_PARENT_WORKER_H

#include "worker/backend.h"

/* name, word for people and JSON */
#define WORKER_RESULT_MAP(X)                                                                       \
	X(WORKER_OK, "ok")                                                                         \
	X(WORKER_UNSUPPORTED, "unsupported") /* the library, or its binding, does not have it */   \
	X(WORKER_REJECTED, "rejected")       /* a model or input was refused with an error */      \
	X(WORKER_CRASH, "crash")             /* died by a signal, or exited without being asked */ \
	X(WORKER_HANG, "hang")               /* no answer within the limit; killed */              \
	X(WORKER_OOM, "oom")                 /* above the memory limit, or the library said so */  \
	X(WORKER_PROTOCOL, "protocol")       /* answered something that is no answer */            \
	X(WORKER_ABSENT, "absent")           /* could not be started: not installed, broken */

enum worker_result {
#define X(id, word) id,
	WORKER_RESULT_MAP(X)
#undef X
};

const char *worker_result_name(enum worker_result r);

struct worker_limits {
	double init_seconds; /* start and HELLO; 0: 60, or ten times run_seconds where that is less, or that where more
			      */
	double run_seconds;  /* every other request; 0: 30 */
	size_t memory;       /* bytes, with all that it started and its shared memory; 0: 8 GiB */
	size_t disk;         /* bytes in its folder; 0: 8 GiB */
};

/* What is to be run: found by name in the backends folders (spec.h), or given. */
struct worker_spec {
	char *name;    /* as the user wrote it: "ort@1.17.0:O0", "exec:CMD" */
	char *program; /* worker program; NULL: the reference, in this process */
	char **args;   /* further arguments, NULL-terminated; may be NULL */
	char **env;    /* "NAME=VALUE" to add to the environment, NULL-terminated; may be NULL */
	char *folder;  /* of the library; "" when none */
	char *backend; /* the name without version and options: "ort", "exec", "reference" */
	char *library, *version;
	struct backend_option *options; /* of the option set, for HELLO and LOAD */
	size_t n_options;
};

/* Why a request did not give WORKER_OK. */
struct worker_report {
	enum worker_result result;
	int signal; /* of a crash; 0: it exited */
	int exit_status;
	char message[2048]; /* what the library or the system said */
	char stderr_tail[4096];
	double seconds; /* the request took */
};

/* "crash (signal 11): what it said", cut where it does not fit; and what the library said alone, or the last line that
 * a dying worker wrote.  Both return out. */
const char *worker_report_text(const struct worker_report *r, char *out, size_t size);
const char *worker_report_words(const struct worker_report *r, char *out, size_t size);

struct worker;

/* Starts a worker and says HELLO.  On failure *report says why and the status is negative. */
int worker_open(const struct worker_spec *spec, const struct worker_limits *limits, struct worker **out,
		struct worker_report *report, struct err *e);
void worker_close(struct worker *w); /* BYE, then kill; NULL is fine */
/* From here on, in this process: of a closed worker that starts again by fork the part stays that forks, and
 * worker_open() of the same spec forks it in place of starting the program.  The end of that ends them all.  For
 * programs: in somebody else's process nothing stays behind. */
void worker_park_open(void);
void worker_park_close(void);
/* From now on requests have so many times the limit that it was opened with, which is returned in seconds. */
double worker_set_patience(struct worker *w, double times);
#define WORKER_PATIENCE 10 /* before something is called a hang: a machine with other work to do is slow */

/* A model with so many bytes of weights comes: where that is much, the limits of memory and, unless it was opened with
 * one, of time grow by what libraries take for it.  The worker may be started again for that, and its sessions are gone
 * then. */
void worker_make_room(struct worker *w, size_t weights);

/* Ends the process, with all its sessions: the next request starts another one. */
void worker_renew(struct worker *w);

const char *worker_library(const struct worker *w);
const char *worker_version(const struct worker *w);
int worker_can(const struct worker *w, const char *capability);
unsigned worker_guards(const struct worker *w); /* what holds it: bits of worker/guards.h */
/* Operators that the worker knows ("Conv", "ai.onnx.ml:Scaler"), NULL-terminated; empty: ask by trying. */
const char *const *worker_operators(const struct worker *w);

/* All return WORKER_OK or another result, with *report filled (report may not be NULL).  After CRASH, HANG, OOM or
 * PROTOCOL the worker has been started again, and so it may be after UNSUPPORTED, where there was no memory here for
 * its answer; its sessions are gone then. */
enum worker_result worker_load_model(struct worker *w, const struct backend_model *m, uint64_t *session,
				     struct worker_report *report);
/* The same of bytes that have all. */
enum worker_result worker_load(struct worker *w, const void *model, size_t n, const char *const *outputs,
			       size_t n_outputs, uint64_t *session, struct worker_report *report);
/* No names wanted: all outputs. */
enum worker_result worker_run(struct worker *w, uint64_t session, const struct backend_run *q, struct named_value **out,
			      size_t *n_out, struct worker_report *report);
/* Loads, runs, and unloads as worker_unload_later() does, for a model that is run once.  A worker that can is asked for
 * all of it at once, and need not wait for us in between. */
struct worker_seconds {
	double load, run; /* 0: it did not come to that */
};
enum worker_result worker_load_run(struct worker *w, const struct backend_model *m, const struct backend_run *q,
				   struct named_value **out, size_t *n_out, struct worker_seconds *took,
				   struct worker_report *report);
/* grads[i] for wanted.at[i]: new references. */
enum worker_result worker_backward(struct worker *w, uint64_t session, const struct backend_gradient *q,
				   struct tensor **grads, struct worker_report *report);
/* *out is filled on WORKER_OK only. */
enum worker_result worker_invoke(struct worker *w, const struct backend_call *c, struct backend_answer *out,
				 struct worker_report *report);
enum worker_result worker_list(struct worker *w, const char *prefix, struct arena *arena,
			       struct backend_operation **out, size_t *n, struct worker_report *report);
/* 0: the worker was started again since it was loaded. */
int worker_has_session(const struct worker *w, uint64_t session);
enum worker_result worker_unload(struct worker *w, uint64_t session, struct worker_report *report);
/* The same, but the next request waits until it is done, and starts the worker again where it died of it: for callers
 * who do not ask what came of it. */
void worker_unload_later(struct worker *w, uint64_t session);

/* Frees what worker_run() gave. */
void worker_values_free(struct named_value *v, size_t n);

#endif
