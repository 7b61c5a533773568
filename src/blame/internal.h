/* internal.h - what the files of blame share: a request at work, and pieces of cases (cut.h). */
#ifndef BLAME_INTERNAL_H
#define BLAME_INTERNAL_H

#include "base/json.h"
#include "blame/blame.h"
#include "blame/cut.h"

/* ---- a request at work ------------------------------------------------------------------------------------------- */

struct blaming {
	const struct blame_request *r;
	struct blame *out;
	struct party *party;          /* the accused */
	struct party impatient;       /* the same library under a short time limit, when a hang is looked into */
	struct judge_options options; /* for parts of the case */
	double budget;                /* backend seconds */
	json_t *said;                 /* evidence of the blamer that runs now */
	unsigned bit;                 /* … and its bit in suspect.blamers */
	struct blame_map map;         /* once it was asked for: rates of all suspects */
};

struct blamer {
	const char *summary;
	int (*run)(struct blaming *b, struct err *e); /* adds suspects and evidence */
};

/* What evidence is worth: suspect.score before the ranking. */
#define WEIGHT_ALONE 4.0    /* guilty alone */
#define WEIGHT_TOGETHER 2.0 /* guilty only together with others */
#define WEIGHT_EXPOSED 1.0  /* beside that: computed wrong from what the library gave it */
#define WEIGHT_CAUSAL 1.0   /* an outlier of the change rate */

#define BLAME_ENOUGH 8 /* guilty nodes: more tell nothing new, so nobody looks for them */

/* The suspect for a node of the trial's model, added when new, and marked as named by the blamer that runs now.  The
 * pointer is good until the next call.  NULL: out of memory. */
struct suspect *blaming_suspect(struct blaming *b, const struct node *n, struct err *e);

/* Runs a part of the case.  *guilty: it fails as the whole case does (wrong numbers or NaN, or the same process
 * verdict).  What assay cannot run is not guilty.  The caller releases *o. */
int blaming_judge(struct blaming *b, struct trial *t, struct outcome *o, int *guilty, struct err *e);
/* Only runs it: o->values, or none. */
int blaming_run(struct blaming *b, struct party *p, struct trial *t, struct outcome *o, struct err *e);

int blaming_begin(struct blaming *b, const struct blame_request *r, struct blame *out, struct err *e);
void blaming_end(struct blaming *b);
void blaming_tell(const struct blaming *b, const char *phase,
		  const struct node *n);             /* to the bar: of the case or a cut */
int blaming_is_over(struct blaming *b);              /* the time is spent; says so in the evidence */
int blaming_is_process(const struct blaming *b);     /* crash, hang, …: there are no numbers to look at */
double blaming_ratio(const struct outcome *o);       /* its noise ratio, NAN where it has none */
int blame_same_kind(enum verdict a, enum verdict b); /* do both fail in the same way? */
char *blame_dump(const json_t *j);                   /* from mem_alloc(); NULL: out of memory */
const struct node *blame_origin(const struct trial *whole, const struct node *n); /* of a cut, in the whole case */

/* ---- changed cases ----------------------------------------------------------------------------------------------- */

/* A case like t with its model edited (NULL: not) and an input replaced (NULL: none). */
int blame_variant(const struct trial *t, int (*edit)(struct model *m, void *arg, struct err *e), void *arg,
		  struct value *const *inputs, struct trial *out, struct err *e);

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The smallest part of a guilty case that is still guilty, for bugs that no node shows alone.  Adds suspects. */
int blame_together(struct blaming *b, struct trial *t, const unsigned char *kinds, struct node *const *nodes, size_t n,
		   struct err *e);

/* A guilty case with all that its nodes make as outputs. */
struct exposure {
	int index;    /* of the node that is computed wrong from what the library itself gave it; -1: none is, or … */
	int hides;    /* … the failure is gone then: the library fuses them, or they share memory */
	double ratio; /* of that node */
};
int blame_expose(struct blaming *b, struct trial *part, struct exposure *out, struct err *e);

/* Hidden states of the accused on t against another library's or the reference's, streamed: δ (and with `noisy` noise
 * ratios) by node->index, 0 for constants, NAN where nothing was seen. */
int stream_measure(struct blaming *b, struct trial *t, int noisy, struct blame_map *out, struct err *e);

/* Parameters of a node that matter. */
#define BLAME_MAX_PARAMETERS 16
struct guilty_parameters {
	const char *names[BLAME_MAX_PARAMETERS]; /* borrowed from the node; those that leave the least come first */
	double left[BLAME_MAX_PARAMETERS];       /* noise ratio without each */
	size_t n;
	json_t *said; /* (given by the caller) the evidence is appended */
};

/* Their names, "strides, ceil_mode", for as long as the blame lives; NULL: out of memory. */
const char *blaming_parameters(struct blaming *b, const struct guilty_parameters *p, struct err *e);

/* Which parameters of a case of one node matter: those at whose default the failure goes.  `amplify`: as in Audee, the
 * input is moved to make the difference as large as possible before it counts as gone. */
int blame_parameters(struct blaming *b, struct trial *alone, const struct node *n, int amplify,
		     struct guilty_parameters *out, struct err *e);

#endif
