/* files.h - what this process and all it starts can still write to. */
#ifndef WORKER_SUPERVISOR_FILES_H
#define WORKER_SUPERVISOR_FILES_H

#include <stddef.h>

/* Does the kernel have Landlock? */
int files_can_restrict(void);

/* Nothing but what lies below the folders, devices, and what /proc has of this process.  Where the kernel has no
 * Landlock all stays as it is.  -1 with errno on failure. */
int files_restrict(char *const *folders, size_t n);

#endif
