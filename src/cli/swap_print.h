/* swap_print.h - what assay swap found, for people and as JSON. */
#ifndef CLI_SWAP_PRINT_H
#define CLI_SWAP_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "methods/swap/swap.h"
#include "triage/triage.h"

struct swap_report {
	const char *model;
	const struct party *base, *test;
	const struct swap_result *result;
	const struct kept *kept; /* by operator of the result; id 0: not recorded */
	size_t show;             /* operators in the text; 0: all */
};

void swap_print_text(FILE *out, const struct swap_report *r);
json_t *swap_print_json(const struct swap_report *r);

#endif
