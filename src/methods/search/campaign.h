/* campaign.h - a search over several models, written down in the store after each, so that it can go on. */
#ifndef METHODS_SEARCH_CAMPAIGN_H
#define METHODS_SEARCH_CAMPAIGN_H

#include "base/split.h"
#include "base/texts.h"
#include "methods/search/keep.h"
#include "store/progress.h"
#include "worker/parent/spec.h"

struct search_campaign {
	/* The caller's; of `search` deadline, callbacks and judge.quirks are set here, of `keeper` all but judge. */
	const struct spec_list *specs;
	const char *backends; /* as they were named */
	const char *key;      /* the command: with `resume`, a run with the same one goes on */
	struct texts dims;    /* sizes of open dimensions */
	const char *data;     /* (optional) file or folder of the seed's inputs, see case/dataset.h */
	const char *preprocess;
	int64_t items; /* of the data, that a case runs at once; 0: as many as the model takes, 1 where that is open */
	struct split split; /* which of the models */
	const char *bases;  /* (optional) folder that gets the networks whose numbers are searched */
	size_t jobs;        /* backends that work at a time; 0: all */
	const char *layers; /* file of parameters; NULL: the one that comes with assay */
	double limit;       /* seconds at most; 0: no limit */
	int resume;
	struct search_options search;
	struct search_keeper keeper;
	/* (optional) How far it is, and a model that is done; `from` is its first of keeper.findings. */
	void (*progress)(const struct search_campaign *c, enum search_level level, size_t done, size_t total);
	void (*done)(const struct search_campaign *c, const struct search_model_report *r, size_t from);
	void *arg;
	/* What came of it. */
	json_t *models; /* reports of those that are done, of runs before too */
	double seconds;
	/* its own */
	struct rivals *rivals;
	struct layers *table;
	struct quirks quirks;
	struct campaign stored;
	size_t n_models;     /* of this part of a split run */
	json_t *nan_sources; /* of the model at hand: operator → cases */
	json_t *whole;       /* for the store: what the models that came to their end gave */
};

/* Models are files or names of the zoo; without any the seed networks of the papers. */
int search_campaign_run(struct search_campaign *c, const struct texts *names, struct err *e);
/* The counts of a backend over all models that are done, and the same with what the model at hand has so far: from
 * `progress`. */
struct tally search_campaign_tally_now(const struct search_campaign *c, size_t backend);
struct tally search_campaign_tally(const struct search_campaign *c, size_t backend);
/* Over all models, with the one at hand. */
struct store_progress search_campaign_progress(const struct search_campaign *c);
void search_campaign_release(struct search_campaign *c); /* zeroed is fine */

#endif
