/* accuracy.h - what operators say of their rounding (op.ulps, op.scale), measured against implementations.
 *
 * An operator states how far float rounding may move each element of its outputs.  An implementation that does nothing
 * but round is compared with the exact outputs, each difference in units of what is stated for its element:
 *
 *     ratio = |got - exact| / stated
 *
 * The claim is too little when a ratio is above ACCURACY_LITTLE, or when an element moves that is said to be exact.  It
 * is too much when even the worst implementation stays far below it. */
#ifndef TESTS_SUPPORT_ACCURACY_H
#define TESTS_SUPPORT_ACCURACY_H

#include "model/case.h"
#include "reference/reference.h"

#define ACCURACY_CASES "data/cases"              /* the folder of the operators' cases */
#define ACCURACY_HARD "tests/accuracy/hard.case" /* cases that round worse than those */

/* The judge takes a ratio above 20 for a defect.  A third of that leaves room for sums that are longer than those of
 * the cases, and for other processors. */
#define ACCURACY_LITTLE 6.0
#define ACCURACY_MUCH 0.1  /* the worst ratio is at least this, in each range of the inputs */
#define ACCURACY_SEED 7    /* of random operators and of noise */
#define ACCURACY_ENOUGH 20 /* elements that round, for a statement on how much they move */

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* What becomes of the float32 inputs of a line for which it gives no range. */
enum accuracy_range { RANGE_DRAWN, RANGE_SMALL, RANGE_LARGE, RANGE_SHIFTED, ACCURACY_RANGES };
const char *accuracy_range_name(enum accuracy_range r);

struct accuracy_case {
	const char *line;
	struct op_case c; /* its inputs are one draw */
	struct ref *ref;
	size_t row;    /* of op_rows */
	unsigned free; /* bit i: the line gives no range for input i, a float32 */
};

/* Inputs, exact outputs, and what is stated for each element. */
struct accuracy_draw {
	struct op_case in;
	struct ref_result truth;
};

/* The line must outlive the case. */
int accuracy_open(const char *line, struct accuracy_case *out, struct err *e);
void accuracy_close(struct accuracy_case *k);

int accuracy_draw(struct accuracy_case *k, uint64_t seed, enum accuracy_range r, struct accuracy_draw *out,
		  struct err *e);
void accuracy_draw_release(struct accuracy_draw *d);

/* Every line of every file of ACCURACY_CASES (`hard` 0) and of ACCURACY_HARD (1), until fn does not return 0. */
int accuracy_lines(int (*fn)(const char *line, int hard, void *arg), void *arg, struct err *e);

/* The line with another type in the place of f32: "f16".  The caller frees it with mem_free(); NULL: no memory. */
char *accuracy_with_type(const char *line, const char *type);

/* ---- tallies ----------------------------------------------------------------------------------------------------- */

struct accuracy {
	size_t stated;   /* elements for which a rounding is stated */
	size_t rounding; /* those of them that have to round: the exact value is not next to a number of the type */
	size_t exact;    /* elements that are said to be exact */
	double worst;    /* the largest ratio; infinite: an element moved that is said to be exact */
	char where[256]; /* of the worst */
};

struct accuracy_answer {
	const char *line;
	int output;
	const struct tensor *exact;
	const float *stated; /* NULL: all exact */
	const struct tensor *got;
	double another; /* where an element is off by more than so many roundoffs of the largest one, it is another
			   answer, which says nothing of rounding; 0: there is none */
};

/* 1: it is another answer, and does not count. */
int accuracy_add(struct accuracy *a, const struct accuracy_answer *x);

enum accuracy_verdict { ACCURACY_FINE, ACCURACY_TOO_LITTLE, ACCURACY_TOO_MUCH };

/* Of an operator by the ranges of its inputs, had it stated `factor` times as much. */
enum accuracy_verdict accuracy_judge(const struct accuracy ranges[ACCURACY_RANGES], double factor);

size_t accuracy_rounding(const struct accuracy ranges[ACCURACY_RANGES]);
double accuracy_worst(const struct accuracy ranges[ACCURACY_RANGES]);

#endif
