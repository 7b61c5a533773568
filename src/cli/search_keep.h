/* search_keep.h - what becomes of the failures of a search: recorded, localized, classed, written to files. */
#ifndef CLI_SEARCH_KEEP_H
#define CLI_SEARCH_KEEP_H

#include <jansson.h>

#include "base/map.h"
#include "methods/search/search.h"
#include "store/store.h"
#include "worker/quirks.h"

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

#endif
