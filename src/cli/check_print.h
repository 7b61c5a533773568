/* check_print.h - what assay check found, for people and as JSON. */
#ifndef CLI_CHECK_PRINT_H
#define CLI_CHECK_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "methods/check/check.h"

struct check_report {
	const char *model;
	const struct oracle_row *oracle; /* that decided on the pairs; NULL: CRADLE's */
	const struct graph *graph;
	const struct check_result *result;
	const struct check_located *located;
	size_t runs, items;
};

void check_print_text(FILE *out, const struct check_report *r, int with_map);
json_t *check_print_json(const struct check_report *r);

#endif
