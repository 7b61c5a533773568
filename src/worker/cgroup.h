/* cgroup.h - a control group (version 2) of one worker and all that it starts.
 *
 * What is in a group cannot leave it by forking, changing its session or ending its parents: the kernel kills all of it
 * at once.  The supervisor makes the group, stands outside of it, and removes it; should it be killed itself, assay
 * does, and when that was killed too, the next supervisor that starts beside it.  Which groups are nobody's is told by
 * a lock (flock), as with folders (parent/folder.h).
 *
 * Controllers are used where somebody has delegated them, and never turned on.  All of it is done where it can be and
 * left where not: nothing here fails.  The supervisor is a program without the library, so only libc is used. */
#ifndef WORKER_CGROUP_H
#define WORKER_CGROUP_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

struct cgroup {
	char path[PATH_MAX];
	int number; /* that tells groups of one supervisor apart; 0: there is none */
	int folder; /* the descriptor that holds the lock; -1: somebody else does */
};

/* A group that a supervisor made, by its place; the lock stays with the supervisor. */
void cgroup_name(struct cgroup *g, const char *place, pid_t supervisor, int number);

/* Makes one below `place` for this supervisor, when that is possible. */
void cgroup_make(struct cgroup *g, const char *place);

/* Limits what is in the group to so much memory beyond what it has now, and in its processes; where the controllers are
 * not there, nothing happens.  Bits of guards.h: those that are. */
unsigned cgroup_limit(const struct cgroup *g, size_t memory);

/* fork(), with the child inside of the group where that works: cgroup_is_used() tells. */
pid_t cgroup_fork(const struct cgroup *g);
int cgroup_is_used(const struct cgroup *g);

/* How often the kernel has killed what is in it for want of memory. */
unsigned long cgroup_ooms(const struct cgroup *g);

/* Kills all that is in it but the spared ones, and those in the session of a spared one that leads it. */
void cgroup_kill(const struct cgroup *g, const pid_t *spared, size_t n);

/* Kills all that is in it, and removes it. */
void cgroup_end(struct cgroup *g);

/* Ends the groups below `place` whose supervisors are dead: those of this user alone. */
void cgroup_sweep(const char *place);

#endif
