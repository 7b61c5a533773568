/* shares.h - which line of a campaign gets the next task.
 *
 * Half of the time goes by the shares of the file: the line whose time is furthest behind its share is next.  The other
 * half goes by what lines find: time is shared in proportion to their new clusters a minute, where a line counts as
 * having found one more than it has in one slice more than it was given, so that one that is new is tried and one that
 * finds nothing fades.  Each half has an account of its own, and the half that was given less time is asked next: so a
 * line has at least half of its share, however little it finds. */
#ifndef METHODS_CAMPAIGN_SHARES_H
#define METHODS_CAMPAIGN_SHARES_H

#include "methods/campaign/ledger.h"

/* What a line was given so far; tasks that run count with their slice. */
struct shares_line {
	double seconds[2];    /* by its share; by what it found */
	int64_t tasks;        /* that were begun */
	int64_t over, failed; /* of those */
	int64_t open;         /* likewise: they wait for another slice */
	int64_t added, clusters;
	struct store_progress progress; /* the best coverage of a task */
	int resting;                    /* it has nothing left to be done, or its last ones failed */
};

/* lines: one for each of the order's. */
void shares_count(const struct ledger *l, const struct campaign_order *o, struct shares_line *lines);

/* Counts the last task of the ledger, which runs, to those that were counted: as counting all of them anew. */
void shares_add_last(const struct ledger *l, const struct campaign_order *o, struct shares_line *lines);

enum shares_choice { SHARES_NONE, SHARES_CHOSEN };
/* *by_finds: on which account. */
enum shares_choice shares_next(const struct campaign_order *o, const struct shares_line *lines, size_t *line,
			       int *by_finds);

#endif
