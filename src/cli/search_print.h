/* search_print.h - what assay search found, for people and programs. */
#ifndef CLI_SEARCH_PRINT_H
#define CLI_SEARCH_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "methods/search/search.h"
#include "triage/triage.h"

struct search_model_report {
	const char *model;
	size_t nodes;
	const struct search_result *result;
	json_t *nan_sources; /* operator → cases in which it first left the numbers */
};

void search_print_model(FILE *out, const struct search_model_report *r);
json_t *search_model_json(const struct search_model_report *r);

/* One finding while its case is at hand: {"model", "level", "backend", "version", "verdict", "class", "noise_ratio",
 * "edits", "evidence", "reason", "id", "signature", "map_layers" (that CRADLE's map leaves of the same case),
 * "smallest" (set of edits), "blame": […]}. */
json_t *search_finding_json(const char *model, const struct search_failure *f, const struct kept *kept,
			    enum search_class class, const struct blame *blame, size_t map_layers,
			    const char *smallest);
/* The same in words, from the JSON. */
void search_print_finding(FILE *out, const json_t *finding);

#endif
