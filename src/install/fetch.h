/* fetch.h - packages from the registries, kept in a cache.
 *
 * Nothing here speaks to a network: pip and mvn do, as they are configured on this machine.  A package appears in the
 * cache under its name only when it is complete and has the digest of the lock file, so what was fetched once needs no
 * network again, and a run that was interrupted goes on with the packages that are missing. */
#ifndef INSTALL_FETCH_H
#define INSTALL_FETCH_H

#include "base/place.h"
#include "install/hash.h"
#include "install/lock.h"

enum install_unit { INSTALL_BYTES, INSTALL_MEMBERS, INSTALL_SECONDS };

/* Is told how far something is, several times a second; total 0: not known. */
struct install_watch {
	void (*step)(void *arg, const char *what, enum install_unit unit, uint64_t done, uint64_t total); /* or NULL */
	void *arg;
};

struct fetched {
	char path[PLACE_PATH];
	char name[256]; /* of the file */
	char sha256[HASH_TEXT];
	uint64_t bytes;
};

/* Gets one package of a lock file; `offline`: from the cache alone. */
int fetch_package(const struct lock *l, const struct lock_package *p, int offline, const struct install_watch *watch,
		  struct fetched *out, struct err *e);

/* The Python that runs pip and the libraries that need one: $ASSAY_PYTHON, or python3. */
const char *fetch_python(void);

/* Its version as a wheel's tag tells it: 311 for 3.11. */
int fetch_python_version(int *out, struct err *e);

/* True when a wheel can be used by Python `version` (311 for 3.11). */
int fetch_wheel_fits(const struct wheel_name *w, int version);

#endif
