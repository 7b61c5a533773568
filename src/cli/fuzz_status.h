/* fuzz_status.h - how far a fuzzing campaign is, on standard error. */
#ifndef CLI_FUZZ_STATUS_H
#define CLI_FUZZ_STATUS_H

#include "methods/fuzz/campaign.h"

/* A campaign's progress function; arg: a struct terminal_screen. */
void fuzz_status_show(const struct fuzz_stats *f, void *arg);

#endif
