/* quota.h - how much processor time a container gives the process: cpu.max of its control groups (version 2). */
#ifndef BASE_QUOTA_H
#define BASE_QUOTA_H

#include <stddef.h>

#define QUOTA_GROUPS "/proc/self/cgroup" /* says which group the process is in */
#define QUOTA_ROOT "/sys/fs/cgroup"      /* where groups are */

/* Processors that the least quota of the group and of those above it is worth, at least 1; 0: there is none. */
size_t quota_processors(const char *groups, const char *root);

#endif
