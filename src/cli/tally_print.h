/* tally_print.h - the end of every verb that tests backends: how much of it was judged. */
#ifndef CLI_TALLY_PRINT_H
#define CLI_TALLY_PRINT_H

#include <stdio.h>

#include "base/tally.h"
#include "store/store.h"

/* Prints the table (out NULL: not, the caller prints JSON) and warns of backends that were judged on nothing.  Gives
 * the exit status: `status`, or CLI_HOLLOW where that is CLI_OK and there is such a backend. */
int tally_print(FILE *out, const struct tally_row *rows, size_t n, int status);

/* A run that is over, for reports. */
struct tally_record {
	const char *db; /* the store; NULL or "": the default */
	const char *method, *command;
	uint64_t seed;
	int64_t campaign; /* 0: the run becomes one */
	double seconds;
	const struct store_tally *at; /* `campaign` and `method` of these are not looked at */
	size_t n;
};

/* Writes the counts to the store, which is made when there is none.  That this fails is only a warning: what was found
 * out has been printed. */
void tally_print_keep(const struct tally_record *r);
/* The same of a run that has counts alone. */
void tally_print_keep_rows(const struct tally_record *r, const struct tally_row *rows, size_t n);

#endif
