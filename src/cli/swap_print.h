/* swap_print.h - what assay swap found, for people and as JSON. */
#ifndef CLI_SWAP_PRINT_H
#define CLI_SWAP_PRINT_H

#include <jansson.h>
#include <stdio.h>

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
	const struct kept *train_kept; /* by operator of training->blame */
};

void swap_print_text(FILE *out, const struct swap_report *r);
json_t *swap_print_json(const struct swap_report *r);

/* A network that the reference cannot run; kept: of base and test. */
struct swap_untold_report {
	const char *model;
	const struct party *parties[2];
	const struct swap_untold *result;
	const struct kept *kept;
};

void swap_print_untold(FILE *out, const struct swap_untold_report *r);
json_t *swap_print_untold_json(const struct swap_untold_report *r);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

const char *swap_print_culprit(const struct swap_report *r, const struct swap_op *op); /* the library's name */
void swap_print_kept(FILE *out, const struct kept *k);
/* train_print.c */
void train_print_text(FILE *out, const struct swap_report *r);
json_t *train_print_json(const struct swap_report *r);

#endif
