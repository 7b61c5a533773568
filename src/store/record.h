/* record.h - runs of verbs in the store, for reports: how much of each backend was judged. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include "base/tally.h"
#include "store/progress.h"

/* A run that is over, for reports. */
struct store_run {
	const char *db; /* the store; NULL or "": the default */
	const char *method, *command;
	uint64_t seed;
	int64_t campaign; /* 0: the run becomes one */
	double seconds;
	int open;                              /* work of it is left, and a run that goes on does that */
	const struct store_progress *progress; /* NULL: none */
	const struct store_tally *at;          /* `campaign` and `method` of these are not looked at */
	size_t n;
};

/* Writes the counts to the store, which is made when there is none.  That this fails is only a warning: what was found
 * out has been printed. */
void store_record_run(const struct store_run *r);
/* The same of a run that has counts alone. */
void store_record_rows(const struct store_run *r, const struct tally_row *rows, size_t n);

#endif
