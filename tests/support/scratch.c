/* scratch.c - see scratch.h. */
#include "support/scratch.h"

#include <stdlib.h>

#include "base/place.h"

char scratch_folder[] = "/tmp/assay_test.XXXXXX";

int scratch_make(void **state)
{
	(void)state;
	return mkdtemp(scratch_folder) ? 0 : -1;
}

int scratch_remove(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	return place_remove_tree(scratch_folder, &e);
}
