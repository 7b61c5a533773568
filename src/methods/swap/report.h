/* report.h - what swapping the operators of one network came to, as a whole. */
#ifndef METHODS_SWAP_REPORT_H
#define METHODS_SWAP_REPORT_H

#include <jansson.h>

#include "methods/swap/train.h"
#include "triage/triage.h"

struct swap_report {
	const char *model;
	const struct party *base, *test;
	const struct swap_result *result;
	const struct kept *kept; /* by operator of the result; id 0: not recorded */
	size_t show;             /* operators and steps in the text; 0: all */
	/* (optional) what training came to. */
	const struct train_result *training;
	const struct train_options *train;
	const struct kept *train_kept;  /* by operator of training->blame */
	const struct kept *update_kept; /* by operator of training->update.blame */
};

json_t *swap_json(const struct swap_report *r);

/* A network that the reference cannot run; kept: of base and test. */
struct swap_untold_report {
	const char *model;
	const struct party *parties[2];
	const struct swap_untold *result;
	const struct kept *kept;
};

json_t *swap_untold_json(const struct swap_untold_report *r);

const char *swap_culprit(const struct swap_report *r, const struct swap_op *op); /* the library's name */
/* The verdict on gradients, and where they stay right the one on ways, which is no finding. */
const char *train_verdict_word(const struct train_result *t);

#endif
