/* supervision.h - the parent's side of a supervisor: see worker/supervisor/supervisor.h.
 *
 * A worker and those that it forks have one supervisor.  When the last of them is ended, or this process ends however
 * that may be, the supervisor kills all that any of them has started, and ends. */
#ifndef WORKER_PARENT_SUPERVISION_H
#define WORKER_PARENT_SUPERVISION_H

#include <sys/types.h>

#include "base/err.h"
#include "worker/parent/usage.h"
#include "worker/supervisor/supervisor.h"

struct supervision;

/* What is to be started: a supervisor's arguments and environment; the worker's descriptors, none of them below
 * SUPERVISOR_SOCKET + 1. */
struct supervision_order {
	const char *program; /* the worker's, for messages */
	const char *place;   /* of control groups, as in the arguments */
	char *const *args, *const *env;
	int fds[SUPERVISOR_PASSED];
};

/* Starts a worker under a supervisor of its own. */
int supervision_start(const struct supervision_order *o, struct supervision **out, pid_t *worker, struct err *e);
/* One more that it forked: the reference is the new process's.  NULL when it is no such process. */
struct supervision *supervision_join(struct supervision *s, pid_t forked);

/* 1 when a worker ended by itself, with its wait status; waits for that for so many milliseconds. */
int supervision_ended(struct supervision *s, pid_t worker, int milliseconds, int *status);

/* What holds its workers: bits of worker/guards.h. */
unsigned supervision_guards(const struct supervision *s);
/* 1 when the kernel has killed workers for want of memory since this was asked last. */
int supervision_ran_out(struct supervision *s);

/* The processes below the supervisor that are this worker's: all but the other workers. */
struct usage_tree supervision_tree(struct supervision *s, pid_t worker);

/* Kills a worker and all that it started; the last one takes the supervisor with it. */
void supervision_end(struct supervision *s, pid_t worker);

#endif
