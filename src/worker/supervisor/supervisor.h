/* supervisor.h - between assay and the process that stands over a worker and all that the worker starts.
 *
 * worker-supervisor PARENT PLACE MEMORY N FOLDER… PROGRAM ARGS… (N folders) is started by assay with the worker's
 * descriptors, its environment, and a socket on which both sides send struct supervisor_message.  It starts the worker,
 * in a control group below PLACE where that is possible ("": it is not), adopts whatever the worker's children leave
 * behind, and ends when the socket is closed or assay is gone, having killed all of it.
 *
 * It is a program of its own, not a fork of assay: a fork would hold on to all of assay's memory. */
#ifndef WORKER_SUPERVISOR_SUPERVISOR_H
#define WORKER_SUPERVISOR_SUPERVISOR_H

#include <stdint.h>

/* 0 to 2, the worker's socket, its shared memory, the control socket; then ours. */
#define SUPERVISOR_PASSED 6
#define SUPERVISOR_SOCKET SUPERVISOR_PASSED

/* What a worker goes through before its program runs, in words of the sentence "cannot start 'x': …". */
#define SUPERVISOR_STEP_MAP(X)                          \
	X(STEP_OK, "")                                  \
	X(STEP_SUPERVISOR, "cannot run its supervisor") \
	X(STEP_FORK, "cannot make a process")           \
	X(STEP_FOLDER, "cannot enter its folder")       \
	X(STEP_FILES, "cannot keep it from files")      \
	X(STEP_CALLS, "cannot cut it from the network") \
	X(STEP_EXEC, "cannot run it")

enum supervisor_step {
#define X(id, text) id,
	SUPERVISOR_STEP_MAP(X)
#undef X
		STEP_COUNT
};

enum supervisor_kind {
	SUPERVISOR_STARTED, /* from it, once: the worker's pid; or step (in status) and error when there is none */
	SUPERVISOR_DIED,    /* from it: the worker `pid` ended by itself with that wait status */
	SUPERVISOR_WATCH,   /* to it: `pid` was forked by the worker.  Back: the same, pid 0 when that is not so */
	SUPERVISOR_END      /* to it: kill `pid` and all strays.  Back, when all are gone */
};

struct supervisor_message {
	int32_t kind, pid, status, error;
	int32_t group, guards; /* of STARTED: the control group's number, 0 for none (cgroup.h); bits (guards.h) */
};

#endif
