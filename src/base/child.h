/* child.h - other programs of this machine: pip, mvn, a compiler, Python. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct child {
	const char *const *argv;           /* NULL-terminated; argv[0] is looked for in PATH */
	const char *folder;                /* to run in */
	const char *const *environment;    /* NAME=VALUE words over our own, NULL-terminated; may be NULL */
	const char *log;                   /* file for its standard output and standard error */
	double seconds;                    /* after so many it is killed; 0: never */
	const volatile sig_atomic_t *stop; /* (optional) set by a signal: the child gets SIGTERM, and is waited for */
	void (*tick)(void *arg);           /* called several times a second while it runs; may be NULL */
	void *arg;
};

/* Runs it to its end, without a shell; *status is its exit status, or 128 + signal.  ERR_UNSUPPORTED: no such
 * program. */
int child_run(const struct child *c, int *status, struct err *e);

/* Starts it and does not wait: the caller does, and `seconds`, `stop` and `tick` are the caller's too.  It is a process
 * group of its own, out of reach of the terminal's signals, and gets SIGTERM when the thread that started it ends. */
int child_start(const struct child *c, pid_t *pid, struct err *e);

/* The end of a log file in one line, for a message: at most size - 1 bytes. */
void child_log_tail(const char *log, char *out, size_t size);

/* The last line of a log file that begins with `prefix`, or else the last line that is not blank; what does not fit is
 * cut off its end. */
void child_log_error(const char *log, const char *prefix, char *out, size_t size);

#endif
