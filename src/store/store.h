/* store.h - findings in one SQLite file: nothing that was recorded is lost, whatever happens to the writer.
 *
 * Several processes may write at once (WAL, busy waiting, one transaction a call).  A store belongs to one thread, and
 * not to a child after fork(): each opens the file itself.  A finding is recorded when it is confirmed; reduction and
 * blame are added to it later.  Strings of a struct finding that was read live in its arena.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/tally.h"
#include "base/verdict.h"
#include "tensor/value.h"

#define STORE_DEFAULT "assay.db"

struct store;

/* "" as path: $ASSAY_DB, else STORE_DEFAULT.  Makes the file when it is not there and `create`; migrates older schemas.
 * A file that is no store is ERR_INPUT.  Without `create`, one that may not be written (another user's, on a medium
 * that is read-only) is opened to be read, an older one as a copy in memory: writing to it fails. */
int store_open(const char *path, int create, struct store **out, struct err *e);
/* One in memory, which is gone when it is closed. */
int store_open_scratch(struct store **out, struct err *e);
void store_close(struct store *s); /* NULL is fine */
/* The path it was opened under. */
const char *store_path(const struct store *s);

struct finding {
	int64_t id;
	int64_t campaign;    /* 0: none */
	const char *method;  /* "check", "search", "equiv", "swap", "fuzz" */
	const char *backend; /* as the user named it: "ort@1.20.1:O99" */
	const char *library; /* "onnxruntime" */
	const char *version; /* "1.20.1" */
	enum verdict verdict;
	int gradient;          /* the gradient is at fault, not the value */
	const char *op, *node; /* blamed; "" when not known */
	const char *parameter; /* blamed attribute or input of that node; "" when not known */
	double noise_ratio;    /* INFINITY where none explains it */
	const char *signature; /* triage/signature.c */
	const char *detail;    /* one sentence */
	const char *evidence;  /* JSON: what each blamer said, numbers, the switches that make it right, … */
	const char *command;   /* what was typed */
	uint64_t seed;
	int nodes; /* of the smallest model known */
	int original_nodes;
	struct bytes model, inputs, expected;                         /* as first seen: .onnx, .npz, .npz */
	struct bytes reduced_model, reduced_inputs, reduced_expected; /* empty: not reduced yet */
	const char *since, *until; /* versions: first bad, first good again; "" when not known */
	double time;               /* seconds since 1970 when it was recorded; store_add(): 0 is now */
	int cluster;               /* made by the program; 0: not yet */
	struct arena *arena;       /* of a finding that was read */
};

/* Records; f->id is set.  One transaction: after it returned, the finding survives kill -9. */
int store_add(struct store *s, struct finding *f, struct err *e);
/* Writes all fields of a finding with an id again; models and tensors that are empty in f stay as they are. */
int store_update(struct store *s, const struct finding *f, struct err *e);
/* Takes a finding out again; no failure when there is none with that id. */
int store_remove(struct store *s, int64_t id, struct err *e);
/* Reads one, model bytes included; ERR_INPUT when there is none with that id.  Release with finding_release(). */
int store_get(struct store *s, int64_t id, struct finding *out, struct err *e);
void finding_release(struct finding *f);
/* What a call of the library's own operation shows, without a model. */
int finding_is_call(const struct finding *f);
/* Appends "assay WORDS 3", with --db where the store is not the default one. */
void store_command(const struct store *s, const char *words, int64_t id, struct buf *out);

struct store_filter {
	/* NULL: any.  A backend matches by its name with or without version and options ("ort" finds "ort@1.20.1:O99"),
	 * and by the library's name. */
	const char *backend, *verdict, *op, *method, *signature;
	int64_t id, campaign; /* 0: any */
	int with_bytes;       /* models and tensors too: one of enum store_bytes */
};

enum store_bytes { STORE_NO_BYTES, STORE_ALL_BYTES, STORE_REDUCED_BYTES };

