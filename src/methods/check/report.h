/* report.h - what a check of one model came to, as a whole. */
#ifndef METHODS_CHECK_REPORT_H
#define METHODS_CHECK_REPORT_H

#include <jansson.h>

#include "methods/check/check.h"

struct check_report {
	const char *model;
	const struct oracle_row *oracle; /* that decided on the pairs; NULL: CRADLE's */
	const struct graph *graph;
	const struct check_result *result;
	const struct check_located *located;
	size_t runs, items;
};

json_t *check_json(const struct check_report *r);

/* What was held against known outputs: a backend, or behind them the reference. */
const char *check_held_name(const struct check_report *r, size_t i);
const char *check_name_of(const struct check_report *r, size_t backend);
/* The second side of a difference. */
const char *check_other_of(const struct check_report *r, const struct check_difference *d);

#endif
