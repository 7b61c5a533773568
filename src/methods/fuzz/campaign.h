/* campaign.h - cases on backends: run, judged, counted, kept.
 *
 *   MCF  model conversion failure: the library does not load the model, or dies of it
 *   IF   inference failure: it loads, but does not run
 *   DCF  data comparison failure: what it gives is beyond what rounding explains
 *   DCP  data comparison pass
 *
 * What a library does not support is counted apart.  A campaign is run by `jobs` processes, each of which makes its
 * share of the cases and runs them; cases are the same for any number of jobs (shards.h). */
#ifndef METHODS_FUZZ_CAMPAIGN_H
#define METHODS_FUZZ_CAMPAIGN_H

#include <signal.h>

#include "base/tally.h"
#include "judge/oracle.h"
#include "methods/fuzz/exchange.h"
#include "methods/fuzz/fusion.h"
#include "methods/fuzz/fuzz.h"
#include "methods/fuzz/held.h"
#include "store/progress.h"

enum fuzz_status { FUZZ_DCP, FUZZ_DCF, FUZZ_IF, FUZZ_MCF, FUZZ_UNSUPPORTED, FUZZ_FLAKY, FUZZ_OURS, FUZZ_STATUSES };

#define FUZZ_MAX_BACKENDS 64

/* What cases had come to, over all runs of a campaign. */
struct fuzz_past {
	struct tally tallies[FUZZ_MAX_BACKENDS]; /* by backend */
	struct held held[FUZZ_MAX_BACKENDS];     /* … in the cases that it was judged on */
	int64_t findings;
	int64_t cases; /* run, those that were made again counted again */
	int64_t next;  /* all before this one are done: where the next run goes on */
};

#define FUZZ_KINDS 256 /* of operators that libraries make of models */

/* An operator, and of how many models, or failures. */
struct fuzz_named {
	char name[64];
	int64_t n;
};

/* What lines of a library's own code are for. */
enum fuzz_lines {
	LINES_NO,
	LINES_COUNTED,
	LINES_REWARDED /* a second reward, as fusions are: cases depend on it then */
};

struct fuzz_stats {
	int64_t cases;                   /* run */
	int64_t status[FUZZ_STATUSES];   /* a case has one on each backend */
	struct fuzz_past all;            /* also of the runs that this one goes on from */
	int64_t distinct[FUZZ_STATUSES]; /* of MCF, IF and DCF: those that look different (known_look()) */
	int64_t paper[FUZZ_STATUSES];    /* … and those left when duplicates by the paper's rule are not */
	int blamed;                      /* operators of those, as they came */
	struct fuzz_named failing[FUZZ_KINDS];
	int64_t findings, stored, fresh; /* seen; kept in the store; of those with a signature that was new */
	int64_t corpus;                  /* cases that raised the coverage */
	int64_t discarded;               /* models that were not run since they did not */
	int64_t next;                    /* all cases before this one are done */
	struct coverage_figures coverage;
	double seconds, last_fresh; /* since the start; when the last new signature came, 0: none yet */
	int jobs;
	double triage;             /* seconds of all processes that went to what follows a finding */
	int64_t waiting, passed;   /* findings that wait for that; and that were counted, and not looked into */
	double grace;              /* seconds until that is cut off; 0: the time of the campaign is not over */
	int64_t not_run;           /* cases of `start` that were not run, since the end came first */
	int64_t cut_off;           /* cases that a process was still at, long after the end, when it was killed */
	char about[64], last[256]; /* block of the case that was last run; the last new signature */
	int fusions;               /* kinds of operators that the libraries made of the models, as they came */
	struct fuzz_named fused[FUZZ_KINDS];
	int64_t lines;    /* of the libraries' own code that models reached */
	char looks[8192]; /* of findings that look different: "BACKEND|VERDICT|…" lines */
};

struct campaign_options {
	struct fuzz_options fuzz;
	const struct corpus *corpus;
	const struct worker_spec *specs;
	size_t n_specs;
	struct judge_options judge;
	const struct oracle *oracle; /* who decides on DCF, against the first backend; NULL: rounding */
	const char *db;              /* NULL: nothing is stored */
	const char *command;         /* as typed */
	const char *folder;          /* NULL: no case is written */
	int keep_all;                /* every model, not only those that raise the coverage */
	int gradients;               /* of what ran and is right, on libraries that have them */
	int fusions;           /* what libraries fuse is a second reward; with one job, since cases depend on it then */
	enum fuzz_lines lines; /* of libraries in Python; with one job */
	const char *fused;     /* lines "CASE NAME…" of what the run that was stopped had seen; NULL: none */
	struct fuzz_past before; /* … and what it had counted */
	int jobs;
	int64_t models;    /* 0: no end */
	int64_t first;     /* cases before this one are made, not run */
	const char *start; /* a corpus folder: its cases are run first, and what they cover is known; NULL: none */
	double seconds;    /* 0: no end */
	double late; /* seconds behind it, and the grace, until processes are killed; 0: a usual request's limit */
	int64_t id;  /* of the campaign in the store; 0: none */
	int claim;   /* campaign_claim() of it; campaign_run() ends that */
	int no_reduce;
	const volatile sig_atomic_t *stop;                       /* set by a signal: ends after the case at hand */
	void (*progress)(const struct fuzz_stats *s, void *arg); /* several times a second */
	void *progress_arg;
};

