/* fuzz_status.h - how far a fuzzing campaign is, on standard error. */
#ifndef CLI_FUZZ_STATUS_H
#define CLI_FUZZ_STATUS_H

#include "cli/terminal.h"
#include "methods/fuzz/campaign.h"
#include "worker/parent/spec.h"

struct fuzz_screen {
	struct terminal_screen screen;
	const struct spec_list *specs;
};

/* A campaign's progress function; arg: a struct fuzz_screen. */
void fuzz_status_show(const struct fuzz_stats *f, void *arg);

#endif
