/* folder.h - the temporary folder that a worker works in, removed with the worker, and if need be after its parent.
 *
 * Who made a folder holds a lock on it (flock), which the system takes away when that process ends, however it ends.  A
 * folder that can be locked belongs to nobody any more: whoever starts a worker next removes it. */
#ifndef WORKER_PARENT_FOLDER_H
#define WORKER_PARENT_FOLDER_H

#include "base/err.h"

struct folder {
	char *path; /* NULL: none */
	int lock;   /* the descriptor that holds the lock */
};

#define FOLDER_INIT      \
	{                \
		NULL, -1 \
	}

/* A new folder below `base`; NULL: below $TMPDIR, or /tmp. */
int folder_make(struct folder *f, const char *base, struct err *e);

/* Removes it with all that is in it; fine for one that was never made. */
void folder_remove(struct folder *f);

/* Removes the folders there whose makers are gone: those of this user alone. */
void folder_sweep(void);

#endif
