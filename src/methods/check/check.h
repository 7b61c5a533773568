/* check.h - CRADLE: one model on several backends, compared pair by pair, judged by the reference, localized.
 *
 * Three steps, each timed (check_result.seconds):
 *
 *   extraction    every backend loads the model once and runs all inputs; a crash, hang or rejection is its verdict
 *   comparison    for all pairs: class-based distance (with labels) and MAD-based distance of every item, their
 *                 distribution (pattern), and whether some item is beyond the thresholds (inconsistent)
 *   judging       the reference computes the right answer, with its rounding noise, for the inputs on which backends
 *                 differ most (all with judge_all), so that a difference has a culprit and not only two parties;
 *                 where it cannot run the model, two backends may still differ from each other (unjudged.h)
 *
 * Localization is blame/blame.h on the worst input of each backend that is found wrong; where backends are inconsistent
 * and none is wrong, it is the paper's map of the two, on their most inconsistent input. */
#ifndef METHODS_CHECK_CHECK_H
#define METHODS_CHECK_CHECK_H

#include "base/tally.h"
#include "base/texts.h"
#include "judge/oracle.h"
#include "judge/trial.h"
#include "methods/check/task.h"
#include "triage/triage.h"

#define CHECK_CLASS_LIMIT 8.0 /* T_C of the paper, k = 5 */
#define CHECK_MAD_LIMIT 0.2   /* T_M of the paper */
#define CHECK_CLASS_BINS 6    /* 16, 15-8, 7-4, 3-2, 1, 0 */
#define CHECK_MAD_BINS 5      /* 0.8-1, 0.6-0.8, … 0-0.2 */
#define CHECK_RTOL 1e-3       /* of known outputs where the reference cannot run the model, as the onnx package has */
#define CHECK_ATOL 1e-7

/* What a backend's answers do to decisions, of the first output. */
struct check_impact {
	size_t decisions; /* classes named; 0: the output has none */
	size_t places;    /* of an input */
	size_t correct;   /* that the labels name, too */
	size_t flips;     /* another class than a backend that is right names */
	size_t against;   /* that one; n_backends: there is none */
};

struct check_backend {
	struct party party;
	enum verdict verdict; /* the worst over the inputs that were judged; or what its process did */
	double ratio;
	size_t worst_run;         /* input on which it is worst */
	const char *explained_by; /* VERDICT_EXPLAINED: by what; else NULL */
	char reason[512];
	struct outcome *runs; /* [n]: values; verdicts where judged; of a failed backend none */
	size_t n;
	size_t n_seen, n_findings; /* inputs with a verdict; of those, findings */
	size_t n_closer;           /* explained, so that its nodes were looked at: once */
	size_t n_suspicious;       /* unjudged, with NaN though the inputs are finite */
	struct tally tally;        /* of the inputs */
	struct check_impact impact;
	double load_seconds, run_seconds;
};

struct check_pair {
	size_t a, b;               /* backends */
	double max_class, max_mad; /* NAN: not defined here */
	size_t class_bins[CHECK_CLASS_BINS], mad_bins[CHECK_MAD_BINS];
	size_t triggering; /* items beyond a threshold */
	size_t items;
	size_t worst_item; /* the most inconsistent, and its distances */
	double worst_class, worst_mad;
	double distance; /* with check_options.oracle: the largest, in that oracle's measure */
	int inconsistent;
	int explained; /* … but on that item the reference finds both sides right: chance, and nobody's failure */
	int by_mad;    /* some output has no class-based distance: the MAD-based one is part of the pattern */
	int pattern;   /* its number among those of the inconsistent pairs, from 1; 0: consistent */
};

/* Two backends that neither can be judged, and that differ from each other by more than any tolerance explains. */
struct check_difference {
	size_t a, b, run;
	char other[128]; /* a with another option set, which none of the backends has; "": backend b */
	char how[256];   /* in words */
};

