/* task.h - one task of a campaign: a method on a backend with a seed, on one part of its work, for a slice of time.
 *
 *     FOLDER/tasks/N/task.json     its command line, written by the leader
 *     FOLDER/tasks/N/lock          held while it runs, by all its processes
 *     FOLDER/tasks/N/findings.db   its own store
 *     FOLDER/tasks/N/log           what it printed
 *     FOLDER/tasks/N/result.json   how it ended, written last
 *
 * `assay campaign --task N FOLDER` runs it, on this machine or on a node of a cluster that shares the folder.  A task
 * without a result was cut off; run again, it goes on where its method can. */
#ifndef METHODS_CAMPAIGN_TASK_H
#define METHODS_CAMPAIGN_TASK_H

#include <signal.h>

#include "methods/campaign/ledger.h"

#define TASK_DIGEST 65

/* What is known of installed libraries, by those who know them.  `digest` writes "" for one that needs none. */
struct task_hooks {
	int (*digest)(const char *backend, char out[TASK_DIGEST], struct err *e);
	int (*verify)(const char *backend, struct err *e); /* every file of it is as it was installed */
};

/* "FOLDER/tasks/17/NAME" */
int task_path(const char *folder, size_t n, const char *name, char out[PLACE_PATH], struct err *e);

/* Leader: writes the folder of task n, and notes digests in the ledger when a backend comes up for the first time. */
int task_write(struct ledger *l, const struct campaign_order *o, size_t n, const struct task_hooks *h, struct err *e);

/* Runs it to its end and writes its result; none when *stop was set on the way. */
int task_run(const char *folder, size_t n, const struct task_hooks *h, const volatile sig_atomic_t *stop,
	     struct err *e);

struct task_result {
	int status;          /* exit status, or 128 + signal */
	double seconds, cpu; /* by the clock, and of processors */
	char host[64], why[256];
};

enum task_found { TASK_FAILED = -1, TASK_NONE, TASK_ENDED };
enum task_found task_read_result(const char *folder, size_t n, struct task_result *out, struct err *e);

/* Whether some process still runs it, on this machine. */
int task_is_held(const char *folder, size_t n);

#endif
