/* journal.h - what pairs gave, written down one line a pair and round as they end, so that a run that was killed goes
 * on.  Of the lines of one pair the last counts.
 *
 * The first line says what was run; a journal of another run is refused.  A last line that was cut off is dropped. */
#ifndef METHODS_EQUIV_JOURNAL_H
#define METHODS_EQUIV_JOURNAL_H

#include <stdio.h>

#include "methods/equiv/equiv.h"

struct journal {
	FILE *file;
};

/* Puts what the file has into q->results and opens it for more.  Close also after a failure. */
int journal_open(struct journal *j, const char *path, struct equiv *q, const struct equiv_options *o, struct err *e);
int journal_add(struct journal *j, const struct equiv *q, size_t pair, struct err *e);
void journal_close(struct journal *j); /* zeroed is fine */

#endif
