/* fault_worker.h - what the two parts of fault_worker share. */
#ifndef TESTS_SUPPORT_FAULT_WORKER_H
#define TESTS_SUPPORT_FAULT_WORKER_H

#include <stddef.h>

#include "worker/message.h"

#define SOCKET MESSAGE_DESCRIPTORS
#define MEMORY (MESSAGE_DESCRIPTORS + 1)

/* Writes all of it. */
void fault_put(int fd, const void *p, size_t n);

/* The worker that lies: answers requests until the socket is closed; an exit status. */
int fault_serve_lies(void);

#endif
