/* enter.h - how a new process becomes a worker. */
#ifndef WORKER_SUPERVISOR_ENTER_H
#define WORKER_SUPERVISOR_ENTER_H

#include <sys/types.h>

#include "worker/supervisor/supervisor.h"

struct enter_order {
	char *const *folders; /* that it may write to; it starts in the first */
	size_t n_folders;
	char *const *program; /* and its arguments */
};

/* Takes leave of everything that a worker has no business with and runs the program; returns only when that fails, with
 * errno set. */
enum supervisor_step enter_worker(pid_t supervisor, const struct enter_order *o);

#endif
