/* recipe.h - one digest of how a version is made, so that a changed lock file or shim is seen. */
#ifndef INSTALL_RECIPE_H
#define INSTALL_RECIPE_H

#include "install/hash.h"
#include "install/lock.h"

/* Of the rules of the packages, the steps and the sources that are compiled.  A source that is not there counts as
 * empty: the step itself will say so. */
void recipe_digest(const struct lock_package *const *packages, size_t n, const struct lock_version *v,
		   char out[HASH_TEXT]);

#endif
