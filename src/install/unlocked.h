/* unlocked.h - a block for a version that a lock file does not have, made after the nearest one it has. */
#ifndef INSTALL_UNLOCKED_H
#define INSTALL_UNLOCKED_H

#include "install/lock.h"

struct unlocked {
	struct arena arena;
	struct lock_version version; /* its packages of that version have no digest */
};

#define UNLOCKED_INIT       \
	{                   \
		ARENA_INIT, \
		{           \
			0   \
		}           \
	}

/* The block after which `version` is made: the oldest that is newer, else the newest.  Packages that carry the block's
 * version carry the wanted one instead; the others stay as they are locked. */
int unlocked_make(const struct lock *l, const char *version, struct unlocked *out, struct err *e);
void unlocked_release(struct unlocked *u);

#endif
