/* keep.h - what becomes of the failures of a search: recorded, localized, classed, written to files. */
#ifndef METHODS_SEARCH_KEEP_H
#define METHODS_SEARCH_KEEP_H

#include <jansson.h>

#include "blame/blame.h"
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
	struct blame_causal causal;  /* of it t1, t2 and steps are the caller's */
	const struct layers *layers; /* their values are tried in place of a blamed layer's own */
	struct keeper keeper;        /* of it db, command and campaign are the caller's */
	struct kinds kinds;          /* of one backend, verdict, level and edit; `first` is the caller's */
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

/* ---- replace.c: values that Algorithm 2 puts in place of others -------------------------------------------------- */

#define SEARCH_REPLACED 4

/* Cases of one layer that fail otherwise than the network they came from: the paper's set Y. */
struct search_replaced {
	const struct layers *layers;
	struct trial at[SEARCH_REPLACED];
	char said[SEARCH_REPLACED][SEARCH_SAID]; /* "Conv 'conv2': strides=2" */
	size_t n;
};

/* Lets `causal` try the values of the layers' file and keep the first few failures in *r. */
void search_replaced_begin(struct search_replaced *r, const struct layers *layers, struct blame_causal *causal);
void search_replaced_release(struct search_replaced *r);

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
