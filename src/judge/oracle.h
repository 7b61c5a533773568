/* oracle.h - who says that two answers differ too much: the published oracles with their papers' own thresholds, and
 * the rounding oracle beside them.  `--oracle NAME` of the methods.
 *
 * One row in oracles.def and one descriptor each.  Those of the papers compare two libraries and know nothing else; the
 * rounding oracle asks the reference which of them is wrong. */
#ifndef JUDGE_ORACLE_H
#define JUDGE_ORACLE_H

#include "judge/trial.h"

/* The outputs of two parties on one case. */
struct oracle_case {
	const struct ref_result *truth; /* REF_NOISY: rounding needs it; others may take labels from it.  NULL: none */
	struct value *const *a, *const *b; /* n of each, packed or wide */
	size_t n;
	const struct tensor *labels; /* (optional) integers: the right class of each sample of output 0 */
	const struct tensor *target; /* (optional) what a regression should give, in the shape of output 0 */
};

struct oracle_answer {
	int inconsistent;
	double distance;  /* in the oracle's own measure, the largest over the outputs */
	size_t output;    /* where */
	int wrong;        /* rounding: 1 a is wrong, 2 b is, 3 both; 0 for oracles that cannot tell */
	char reason[128]; /* "" when consistent */
};

struct oracle {
	const char *summary, *paper;
	double limit; /* the paper's own threshold, in units of `distance` */
	int needs_truth;
	int gradients; /* compares gradients too */
	/* Judges output i; outputs are tensors of numbers of the same type and shape.  Returns the distance; NaN: not
	 * to be compared. */
	double (*distance)(const struct oracle_case *c, size_t i, struct oracle_answer *out);
	int at_limit; /* a distance equal to the limit is inconsistent already */
};

struct oracle_row {
	const char *name;
	const struct oracle *oracle;
};

extern const struct oracle_row oracle_rows[]; /* up to the first without a name */

const struct oracle_row *oracle_find(const char *name); /* NULL: unknown */

/* Values of other kinds or shapes, and NaN on one side only, are inconsistent for every oracle.  `limit` 0: the
 * paper's. */
void oracle_ask(const struct oracle *o, const struct oracle_case *c, double limit, struct oracle_answer *out);

/* Samples and classes of a tensor of scores [N, C] (further axes of 1 are fine); 0 when it is none. */
int oracle_scores(const struct tensor *y, size_t *samples, size_t *classes);

#endif
