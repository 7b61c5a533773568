/* lead.h - the leader of a campaign: starts tasks, takes in what they found, and writes down each of them. */
#ifndef METHODS_CAMPAIGN_LEAD_H
#define METHODS_CAMPAIGN_LEAD_H

#include <signal.h>

#include "methods/campaign/ledger.h"
#include "methods/campaign/shares.h"
#include "methods/campaign/task.h"

struct lead_status {
	const struct campaign_order *order;
	const struct ledger *ledger;
	const struct shares_line *lines; /* by the order's lines */
	size_t running;
	int64_t over, findings; /* tasks; findings that came to the store */
	size_t newest;          /* the line that brought the newest cluster of this run; order->n: none has … */
	double newest_at;       /* … and when, by clock_now() */
	const struct ledger_task *ended; /* NULL: no task has ended since it was told last; else the one that has … */
	size_t number;                   /* … and its number */
	int again;                       /* it was lost, and is run again */
};

struct lead_options {
	const struct campaign_order *order;
	const struct task_hooks *hooks;
	int slurm;                         /* on a cluster, else on this machine */
	const volatile sig_atomic_t *stop; /* set by a signal: tasks are asked to end, and go on with the next run */
	void (*show)(const struct lead_status *s, void *arg); /* several times a second, and for each task that ends */
	void *arg;
};

/* Until the time is over or all tasks are done; what was cut off is run first. */
int lead_run(const struct lead_options *o, struct ledger *l, struct err *e);

/* ---- summary.c --------------------------------------------------------------------------------------------------- */

/* {BACKEND: tally}, over all tasks that are accounted for; one that no task ran on was judged on nothing. */
json_t *lead_counts(const struct campaign_order *o, const struct ledger *l);

/* {"seconds", "runs", "tasks": {"done", …}, "lines": […], "counts": {BACKEND: tally}, "findings": {BACKEND: {VERDICT:
 * n}}, "clusters", "store"}; NULL with a message when the store cannot be read. */
json_t *lead_summary(const struct campaign_order *o, const struct ledger *l, struct err *e);

#endif
