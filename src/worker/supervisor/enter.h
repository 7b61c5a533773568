/* enter.h - how a new process becomes a worker. */
#ifndef WORKER_SUPERVISOR_ENTER_H
#define WORKER_SUPERVISOR_ENTER_H

#include <sys/types.h>

#include "worker/supervisor/supervisor.h"

/* Takes leave of everything that a worker has no business with and runs the program; returns only when that fails, with
 * errno set. */
enum supervisor_step enter_worker(pid_t supervisor, const char *folder, char *const *program);

#endif