/* Whether libraries are to show what they do with models: see fusion.h. */
static inline int shows_work(const struct campaign_options *o)
{
	return o->fusions || o->lines;
}

/* *out has what was counted, also when it fails on the way: the store may be full. */
int campaign_run(const struct campaign_options *o, struct fuzz_stats *out, struct err *e);

/* report.c: what was counted, as JSON, and in one line what became of the time. */
json_t *fuzz_stats_json(const struct fuzz_stats *s, int with_fusions, int with_lines);
struct store_progress fuzz_progress(const struct fuzz_stats *s);
void fuzz_triage_text(const struct fuzz_stats *s, char *out, size_t size);

/* Sets id, first, fused and before: those of the campaign in the store with the same command, backends and seed that
 * was stopped, or of a new one.  `fused` holds what o->fused points to.  Without a store there is nothing to do. */
int campaign_resume(struct campaign_options *o, const char *backends, struct buf *fused, struct err *e);

/* claim.c: says to all processes of this machine that the campaign is being run, until it is closed; < 0: one runs it
 * already.  No file is made, and nothing is left when a process is killed. */
int campaign_claim(const char *db, int64_t id);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

#define FUZZ_RAN 128

/* What a process tells of one case. */
struct fuzz_record {
	int job, raised, discarded;
	int64_t index, next; /* next: all cases of the process before this one are done */
	int status[FUZZ_STATUSES], findings, stored, fresh, passed;
	int waiting;                            /* findings, in this process … */
	double triage;                          /* … and what it took for the others, in seconds so far */
	unsigned char notes[FUZZ_MAX_BACKENDS]; /* by backend: its verdict, and FUZZ_RAN when it gave an answer */
	unsigned held;                          /* held_in() of the case */
	char about[64], signature[256];
	char looks[1024];         /* of its findings: a line each, a digit for the status first */
	char paper[512];          /* … by the paper's rule: the digit, known_paper() as a hash, the operator */
	char fused[FUSION_NAMES]; /* names of fusions: see fusion_note() */
	int lines;                /* of the libraries' code that no case had reached before */
	int failed;               /* assay itself: a status, and the message in `signature` */
	int not_run;              /* no case: so many of `start` were not run, since the end came first */
};

struct fuzz_note {
	int64_t index;
	int findings;
	unsigned held;
	unsigned char notes[FUZZ_MAX_BACKENDS];
};

/* counts.c: cases that are counted already, but lie behind one that is not done. */
struct fuzz_counts {
	int64_t next;             /* cases before this one are done */
	struct fuzz_past settled; /* of the cases that a run that goes on will not make again */
	VEC(struct fuzz_note) waiting;
	size_t most; /* … before they are looked through */
};

void fuzz_counts_open(struct fuzz_counts *c, const struct campaign_options *o, struct fuzz_stats *s);
/* Counts a case for s->all; s->next has been set. */
int fuzz_counts_add(struct fuzz_counts *c, const struct campaign_options *o, const struct fuzz_record *r,
		    struct fuzz_stats *s, struct err *e);
/* The settled counts and the case to go on with, as lines in front of a campaign's state, and back: gives what is
 * behind them. */
void fuzz_counts_write(struct fuzz_counts *c, size_t n, int64_t next, struct buf *out);
const char *fuzz_counts_read(const char *state, struct fuzz_past *out, size_t n);
void fuzz_counts_release(struct fuzz_counts *c);

/* status.c: by the rounding oracle; and by the campaign's, of backend i of all. */
enum fuzz_status fuzz_status_of(const struct outcome *o);
enum fuzz_status fuzz_status_by(const struct campaign_options *o, const struct trial *t, const struct outcome *all,
				size_t i);

/* The work of one process; records are written to `fd`.  Returns what went wrong, which was written too. */
int campaign_work(const struct campaign_options *o, struct fuzz_exchange *x, int job, int fd);

#endif