/* Outputs of a backend held against known ones, over all runs; the worst of them. */
struct check_held {
	enum verdict verdict;
	double ratio; /* in units of noise; by_tolerance: of the tolerance, above 1 is too far */
	int by_tolerance;
	size_t run;
	char output[128];
	struct judgement worst; /* `exact` is what is known */
	size_t n_runs, n_outputs, n_findings;
	char reason[400]; /* one sentence */
};

struct check_data {
	struct value ***runs; /* [n][graph->inputs.n] borrowed */
	size_t n, batch;
	const int64_t *labels;              /* [n * batch * labels_each], of the first output; NULL: none */
	size_t labels_each;                 /* 0 is 1; one for each place of a sequence or segmentation */
	const struct tensor *targets;       /* [n * batch, …], what the first output should be; NULL: none */
	struct value ***expected;           /* [n][graph->outputs.n], entries may be NULL; NULL: none */
	const struct texts *expected_files; /* where they come from, for messages */
};

/* A distance that reaches its limit is inconsistent: T_C = 16 and T_M = 1, the paper's strictest, are the largest there
 * are, and T_M = 0 is every input. */
struct check_limits {
	double class, mad;
};

struct check_options {
	const struct check_limits *limits; /* (optional) NULL: the paper's */
	enum check_task task;              /* of the first output; the others are decided by what they are */
	double share; /* p: share of items that must be beyond, 0 … 1; the paper's is 0: one suffices */
	/* (optional) another paper's oracle decides which pairs are inconsistent; NULL: CRADLE's, with the limits above
	 */
	const struct oracle_row *oracle;
	int pairs_decide; /* the user asks for an oracle: an inconsistent pair is a failure whatever the reference says
			   */
	int judge_all;
	double rtol, atol; /* of known outputs, in place of rounding noise; 0: not given */
	int no_judge;      /* only what the paper does */
	struct judge_options judge;
	const char *blamers;     /* (optional) who localizes, as blame_request has it */
	double localize_seconds; /* time for localizing, and what follows, of a model; 0: no limit of its own */
	struct keeper *keeper;   /* (optional) what is localized is recorded there */
	uint64_t seed;
	void (*progress)(const char *backend, size_t done, size_t total, void *arg); /* (optional) */
	void *progress_arg;
};

struct check_result {
	struct check_backend *backends;
	size_t n_backends;
	struct check_pair *pairs;
	size_t n_pairs;
	size_t n_patterns;      /* over all pairs */
	size_t n_unique;        /* the same, counted for each pair of libraries as in Table II of the paper */
	enum check_task *tasks; /* by output; CHECK_AUTO: not compared */
	size_t n_tasks;
	struct check_difference *differences; /* neither side is blamed */
	size_t n_differences;
	struct check_held *held; /* [n_backends + 1], the last one is the reference; NULL: no outputs are known */
	int has_labels;          /* given; else labels are what most backends say */
	int has_targets;         /* given; else the MAD-based distance is to zero */
	int has_classes;         /* some output has class-based distances */
	enum verdict verdict;    /* of the whole: the worst */
	double own_seconds;      /* the backends' own load and inference time */
	double extract_seconds, compare_seconds, judge_seconds;
};

/* Runs a model (taken over by t already: t->inputs may be all NULL) on parties that are open (taken over by the
 * result).
 */
int check_run(struct trial *t, struct party *parties, size_t n, const struct check_data *data,
	      const struct check_options *o, struct check_result *out, struct err *e);
void check_result_release(struct check_result *r);
/* The parties of a result, for another model: to be called before it is released.  A backend with a finding is closed
 * and zeroed: what went wrong in its process may still be there. */
void check_take_back(struct check_result *r, struct party *parties);
/* Whether there is a failure in it: a backend that is wrong or not as expected, a pair that nothing explains, two
 * backends that nobody can judge and that differ. */
int check_has_failure(const struct check_result *r, const struct check_options *o);

/* save.c: folder/<backend>.npz has every output by name, all runs along the first axis. */
int check_save_outputs(const struct check_result *r, const struct graph *g, const char *folder, struct err *e);

