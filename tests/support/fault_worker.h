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
/* Those that fork faster than they are found, for so long. */
#define FAULT_BREED_SECONDS 4
int fault_start_brood(struct err *e);
/* Leaves the worker's control group; fails when it can. */
int fault_leave_group(struct err *e);
/* Signals to what stands over the worker, and to everybody; fails when they can be sent. */
int fault_signal_others(struct err *e);

/* Takes more than FAULT_LIMIT bytes in ways that the size of the worker's process does not show (fault_limits.c), and
 * waits for ever; fault_shared_once() shares less than that among several, and comes back. */
#define FAULT_LIMIT ((size_t)256 << 20)
int fault_memory_of_children(struct err *e);
int fault_memory_without_name(struct err *e);
int fault_memory_of_many(struct err *e);
int fault_shared_once(struct err *e);
int fault_fill_folder(struct err *e);
int fault_fill_removed(struct err *e);

/* Writes to where it may and to where it may not; fails when either is otherwise (fault_access.c).  A folder that it
 * may write to besides is in ASSAY_TEST_WRITABLE, one with a file `victim` that it may not in ASSAY_TEST_ABOVE. */
int fault_write_around(struct err *e);
/* Fails when it sees a variable that holds a secret, or misses one that it needs. */
int fault_look_at_environment(struct err *e);

/* The worker that lies: answers requests until the socket is closed; an exit status. */
int fault_serve_lies(void);

#endif
