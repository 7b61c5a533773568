/* usage.h - what a worker and all that it started take: memory, shared memory, disk; and the processors that
 * it was not given.
 *
 * Looked up in /proc, so that it needs no privileges; docs/security-workers.md tells what it does not see. */
#ifndef WORKER_PARENT_USAGE_H
#define WORKER_PARENT_USAGE_H

#include <stddef.h>
#include <sys/types.h>

#include "worker/parent/folder.h"

/* The processes below `root`, which is not counted itself, without those that are spared and what is below them. */
struct usage_tree {
	pid_t root;
	const pid_t *spared;
	size_t n_spared;
};

/* Bytes of memory, when they are more than `limit`; otherwise no more than an upper bound, which is cheap.  Pages that
 * several processes share count once, and files without a name in memory count whether they are mapped or not.  More
 * processes than anyone needs are SIZE_MAX. */
size_t usage_memory(const struct usage_tree *t, size_t limit);

/* Seconds since its start in which the first thread of a process wanted a processor and got none; 0: not known. */
double usage_held_up(pid_t pid);

/* Bytes on disk below a folder, and in files that were removed and are still open. */
size_t usage_disk(const struct usage_tree *t, const struct folder *f);

#endif
