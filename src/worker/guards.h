/* guards.h - what holds a worker, besides its parent's eyes: docs/security-workers.md tells what each is for.  Which of
 * them are there is the machine's business; the supervisor tells. */
#ifndef WORKER_GUARDS_H
#define WORKER_GUARDS_H

#define GUARD_MAP(X)                     \
	X(GUARD_CALLS, "seccomp")        \
	X(GUARD_FILES, "landlock")       \
	X(GUARD_ORPHANS, "subreaper")    \
	X(GUARD_GROUP, "cgroup")         \
	X(GUARD_MEMORY, "cgroup memory") \
	X(GUARD_TASKS, "cgroup pids")

enum guard {
#define X(id, word) id,
	GUARD_MAP(X)
#undef X
		GUARD_COUNT
};

#define GUARD_BIT(guard) (1U << (guard))

#endif
