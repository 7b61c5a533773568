/* equiv_status.h - how far the pairs of equiv are, on standard error. */
#ifndef CLI_EQUIV_STATUS_H
#define CLI_EQUIV_STATUS_H

#include "cli/status.h"
#include "methods/equiv/equiv.h"

struct equiv_status {
	struct status_screen status;
	const struct equiv *equiv;
	double start;
};

/* Sets the progress function of the options. */
void equiv_status_start(struct equiv_status *s, const struct equiv *q, struct equiv_options *o);
void equiv_status_end(struct equiv_status *s);

#endif
