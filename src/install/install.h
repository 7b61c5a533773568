/* install.h - puts a library of a lock file into its folder: fetch, verify, unpack, compile, rename into place. */
#ifndef INSTALL_INSTALL_H
#define INSTALL_INSTALL_H

#include "base/buf.h"
#include "install/fetch.h"
#include "install/lock.h"

struct install_options {
	const char *root; /* NULL: the first that can be written to */
	int unlocked;     /* a version that the lock file does not have may be fetched too */
	int force;        /* replace what is there */
	int offline;
	struct install_watch watch;
};

struct install_result {
	const char *version; /* borrowed from the lock or the caller */
	char folder[PLACE_PATH];
	int was_there;  /* nothing had to be done */
	int foreign;    /* … and who filled the folder is not known: it has no manifest */
	uint64_t bytes; /* of the unpacked files */
	size_t files;
	struct buf rows; /* lock file lines for packages that are not locked */
};

void install_result_release(struct install_result *r);

/* version NULL: the lock file's default.  The folder appears only when it is complete; on failure nothing changed. */
int install_library(const struct lock *l, const char *version, const struct install_options *o,
		    struct install_result *out, struct err *e);

/* ERR_IO names a shared library of the system that a version needs and that is not there, and its package. */
int install_check_needs(const struct lock_version *v, struct err *e);

/* The first root of backends that can be written to, or `wanted` when it is not NULL; made when it is not there. */
int install_root(const char *wanted, char *out, struct err *e);

/* Removes <root>/<name>/<version>, which must be an installed library's folder. */
int install_remove(const char *folder, struct err *e);

struct lock_list {
	struct lock *at;
	size_t n, size;
};

/* All lock files of the data folder, by name. */
int install_read_locks(struct lock_list *out, struct err *e);
void install_locks_release(struct lock_list *l);

/* NULL: none of that name. */
const struct lock *install_find_lock(const struct lock_list *l, const char *name);

#endif
