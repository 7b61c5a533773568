/* environment.h - what of the environment a worker gets to see.
 *
 * Workers run code that nobody trusts: they get what libraries and interpreters are tuned and found by, and no token or
 * password that happens to be set.  $ASSAY_WORKER_ENV names more to let through, separated by commas. */
#ifndef WORKER_PARENT_ENVIRONMENT_H
#define WORKER_PARENT_ENVIRONMENT_H

#include "base/arena.h"

/* "NAME=VALUE" entries, ended by NULL: `more` (which may be NULL), then what of ours is let through, then defaults;
 * HOME and TMPDIR are the folder.  NULL: no memory. */
char **environment_make(struct arena *a, char *const *more, const char *folder);

/* May a worker see the variable of an entry "NAME=VALUE"? */
int environment_passes(const char *entry);

#endif
