/* steps.h - what is done after the packages of a library are unpacked. */
#ifndef INSTALL_STEPS_H
#define INSTALL_STEPS_H

#include "install/fetch.h"
#include "install/unpack.h"

/* Runs one step of a lock file in the folder that is being filled; files it makes are added to *files. */
int step_run(const struct lock_step *s, const char *folder, struct unpacked *files, const struct install_watch *watch,
	     struct err *e);

#endif
