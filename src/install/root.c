/* root.c - the folder that libraries are installed to (declared in install.h). */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "install/install.h"
#include "worker/parent/spec.h"

int install_root(const char *wanted, char *out, struct err *e)
{
	struct spec_roots roots;
	struct err last = ERR_INIT;

	if (wanted) {
		int rc = place_make_folders(wanted, e);

		return rc ? rc : place_path(out, e, "%s", wanted);
	}
	spec_roots(&roots);
	for (size_t i = 0; i < roots.n; i++) {
		/* Roots of the source tree are only made where that tree still is. */
		if (!place_is_folder(roots.at[i]) && place_make_folders(roots.at[i], &last))
			continue;
		if (!access(roots.at[i], W_OK))
			return place_path(out, e, "%s", roots.at[i]);
		err_set(&last, ERR_IO, "cannot write to '%s': %s", roots.at[i], strerror(errno));
	}
	return err_set(e, ERR_IO, "no folder to install to; set ASSAY_BACKENDS (%s)", last.msg);
}
