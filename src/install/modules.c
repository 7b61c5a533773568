/* modules.c - see modules.h. */
#include "install/modules.h"

#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/place.h"
#include "install/fetch.h"

#define SECONDS 900

int modules_compile(const char *folder, struct err *e)
{
	/* by the hash of the source, and not by its time: folders are copied */
	const char *const argv[] = {fetch_python(),        "-m",           "compileall", "-q",
				    "--invalidation-mode", "checked-hash", folder,       NULL};
	char cache[PLACE_PATH], log[PLACE_PATH];
	struct child c = {.argv = argv, .folder = "/", .seconds = clock_patience(SECONDS)};
	int status, rc = place_cache(cache, e);

	if (!rc)
		rc = place_path(log, e, "%s/compile-modules.%ld", cache, (long)getpid());
	if (rc)
		return rc;
	c.log = log;
	rc = child_run(&c, &status, e);
	unlink(log);
	return rc ? err_prefix(e, "cannot compile the modules of '%s'", folder) : 0;
}
