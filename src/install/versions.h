/* versions.h - the versions of a library that can be had: installed, or in its lock file. */
#ifndef INSTALL_VERSIONS_H
#define INSTALL_VERSIONS_H

#include "install/install.h"

struct versions {
	char **at; /* oldest first, each once */
	size_t n, size;
	struct lock_list locks;
	const struct lock *lock; /* of the backend; NULL: there is none */
};

/* Those that a text names, separated by commas; NULL: all that are installed and, unless `installed`, all of the lock
 * file. */
int versions_list(const char *backend, const char *given, int installed, struct versions *out, struct err *e);
void versions_release(struct versions *v); /* zeroed is fine */

/* Makes one available: installs it when it is not there.  arg: the struct versions. */
int versions_provide(const char *backend, const char *version, void *arg, struct err *e);

#endif
