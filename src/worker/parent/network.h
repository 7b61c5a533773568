/* network.h - no network for this process and all it starts. */
#ifndef WORKER_PARENT_NETWORK_H
#define WORKER_PARENT_NETWORK_H

/* Sockets other than AF_UNIX ones cannot be made any more.  -1 with errno on failure.  Safe between fork and exec. */
int network_cut(void);

#endif