/* In order of id; `fn` returning non-zero ends with that status.  f is borrowed; fn may use the store.  filter NULL:
 * all, without models. */
typedef int store_each_fn(const struct finding *f, void *arg);
int store_each(struct store *s, const struct store_filter *filter, store_each_fn *fn, void *arg, struct err *e);
/* The largest id of a finding, which all later ones will be above; 0: there is none. */
int store_newest(struct store *s, int64_t *id, struct err *e);
/* How many findings have this signature. */
int store_count(struct store *s, const char *signature, int64_t *out, struct err *e);

/* Sets the clusters of findings, all or none. */
struct store_cluster {
	int64_t id, cluster;
};
int store_set_clusters(struct store *s, const struct store_cluster *at, size_t n, struct err *e);

/* Copies findings of another store (same signature, backend and model bytes, of a call input bytes: once); *added says
 * how many came.  Of two copies the better one stays, a reduced one say, so that the order of stores does not matter.
 */
int store_merge(struct store *s, const char *other, size_t *added, struct err *e);

/* ---- campaigns: long runs that resume ---------------------------------------------------------------------------- */

struct campaign {
	int64_t id;
	const char *method, *command, *backends;
	uint64_t seed;
	double started, seconds; /* time spent so far, over all its runs */
	int64_t cases;
	int done;
	int resumed;        /* store_campaign_open(): it was there already */
	struct bytes state; /* the method's own, as it last saved it */
	struct arena *arena;
};

/* What tells campaigns apart, and the backends of a new one. */
struct campaign_key {
	const char *method, *command, *backends;
	uint64_t seed;
};

/* With `resume` the campaign of this method, command and seed that is not done, when there is one; else a new one. */
int store_campaign_open(struct store *s, const struct campaign_key *key, int resume, struct campaign *out,
			struct err *e);
int store_campaign_save(struct store *s, const struct campaign *c, struct err *e);
int store_campaign_get(struct store *s, int64_t id, struct campaign *out, struct err *e);
void campaign_release(struct campaign *c);

/* Points of curves (coverage, throughput, findings) over a campaign's time. */
struct store_point {
	const char *curve;
	double value;
};
/* All or none of them. */
int store_points(struct store *s, int64_t campaign, double seconds, const struct store_point *at, size_t n,
		 struct err *e);
typedef int store_point_fn(const char *curve, double seconds, double value, void *arg);
int store_each_point(struct store *s, int64_t campaign, store_point_fn *fn, void *arg, struct err *e);
typedef int store_campaign_fn(const struct campaign *c, void *arg);
int store_each_campaign(struct store *s, store_campaign_fn *fn, void *arg, struct err *e);

/* ---- looking at it while others write (watch.c) ------------------------------------------------------------------ */

/* From now on this connection writes nothing. */
int store_only_read(struct store *s, struct err *e);
/* Between these two, what is read is of one moment, whatever others write. */
int store_freeze(struct store *s, struct err *e);
int store_thaw(struct store *s, struct err *e);

struct store_glance {
	int64_t version; /* another number when another process has written */
	int64_t findings, clusters;
};
int store_glance(struct store *s, struct store_glance *out, struct err *e);

/* ---- how much was judged ----------------------------------------------------------------------------------------- */

/* What a run judged of a backend, on one of its models, or on all its cases together. */
struct store_tally {
	int64_t campaign;
	const char *method; /* the campaign's; not written */
	const char *model;  /* "": all cases */
	const char *backend;
	const char *verdict; /* on the model; "": none */
	const char *note;    /* why, in a sentence */
	struct tally tally;
};

/* Takes the place of what the campaign has on that model and backend. */
int store_set_tally(struct store *s, const struct store_tally *t, struct err *e);
typedef int store_tally_fn(const struct store_tally *t, void *arg); /* borrowed; it may not use the store */
int store_each_tally(struct store *s, store_tally_fn *fn, void *arg, struct err *e);

#endif