/* One backend's localization: its ranking, its map (n 0: none), and the finding that was recorded (id 0: none). */
struct check_blame {
	size_t backend;
	double deadline; /* of clock_now(): localizing ends then; 0: no limit */
	struct blame blame;
	struct blame_map map;
	struct kept kept;
	int out_of_time; /* localize_seconds were spent before all was tried */
};

/* Blames out->backend until out->deadline, which the caller has set, on its worst input: fills out->blame and out->map.
 * *t then has that input. */
int check_localize(struct trial *t, struct check_result *r, const struct check_data *data,
		   const struct check_options *o, struct check_blame *out, struct err *e);

/* The pair that stands for a pattern (1 … r->n_patterns) where no backend with that pattern is found wrong: the
 * one furthest apart.  NULL: a wrong backend explains it. */
const struct check_pair *check_unexplained(const struct check_result *r, int pattern);

/* The map of a pair on its most inconsistent input, hidden states of both sides; *t then has that input. */
int check_map_pair(struct trial *t, struct check_result *r, const struct check_pair *p, const struct check_data *data,
		   const struct check_options *o, struct blame_map *map, struct err *e);

/* The map of two backends that are inconsistent while neither is found wrong. */
struct check_pair_map {
	const struct check_pair *pair;
	struct blame_map map;
};

struct check_located {
	struct check_blame *blames; /* of the backends that are found wrong */
	size_t n_blames;
	struct check_pair_map *maps; /* of patterns that none of them explains */
	size_t n_maps;
	double seconds;
};

/* Both for a whole result. */
int check_locate(struct trial *t, struct check_result *r, const struct check_data *data, const struct check_options *o,
		 struct check_located *out, struct err *e);
void check_located_release(struct check_located *l); /* zeroed is fine */

/* ---- for its own files ------------------------------------------------------------------------------------------- */

int check_extract(struct trial *t, struct check_backend *b, const struct check_data *data,
		  const struct check_options *o, struct err *e);
/* g: (optional) says what outputs are made of. */
int check_compare(struct check_result *r, const struct graph *g, const struct check_data *data,
		  const struct check_options *o, struct err *e);
/* impact.c: after check_judge(). */
int check_weigh(struct check_result *r, const struct graph *g, const struct check_data *data,
		const struct check_options *o, struct err *e);
/* What is known of output i when its task is decided. */
struct task_question check_question(const struct graph *g, const struct check_data *d, const struct check_options *o,
				    size_t i);
/* Whether as many items as o->share asks for are at or beyond a threshold. */
int check_share_reached(const struct check_pair *p, const struct check_options *o);
/* Lets o->oracle decide on the pairs; after check_judge(), whose right answers the rounding oracle needs. */
void check_ask_oracle(struct check_result *r, const struct check_data *data, const struct check_options *o);
int check_judge(struct trial *t, struct check_result *r, const struct check_data *data, const struct check_options *o,
		struct err *e);
/* expect.c: before anything is judged; after the backends were judged on a run, whose right answer *t then has. */
int check_expect_start(struct check_result *r, const struct check_data *data, struct err *e);
int check_hold(struct trial *t, struct check_result *r, size_t run, const struct check_data *data,
	       const struct check_options *o, struct err *e);
/* Pairs that are inconsistent though both sides are right; after check_judge(). */
void check_explain_pairs(struct check_result *r, const struct check_data *data);
int check_held_finding(const struct check_result *r);
/* Inputs that cannot be judged: whether backends differ from each other on them, or from themselves with another option
 * set. */
int check_find_differences(struct trial *t, struct check_result *r, const struct check_data *data, struct err *e);
void check_backend_release(struct check_backend *b);
int check_set_run(struct trial *t, const struct check_data *data, size_t run, struct err *e);
/* Output i of a run as a packed tensor of numbers; NULL: there is none. */
const struct tensor *check_output(const struct check_backend *b, size_t run, size_t i);

#endif
