/* triage.h - from a confirmed finding to something a maintainer can act on: signature, smallest case, version, bundle.
 *
 * keep_case() and keep_call() are the one door to the store that every method uses. */
#ifndef TRIAGE_TRIAGE_H
#define TRIAGE_TRIAGE_H

#include <jansson.h>

#include "blame/blame.h"
#include "judge/trial.h"
#include "store/store.h"
#include "triage/switches.h"

/* ---- signature.c ------------------------------------------------------------------------------------------------- */

#define SIGNATURE_MAX 255 /* bytes */

/* "onnxruntime/AveragePool/wrong/f32.4d,ceil_mode=1": library, operator, kind, and a normalized class of shapes and
 * attributes (dtypes, ranks, which attributes differ from their defaults; sizes only as 0, 1, n).  Without a blamed
 * node the operators of the (reduced) graph stand there, sorted.  Appends at most SIGNATURE_MAX bytes. */
int signature_make(const struct worker_spec *spec, const struct model *m, const struct node *blamed, enum verdict v,
		   int gradient, struct buf *out, struct err *e);
/* The same for nodes that fail only together: the operators of the set (strings), sorted, in place of those of the
 * graph. */
int signature_make_set(const struct worker_spec *spec, const struct model *m, const json_t *set, enum verdict v,
		       int gradient, struct buf *out, struct err *e);
/* "torch/addmm/wrong/rule 7": of a call of the library's own operation. */
int signature_call(const struct worker_spec *spec, const char *operation, enum verdict v, const char *class,
		   struct buf *out, struct err *e);

/* ---- cluster.c --------------------------------------------------------------------------------------------------- */

/* Sets finding.cluster in the whole store: same cause where the finding tells it (a switch of the library, a place in
 * its source), else same signature, then similarity of reduced cases (same library and kind, and one's operators and
 * attributes contained in the other's).  The best example of a cluster (confirmed, fewest nodes, largest ratio) is the
 * one whose id is the cluster's number. */
int cluster_all(struct store *s, size_t *n_clusters, struct err *e);

/* The findings with ids above `after`, up to the `after` of the next part. */
struct cluster_part {
	int64_t after;
	size_t clusters; /* whose oldest finding is in it */
};

/* The same, and counts what each part of the store began.  Parts are in order of `after`. */
int cluster_parts(struct store *s, struct cluster_part *parts, size_t n_parts, size_t *n_clusters, struct err *e);

/* ---- reduce.c, passes.def: one row and one file a pass ----------------------------------------------------------- */

struct reduction;

struct pass {
	const char *summary;
	/* Tries changes of r's case through reduce_first() until it finds no more; r->kept counts those that stay. */
	int (*run)(struct reduction *r, struct err *e);
};

struct reduce_options {
	int jobs;       /* parallel tries, each with a worker of its own; 0: 1 */
	double seconds; /* of wall time; 0: 60 */
	/* Of clock_now(), 0: none.  `seconds` is for making the case smaller; what decides on it comes after that, and
	 * does not go on behind this either: the reduction fails then, with ERR_LIMIT. */
	double deadline;
	int gradient;
	int hasty; /* the library's switches are not asked: for a case of one node, which can become no other */
	const struct judge_options *judge;
	void (*progress)(size_t nodes, size_t tries, void *arg); /* (optional) */
	void *progress_arg;
};

struct reduce_result {
	struct trial trial;     /* the smallest case */
	struct outcome outcome; /* on it */
	size_t tries, kept, nodes_before, nodes_after;
	int confirmed;  /* the smallest case was; 0: none was, and it is the one that came in */
	size_t dropped; /* smaller cases that did not hold at the end: not confirmed, or other switches make them right
			 */
	double seconds, backend_seconds; /* of the reduction … */
	double switch_seconds;           /* … and of looking for what makes it right */
	struct switches switches;        /* of the library itself, that make the smallest case right */
};

/* Keeps what target.c says the same, and the blamed operator when one is given.  In the end the smallest case is
 * confirmed in fresh workers, and the switches that make the first case right must make it right too; else a larger
 * one is taken, the first in the worst case. */
int reduce_trial(const struct trial *t, const struct party *p, const struct outcome *o, const char *blamed_op,
		 const struct reduce_options *options, struct reduce_result *out, struct err *e);
void reduce_result_release(struct reduce_result *r);

/* ---- bisect.c ---------------------------------------------------------------------------------------------------- */

struct bisect_step {
	char version[64];
	enum verdict verdict; /* VERDICT_UNSUPPORTED: it does not know the case, or could not be run at all */
	double ratio;
	char note[160]; /* why it could not be run; "" otherwise */
};

