/* keep.h - what becomes of the failures of a search: recorded, localized, classed, written to files. */
#ifndef METHODS_SEARCH_KEEP_H
#define METHODS_SEARCH_KEEP_H

#include <jansson.h>

#include "base/map.h"
#include "methods/search/search.h"
#include "triage/triage.h"
#include "worker/parent/quirks.h"

struct search_keeper {
	const char *db, *folder; /* NULL: the default; no files */
	int no_store, no_localize;
	size_t per_kind; /* failures looked into of one backend, verdict, level and edit */
	const char *model, *command;
	const struct quirks *quirks;
	struct judge_options judge;
	struct store *store; /* opened with the first finding, or before */
	int64_t campaign;
	json_t *findings;
	size_t seen, confirmed, stored, files; /* failures; those looked into that repeat; … */
	struct map kinds;                      /* kind of failure → how many, as a pointer-sized number */
};

/* search_options.failure; arg is the keeper. */
int search_keep(struct search_keeper *k, const struct search_failure *f, struct err *e);
int search_keep_open(struct search_keeper *k, struct err *e); /* the store, once */
void search_keep_release(struct search_keeper *k);

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

struct search_model_report {
	const char *model;
	size_t nodes;
	const struct search_result *result;
	json_t *nan_sources; /* operator → cases in which it first left the numbers */
};

json_t *search_model_json(const struct search_model_report *r);

/* One finding while its case is at hand: {"model", "level", "backend", "version", "verdict", "class", "noise_ratio",
 * "edits", "evidence", "reason", "id", "signature", "map_layers" (that CRADLE's map leaves of the same case),
 * "smallest" (set of edits), "blame": […]}. */
json_t *search_finding_json(const char *model, const struct search_failure *f, const struct kept *kept,
			    enum search_class class, const struct blame *blame, size_t map_layers,
			    const char *smallest);

#endif
