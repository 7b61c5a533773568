/* fuzz_status.h - how far a fuzzing campaign is, on standard error. */
#ifndef CLI_FUZZ_STATUS_H
#define CLI_FUZZ_STATUS_H

#include "methods/fuzz/campaign.h"

struct fuzz_status_screen {
	int terminal, lines; /* lines drawn */
	double last;
};

void fuzz_status_start(struct fuzz_status_screen *s);
/* A campaign's progress function; arg: the screen. */
void fuzz_status_show(const struct fuzz_stats *f, void *arg);
void fuzz_status_end(struct fuzz_status_screen *s); /* the screen is gone */

#endif