struct bisect_result {
	char first_bad[64], last_good_before[64], first_good_after[64]; /* "" when there is none in reach */
	struct bisect_step *tried;                                      /* in the order they were run */
	size_t n;
	enum verdict verdict; /* of the bad ones */
};

typedef int bisect_install_fn(const char *backend, const char *version, void *arg, struct err *e);

/* A finding and the versions of its library; all of it is borrowed. */
struct bisect_request {
	struct trial *trial;
	const struct worker_spec *spec; /* its version is bad */
	enum verdict verdict;           /* what a bad one gives … */
	int any;                        /* … is not known: whatever finding the first one gives */
	int gradient;                   /* for the gradients of the case */
	struct worker_limits limits;    /* what is 0 is as usual */
	const char *const *versions;    /* oldest first */
	size_t n;
	bisect_install_fn *install; /* makes one available; NULL: only those installed */
	void *arg;
};

/* Versions are searched by halves on both sides of the bad one, so each side should change from good to bad but once.
 */
int bisect_versions(const struct bisect_request *q, struct bisect_result *out, struct err *e);
void bisect_release(struct bisect_result *r);

/* ---- bundle.c ---------------------------------------------------------------------------------------------------- */

/* model.onnx, inputs.npz, expected.npz, README.md, repro.py (the library's own package and numpy only), repro.sh; of a
 * call what there is of them.  spec NULL: the backend that f names, where data may (spec_make_found()). */
int bundle_write(const struct finding *f, const struct worker_spec *spec, const char *folder, struct err *e);

/* ---- keep.c: the only door to the store -------------------------------------------------------------------------- */

/* Where the findings of one run go.  What is not set is zero; close it at the end. */
struct keeper {
	const char *db;      /* NULL: the default */
	struct store *store; /* opened with the first finding, or by keeper_open(), or set */
	int64_t campaign;
	const char *method, *command;
	int per_signature; /* findings kept of one signature; 0: 5 */
	/* for cases: */
	const struct judge_options *judge;
	int no_reduce, no_blame;
	/* Others wait: a case of one node is confirmed once, when it is small, and no switches are looked for. */
	int hasty;
	int gradient;
	double reduce_seconds; /* 0: 20 */
	double deadline;       /* of clock_now(): no blame and no reduction goes on behind it; 0: none */
	int must;              /* a finding that cannot be stored is an error, not a loss that is counted */
	/* A store that fails is left, and one in memory takes its place: blame, reduction and counts stay the same. */
	size_t lost;        /* findings that were not stored … */
	struct err trouble; /* … and why the first was not; no code: all are */
};

int keeper_open(struct keeper *k, struct err *e);
/* ERR_IO when findings were lost: to be told behind the report, which they are in. */
int keeper_check(const struct keeper *k, struct err *e);
void keeper_close(struct keeper *k);

#define KEPT_REPRO 4600 /* a path and some words */

struct kept {
	int64_t id;           /* 0: not kept (`why`) */
	enum verdict verdict; /* after confirmation */
	int fresh;            /* its signature is new in the store */
	int added;            /* it is a row that was not there before */
	char signature[SIGNATURE_MAX + 1];
	char why[256];
	char guilty[512];       /* switches of the library that make it right; "": none, or not looked for */
	char repro[KEPT_REPRO]; /* the command that runs it again; "": not kept */
};

/* Both confirm, record at once, blame, reduce, sign, count and cluster, as far as there is something to do.
 *
 * A case: a model and its inputs that a party has just failed on. */
int keep_case(struct keeper *k, struct trial *t, struct party *p, struct outcome *o, struct kept *out, struct err *e);

/* A call of an operation that the library itself has, with no model around it. */
struct keep_call {
	const struct worker_spec *spec;
	const char *version;   /* of the library */
	const char *operation; /* its name there */
	const char *class;     /* the last part of the signature: what was asked of the operation ("rule 7") */
	enum verdict verdict;
	double ratio; /* of the noise */
	int repeats;  /* how often it has come again, the same each time; 0: it is flaky */
	const char *detail, *command;
	json_t *evidence; /* borrowed: {"a", "b": the calls, "script": a program that shows it, …} */
	uint64_t seed;
	struct bytes inputs; /* .npz: tensors of call a */
	int64_t id;          /* of the stored finding that this is a smaller example of; 0: none … */
	int own;             /* … which this run has added: it goes when another run's is the same as this one */
};

/* What the store has already, call by call and bit by bit, is not kept again: out->id is the finding there. */
int keep_call(struct keeper *k, const struct keep_call *c, struct kept *out, struct err *e);

#endif
