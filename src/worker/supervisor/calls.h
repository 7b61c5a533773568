/* calls.h - system calls that this process and all it starts can no longer make. */
#ifndef WORKER_SUPERVISOR_CALLS_H
#define WORKER_SUPERVISOR_CALLS_H

#include <sys/types.h>

/* No sockets but AF_UNIX ones; no signals to the supervisor, nor to everybody at once.  -1 with errno on failure. */
int calls_restrict(pid_t supervisor);

#endif
