/* ledger.h - what a campaign has done: each task once, in one file that is replaced as a whole.
 *
 *     FOLDER/state.json         this ledger
 *     FOLDER/findings.db        findings of all tasks that are over
 *     FOLDER/lock               held by the process that leads the campaign
 *     FOLDER/tasks/N/           task N, until it is accounted for (task.h)
 *     FOLDER/nodes/             which machines have checked which libraries
 *
 * A task is written down before it is started, and its result before its folder is removed: whenever the leader is
 * killed, each task is either over, with its counts, or to be run (again). */
#ifndef METHODS_CAMPAIGN_LEDGER_H
#define METHODS_CAMPAIGN_LEDGER_H

#include "base/json.h"
#include "base/place.h"
#include "base/vec.h"
#include "methods/campaign/order.h"
#include "store/progress.h"

enum ledger_state {
	LEDGER_RUNNING, /* or to be run */
	LEDGER_OPEN,    /* its slice is over, and its work is not: it gets another one */
	LEDGER_DONE,
	LEDGER_FAILED, /* assay itself says that it could not be run */
	LEDGER_LOST,   /* its process went away, too often */
	LEDGER_STATES
};

struct ledger_task {
	size_t line;
	uint64_t seed;
	struct split split;
	double slice; /* seconds, of the one at hand or the last one */
	int by_finds; /* that was given for what its line had found, not for its share */
	enum ledger_state state;
	int starts, losses;
	int slices, stalls;             /* slices that came to an end; the last of them that brought nothing */
	int mine;                       /* this leader has started it; not written */
	double seconds;                 /* that it took by the clock, in all slices … */
	double finds_seconds;           /* … of these, in such that were given for what its line had found … */
	double cpu;                     /* … and of processors, its children included */
	int status;                     /* exit status of the last slice */
	int64_t added;                  /* findings that came to the store … */
	int64_t clusters;               /* … and by how many clusters there are more */
	json_t *counts;                 /* {BACKEND: tally}; NULL: none */
	struct store_progress progress; /* of the last slice */
	char host[64], why[256];
	char *text; /* of one that is over: how it was written the last time; NULL: it is to be made */
};

struct ledger {
	char folder[PLACE_PATH];
	uint64_t print; /* of the order */
	double seconds; /* spent, of all runs */
	int64_t runs;   /* how often it was begun */
	int64_t clusters;
	VEC(struct ledger_task) tasks;
	json_t *digests; /* {BACKEND: digest of what is installed} */
	const struct campaign_order *order;
	int leading; /* its leader is at work; a leader that was killed has left 1 in the file */
	int lock;
};

/* Opens FOLDER, which is made where there is none, for this process alone.  ERR_INPUT when its order was another one or
 * another process leads it.  The order stays the caller's, and outlives the ledger. */
int ledger_open(const char *folder, const struct campaign_order *o, struct ledger *out, struct err *e);
int ledger_save(struct ledger *l, struct err *e);
void ledger_forget_text(struct ledger_task *t); /* one that is over was changed */
void ledger_close(struct ledger *l);            /* zeroed is fine */

const char *ledger_state_name(enum ledger_state s);
/* "FOLDER/tasks/17" */
int ledger_task_folder(const char *folder, size_t task, char out[PLACE_PATH], struct err *e);

#endif
