/* later.h - findings that wait until it is their turn to be confirmed, blamed and reduced.
 *
 * That takes seconds where a case takes milliseconds; a library with many bugs would be asked about little else.  So
 * triage gets a share of the time, LATER_SHARE: while it has had more, findings wait.  In a campaign of limited time
 * what a case is likely to take, by its nodes, must fit into the share as well: a large one does not take the time of
 * many small ones that show as much.  Of those that look alike few wait, the others are counted.  Where too many wait
 * the largest gives way to one that is smaller; what looks, roughly, like some that were looked into counts as larger
 * than it is, so that one operator with many bugs does not keep the others out.  Nothing is lost by waiting: a case
 * that waits is not done, and a campaign that is stopped or killed makes it again. */
#ifndef METHODS_FUZZ_LATER_H
#define METHODS_FUZZ_LATER_H

#include "base/vec.h"
#include "methods/fuzz/campaign.h"
#include "methods/fuzz/keys.h"
#include "triage/kinds.h"

#define LATER_SHARE (1.0 / 3)
#define LATER_MOST 256 /* that wait */

/* A case on its way. */
struct flight {
	struct trial trial;
	struct outcome *outcomes; /* by backend, judged, once it waits; owned then */
	struct fuzz_record record;
	int64_t next;                      /* case of the process behind it */
	struct buf notes;                  /* what it covers; empty: it is not to be written */
	int node;                          /* of the search tree */
	int may_run;                       /* --invalid: running it is no finding */
	uint64_t looks[FUZZ_MAX_BACKENDS]; /* of findings that were taken, by backend; 0: none was */
	uint64_t roughly;                  /* what its first finding looks like by the paper's rules */
	int counts_only;                   /* its findings are counted, and no more */
	int passed;                        /* … for want of time, and not because they are known to be of a kind */
};

void flight_release(struct flight *f, size_t n); /* n: backends; zeroed is fine */

struct later {
	VEC(struct flight) waiting; /* by their numbers */
	struct kinds looks;         /* of all that waited; doubling: 1 */
	struct keys done;           /* roughly, those that were looked into */
	double begin, spent;        /* the start; seconds of triage since, … */
	size_t weight;              /* … in which cases were done: their nodes, and some for each */
	double seconds;             /* of the campaign; 0: its time is not limited */
};

/* What triage has left of a campaign's grace: behind its end there is a tenth of its time for findings that are being
 * looked into or wait, at least five seconds; then all that is cut off. */
double later_grace(double seconds);

/* Seconds in which a case may be reduced: the more wait in a campaign of limited time, the less each of them gets. */
double later_patience(const struct later *l);

/* Whether so many wait in a campaign of limited time that less is asked of each. */
int later_is_pressed(const struct later *l);

/* The share of a campaign's time that triage gets before its end: with the grace behind that it has LATER_SHARE of all.
 */
double later_share(double seconds);
/* Whether triage may have time now for a case with so many nodes. */
int later_is_due(const struct later *l, double now, size_t nodes);
/* Nodes of the case that later_take() gives; there must be one. */
size_t later_least(const struct later *l);
/* Whether none of those that wait is to be looked into before it: else many small ones would keep out one that is
 * larger and looks like nothing that was seen. */
int later_is_next(const struct later *l, const struct flight *f);
/* A case with so many nodes was done, and the time that it took is in `spent`. */
void later_done(struct later *l, size_t nodes);
/* Whether a case might wait: there is room, or a larger one that would give way. */
int later_has_room(const struct later *l, const struct flight *f);
/* Decides on a case with findings while triage may not: *waits, or its findings are to be counted only. */
int later_choose(struct later *l, const struct trial *t, const struct party *p, const struct outcome *o, int *waits,
		 struct err *e);
/* Takes the case over, and `n` outcomes, which are zeroed. */
int later_add(struct later *l, struct flight *f, struct outcome *outcomes, size_t n, struct err *e);
/* A case is looked into at once. */
int later_note(struct later *l, const struct flight *f, struct err *e);
/* Takes the smallest off the list, which the caller releases. */
int later_take(struct later *l, struct flight *out, struct err *e);
/* Whether one too many waits, and the largest, which gives way then; the caller releases it. */
int later_is_crowded(const struct later *l);
struct flight later_give_way(struct later *l);
/* The first case of a process that is not done, when `next` is the one that it would make next. */
int64_t later_first(const struct later *l, int64_t next);
void later_release(struct later *l, size_t n);

#endif
