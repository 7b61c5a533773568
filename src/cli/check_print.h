/* check_print.h - what assay check found, for people and as JSON. */
#ifndef CLI_CHECK_PRINT_H
#define CLI_CHECK_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "methods/check/check.h"
#include "triage/triage.h"

/* One backend's localization: its ranking, its map (n 0: none), and the finding that was recorded (id 0: none). */
struct check_blame {
	size_t backend;
	struct blame blame;
	struct blame_map map;
	struct kept kept;
};

/* The map of two backends that are inconsistent while neither is found wrong. */
struct check_pair_map {
	const struct check_pair *pair;
	struct blame_map map;
};

struct check_report {
	const char *model;
	const struct oracle_row *oracle; /* that decided on the pairs; NULL: CRADLE's */
	const struct graph *graph;
	const struct check_result *result;
	struct check_blame *blames;
	size_t n_blames;
	struct check_pair_map *maps;
	size_t n_maps;
	size_t runs, items;
	double localize_seconds;
};

void check_print_text(FILE *out, const struct check_report *r, int with_map);
json_t *check_print_json(const struct check_report *r);

#endif
