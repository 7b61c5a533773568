/* crew.h - threads that do numbered jobs.
 *
 * Jobs are begun in the order of their numbers.  What a job gives must not depend on the thread that does it; then
 * nothing depends on how many threads there are.  After a failure no other job is begun, and of several failures the
 * one with the lowest number counts: all jobs before it had been begun, so it is the same one for any number of
 * threads.
 *
 * A worker process is killed when the thread that started it ends: threads live as long as their crew. */
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include "base/err.h"

struct crew;

/* open, close and run are called by the threads, side by side; begin by one at a time and in the order of jobs, end by
 * one at a time. */
struct crew_work {
	void *arg;                                            /* of all functions */
	int (*open)(void *arg, size_t thread, struct err *e); /* (optional) what a thread needs for its jobs */
	void (*close)(void *arg, size_t thread);              /* (optional) also when open() has failed */
	int (*begin)(void *arg, size_t job);                  /* (optional) 0: leave this job out */
	int (*run)(void *arg, size_t thread, size_t job, struct err *e); /* a job */
	int (*end)(void *arg, size_t job, struct err *e);                /* (optional) when a job has gone well */
};

/* Starts `threads` threads and waits until all are open.  0: jobs are done by the caller of crew_run().
 * *work is copied. */
int crew_open(const struct crew_work *work, size_t threads, struct crew **out, struct err *e);
/* Waits for the jobs that are being done and drops the others; NULL is fine. */
void crew_close(struct crew *c);

/* Does jobs 0 … n - 1. */
int crew_run(struct crew *c, size_t n, struct err *e);

/* ---- one by one: the caller gives jobs 0, 1, … to threads and takes them back in this order ---------------------- */

void crew_give(struct crew *c);               /* the next job may be begun */
int crew_take(struct crew *c, struct err *e); /* waits for the next job to take; its status */
/* Waits for the jobs that are being done and lets no other begin until the release. */
void crew_hold(struct crew *c);
void crew_release(struct crew *c);

#endif
