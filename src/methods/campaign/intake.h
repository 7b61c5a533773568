/* intake.h - takes in what tasks found that came to their end, all that a look has seen at once.
 *
 * Their findings are merged, one store after the other.  Then clusters are made, once, of all that the campaign has,
 * which takes as long after one task as after a thousand.  A cluster is credited to the task that brought its oldest
 * finding, as if they had been taken in one by one.
 *
 * With many findings clusters take long, and nothing is started meanwhile: so they get a tenth of the time at most, and
 * tasks that end before they are made again are owed theirs. */
#ifndef METHODS_CAMPAIGN_INTAKE_H
#define METHODS_CAMPAIGN_INTAKE_H

#include "methods/campaign/task.h"

struct intake_task {
	size_t n;
	enum ledger_state state; /* that it is to have; one that is not done becomes open, or failed when it stalls */
	int ended;               /* by itself, with `result`; 0: it was lost */
	struct task_result result;
	int64_t after; /* ids of what it brought are above this one */
	int64_t added; /* findings that it brought */
};

/* A task that has brought something since clusters were made. */
struct intake_owed {
	size_t n;
	int64_t after;
};

struct intake {
	struct ledger *ledger;
	VEC(struct intake_task) tasks; /* that have ended, and are not accounted for */
	VEC(struct intake_owed) owed;
	double not_before;   /* by clock_now(): until then clusters have to wait */
	int64_t clusterings; /* how often clusters were made; 0: those of the store are not known yet */
	size_t newest;       /* the line that brought the newest cluster … */
	double newest_at;    /* … and when, by clock_now() */
};

/* result NULL: it was lost. */
int intake_add(struct intake *in, size_t task, enum ledger_state state, const struct task_result *result,
	       struct err *e);
/* Takes in all of in->tasks, and sets their states, results, counts and clusters.  When one of them cannot be, those
 * before it are, and only these are left in in->tasks.  A leader may be killed at any moment of this: what is done a
 * second time changes nothing. */
int intake_take(struct intake *in, struct err *e);
/* Makes the clusters that are owed, at the end of a campaign. */
int intake_finish(struct intake *in, struct err *e);
void intake_release(struct intake *in); /* zeroed is fine */

#endif
