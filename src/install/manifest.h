/* manifest.h - manifest.json in the folder of an installed library: what it is and what it came from. */
#ifndef INSTALL_MANIFEST_H
#define INSTALL_MANIFEST_H

#include "install/fetch.h"
#include "install/unpack.h"

#define MANIFEST_NAME "manifest.json"

struct manifest_package {
	const struct lock_package *package;
	struct fetched file;
};

struct manifest_packages {
	struct manifest_package *at;
	size_t n, size;
};

/* recipe: of recipe_digest() */
int manifest_write(const char *folder, const char *name, const char *version, const char *recipe,
		   const struct manifest_packages *packages, const struct unpacked *files, struct err *e);

enum manifest_state {
	MANIFEST_NONE,  /* no folder, or no manifest in it */
	MANIFEST_OTHER, /* other packages, or made in another way, than the lock file's */
	MANIFEST_SAME
};

/* Compares an installed library with what would be installed. */
enum manifest_state manifest_compare(const char *folder, const char *recipe, const struct lock_package *const *packages,
				     size_t n);

/* Compares each file with its size and digest; ERR_INPUT names the first that differs.  A folder without a manifest was
 * filled by hand: ERR_UNSUPPORTED. */
int manifest_check(const char *folder, struct err *e);

#endif
