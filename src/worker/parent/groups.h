/* groups.h - where control groups of workers can be made: worker/cgroup.h. */
#ifndef WORKER_PARENT_GROUPS_H
#define WORKER_PARENT_GROUPS_H

#include <stddef.h>

/* The folder of the group (version 2) that this process is in; "" when there is none.  $ASSAY_WORKER_CGROUP names
 * another one, or `none`.  Whether groups can be made there is not looked at. */
void groups_find(char *out, size_t size);

/* The same of files with the form of /proc/self/mountinfo and /proc/self/cgroup. */
void groups_find_in(const char *mounts, const char *own, char *out, size_t size);

#endif
