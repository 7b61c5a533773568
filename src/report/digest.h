/* digest.h - what a store holds, gathered once for all writers: clusters with their best examples, and counts. */
#ifndef REPORT_DIGEST_H
#define REPORT_DIGEST_H

#include <jansson.h>

#include "base/arena.h"
#include "base/vec.h"
#include "report/usage.h"
#include "store/store.h"

/* A finding beside the best example of its cluster. */
struct digest_finding {
	int64_t id;
	const char *backend, *version, *method;
	const char *repro; /* the command that runs it again */
	double noise_ratio;
	int nodes;
};

struct digest_cluster {
	struct finding best;                 /* without model bytes; strings live in the digest's arena */
	VEC(struct digest_finding) findings; /* all of it, the best one too, by id */
	const char *ops;                     /* that its signature names */
	struct usage_count use;              /* of its operation by models, after digest_rank() */
};

struct digest {
	struct arena arena;
	VEC(struct store_tally) tallies;     /* what was judged, run by run; strings live in the arena */
	VEC(struct digest_cluster) clusters; /* wrong values first, then by verdict and by ratio */
	VEC(const char *) libraries;         /* by name */
	VEC(const char *) ops;               /* of the most findings first; "" for unknown */
	size_t findings;
	size_t campaigns;
	int64_t cases;  /* of the campaigns */
	double seconds; /* spent by them */
	double last;    /* time of the newest finding; 0: none */
	int ranked;     /* clusters are in the order of their use */
};

int digest_make(struct store *s, struct digest *out, struct err *e);
void digest_release(struct digest *d);
/* Puts clusters first whose operations models use most; those of equal use stay in their order.  u NULL: as they are.
 */
void digest_rank(struct digest *d, const struct usage *u);

/* The counts of each backend over all runs, in the order they came; the caller frees the rows.  *n: how many. */
struct tally_row *digest_rows(const struct digest *d, size_t *n);
/* The summary for programs (digest_json.c). */
json_t *digest_json(const struct digest *d);
/* Why a backend was judged on nothing in a run: the warning, and the note where there is one. */
void digest_why_hollow(const struct store_tally *t, struct buf *out);

/* The command that runs finding `id` of a cluster again; "": it is none of them. */
const char *digest_repro(const struct digest_cluster *c, int64_t id);

/* Findings of a library (NULL: any), operator (NULL: any) and verdict (-1: any). */
size_t digest_count(const struct digest *d, const char *library, const char *op, int verdict);

/* for (int v = digest_next_verdict(-1); v >= 0; v = digest_next_verdict(v)): the verdicts that are findings. */
int digest_next_verdict(int v);

/* What is blamed; the operators of the case where no single node is; "(unknown)". */
const char *digest_op(const struct digest_cluster *c);

/* The ratio for people, "inf" when no rounding explains a value, "" when there is no value, as after a crash. */
const char *digest_ratio(double ratio, enum verdict v, char out[32]);

#endif
