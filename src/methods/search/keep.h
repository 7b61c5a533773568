/* keep.h - what becomes of the failures of a search: recorded, localized, classed, written to files. */
#ifndef METHODS_SEARCH_KEEP_H
#define METHODS_SEARCH_KEEP_H

#include <jansson.h>

#include "methods/search/search.h"
#include "triage/kinds.h"
#include "triage/triage.h"
#include "worker/parent/quirks.h"

struct search_keeper {
	const char *folder; /* NULL: no files */
	int no_store, no_localize;
	const char *model;
	const struct quirks *quirks;
	struct judge_options judge;
	struct keeper keeper; /* of it db, command and campaign are the caller's */
	struct kinds kinds;   /* of one backend, verdict, level and edit; `first` is the caller's */
	json_t *findings;
	size_t seen, confirmed, stored, files; /* failures; those looked into that repeat; … */
	size_t flaky, fresh;                   /* those that do not; signatures that were new in the store */
	char last[SIGNATURE_MAX + 1];          /* the last new one, "" when there is none, and when it came */
	double last_at;
};

void search_keep_init(struct search_keeper *k); /* what is the caller's is set before */
/* search_options.failure; arg is the keeper. */
int search_keep(struct search_keeper *k, const struct search_failure *f, struct err *e);
void search_keep_release(struct search_keeper *k);

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

struct search_model_report {
	const char *model;
	size_t nodes;
	const struct search_result *result;
	json_t *sizes;       /* of the seed's inputs, as case/told_sizes.h has them */
	json_t *nan_sources; /* operator → cases in which it first left the numbers */
	const struct tally_row *rows;
	size_t n_rows; /* by backend */
};

json_t *search_model_json(const struct search_model_report *r);

/* One finding while its case is at hand: {"model", "level", "backend", "version", "verdict", "class", "noise_ratio",
 * "edits", "evidence", "reason", "id", "signature", "map_layers" (that CRADLE's map leaves of the same case),
 * "smallest" (set of edits), "blame": […]}. */
json_t *search_finding_json(const char *model, const struct search_failure *f, const struct kept *kept,
			    enum search_class class, const struct blame *blame, size_t map_layers,
			    const char *smallest);

#endif
