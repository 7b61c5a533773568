/* fault_worker.h - what the two parts of fault_worker share. */
#ifndef TESTS_SUPPORT_FAULT_WORKER_H
#define TESTS_SUPPORT_FAULT_WORKER_H

#include <stddef.h>

#include "worker/message.h"

#define SOCKET MESSAGE_DESCRIPTORS
#define MEMORY (MESSAGE_DESCRIPTORS + 1)

/* Writes all of it. */
void fault_put(int fd, const void *p, size_t n);

struct err;

/* Children of every kind that would outlive a worker (fault_children.c): they hold nothing of it, and end by themselves
 * after a while with status FAULT_OUTLIVED. */
#define FAULT_OUTLIVED 77
int fault_start_children(struct err *e);
/* Signals to what stands over the worker, and to everybody; fails when they can be sent. */
int fault_signal_others(struct err *e);

/* The worker that lies: answers requests until the socket is closed; an exit status. */
int fault_serve_lies(void);

#endif
