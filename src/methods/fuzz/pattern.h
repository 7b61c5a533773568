/* pattern.h - patterns of several operators that are written down in a file of blocks, and nodes drawn from them.
 *
 *     t = Conv(x, filter(x)); Mul(t, Sigmoid(t))
 *     a = axis(x); Softmax(Concat(x, y, axis=a), axis=or(a, axis(x)))
 *
 * Steps are separated by semicolons; all but the last give a name to what they make.  A step is an expression as
 * model/expr.h has it.  Words with a capital are ONNX operators, with wires in their places and attributes by name
 * (outs=2: so many outputs; out(t, 1): the second of them).  x and y are what leads into the block.  A number in the
 * place of a wire is a constant of rank 0, a list one of int64; as=[2,3] is the shape of a result that hangs on values,
 * and an attribute that is a tensor takes a constant.  Other words are parts, which draw what fits:
 *
 *     or(A, B …)       mostly A, else one of the others: a near miss
 *     any(A, B …)      one of them
 *     n(1)             a constant that broadcasts: of any rank that fits, or of the whole shape
 *     c(1)             the same, and now and then another number near by
 *     row(x) …         weights that fit, as column(x) full(x) matrix(x) filter(x): pattern_parts.c lists them all
 *
 * and rules of the same file (`parts`), which are called with what is x and y in them.  Names are checked when the file
 * is read; what does not fit together is found when nodes are drawn. */
#ifndef METHODS_FUZZ_PATTERN_H
#define METHODS_FUZZ_PATTERN_H

#include "methods/fuzz/fuzz.h"
#include "model/expr.h"

#define PATTERN_STEPS 16 /* of one pattern */
#define PATTERN_INTS 16  /* of one list */

/* ---- as read ----------------------------------------------------------------------------------------------------- */

struct pattern_rule {
	const char *name; /* of a rule, or of a block */
	int since;        /* the opset that has all of its operators */
	int n;
	const char *names[PATTERN_STEPS]; /* of what steps make; "": the result */
	struct expr *steps[PATTERN_STEPS];
	const struct pattern_rule *next; /* the rule read before; NULL: none */
};

struct pattern {
	struct sampler sampler; /* that draws it */
	struct pattern_rule steps;
	const struct pattern_rule *rules; /* the last of them */
	int rank_low, rank_high;          /* of x */
	double limit;                     /* of what leads in */
};

/* Reads steps, in which `rules` can be called; all that *out points to is of the arena. */
int pattern_read(const char *name, const char *text, const struct pattern_rule *rules, struct arena *a,
		 struct pattern_rule *out, struct err *e);
/* A block of a corpus out of a file's row. */
struct block_op;
int pattern_block(const struct block_op *f, const struct pattern_rule *rules, struct arena *a, struct fuzz_op *out,
		  struct err *e);

/* Asks `fn` of each operator that the pattern may have, those of its rules too; 0 as soon as one answer is. */
int pattern_all(const struct pattern *p, int (*fn)(const struct op_row *row, void *arg), void *arg);

/* The sampler's function; m->arg is the pattern. */
struct wire *pattern_make(struct maker *m, struct wire *const *in, int n);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

enum pattern_kind { PATTERN_NONE, PATTERN_WIRE, PATTERN_NUMBER, PATTERN_FLAG, PATTERN_LIST, PATTERN_TEXT };

struct pattern_value {
	enum pattern_kind kind;
	struct wire *w;
	double f;
	int is_float; /* a number that was written with a point */
	int n;
	int64_t list[PATTERN_INTS];
	const char *text;
};

/* A pattern that is being drawn. */
struct pattern_run {
	struct maker *m;
	const struct pattern_rule *rules;
	struct wire *like; /* what constants must fit to: the first wire of the call that they are in */
	int depth;
};

/* The type that a number stands for, of numbers or truth values; DT_UNDEFINED, and the run is over, where it is none.
 */
enum dtype pattern_type(struct pattern_run *q, const struct pattern_value *v);

/* pattern_parts.c: what words without a capital draw. */
struct pattern_part {
	const char *name;
	int n; /* arguments */
	struct pattern_value (*draw)(struct pattern_run *q, const struct pattern_value *args);
};

const struct pattern_part *pattern_part_find(const char *name); /* NULL: there is none */

#endif
