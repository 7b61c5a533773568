/* draw.h - the variables of a pair: what they may be, and one drawing of them.
 *
 *     n=1..4 h=3..9 x:float32[n,2,h,h] w:float32.positive[3,2,3,3] k:int64.below5[n]
 *
 * Integers are drawn first, in order; sizes of tensors may use them.  Values of tensors differ from element to element
 * and hold zeros of both signs and subnormal numbers, unless a word behind the element type says otherwise:
 *
 *     positive   positive numbers        whole     whole numbers: sums and products of few are exact
 *     plain      neither zeros nor subnormal numbers
 *     edges      also NaN, infinities, large and the smallest numbers      belowN    0 … N-1, for indices
 *
 * Every eighth drawing has all integers at their lower ends: sizes 1, or 0 where a row allows it. */
#ifndef METHODS_EQUIV_DRAW_H
#define METHODS_EQUIV_DRAW_H

#include "base/rng.h"
#include "model/expr.h"
#include "tensor/value.h"

#define DRAW_MAX 24 /* variables of a pair */

enum draw_how {
	DRAW_ANY,
	DRAW_POSITIVE,
	DRAW_WHOLE,
	DRAW_PLAIN,
	DRAW_EDGES,
	DRAW_FAR_EDGES,   /* edges, and the first element may be as large as its type has it */
	DRAW_SMALL_EDGES, /* edges, but none that work could grow with */
	DRAW_END,         /* plain, but for the first element, which may be at the end of the type */
	DRAW_FULL,        /* whole numbers of the type's whole range */
	DRAW_BELOW
};

static inline int draw_has_edges(enum draw_how how)
{
	return how == DRAW_EDGES || how == DRAW_FAR_EDGES;
}

struct draw_variable {
	const char *name;
	int is_tensor;
	int64_t lo, hi; /* of an integer */
	enum dtype dtype;
	enum draw_how how;
	int64_t below;     /* DRAW_BELOW */
	struct expr *dims; /* a list */
};

struct draw {
	struct draw_variable at[DRAW_MAX];
	size_t n;
};

int draw_parse(const char *text, struct arena *a, struct draw *out, struct err *e);

struct draw_binding {
	const char *name;
	struct value *tensor; /* NULL: an integer */
	int64_t i;
};

struct bindings {
	struct draw_binding at[DRAW_MAX];
	size_t n;
};

/* Drawing number `index` of the stream r. */
int draw_make(const struct draw *d, const struct rng *r, uint64_t index, struct bindings *out, struct err *e);
void bindings_copy(const struct bindings *from, struct bindings *to); /* new references to the same tensors */
void bindings_release(struct bindings *b);                            /* zeroed is fine */
/* Another tensor under a name that there is; takes it. */
void bindings_replace(struct bindings *b, const char *name, struct value *take);
const struct draw_binding *bindings_find(const struct bindings *b, const char *name);

/* A number of an expression of integers; ERR_INPUT when it is none. */
int bindings_int(const struct bindings *b, const struct expr *x, int64_t *out, struct err *e);

/* A tensor drawn on its own. */
struct value *draw_tensor(enum dtype t, int rank, const int64_t *dims, enum draw_how how, int64_t below, struct rng *r,
			  struct err *e);

/* A tensor of given numbers, rounded to its type. */
typedef double draw_number_fn(size_t i, void *arg);
struct value *draw_numbers(enum dtype t, int rank, const int64_t *dims, draw_number_fn *number, void *arg,
			   struct err *e);

/* The same values, each float and each part of a complex number moved by at most one unit in its last place (u: its
 * roundoff): what a library's rounding may do to an input.  NULL: no memory. */
struct value *draw_nudged(const struct value *v, double u, struct rng *r, struct err *e);
/* The same for whole numbers: those that a float type of roundoff u has no digits for move. */
struct value *draw_nudged_whole(const struct value *v, double u, struct rng *r, struct err *e);
/* The same, moved by one unit in the last place of the tensor's largest: what a stable algorithm may do to a matrix. */
struct value *draw_shaken(const struct value *v, double u, struct rng *r, struct err *e);
/* The same values, with 0 in place of subnormal numbers: what many programs are compiled to.  NaNs and
 * the zeros of complex numbers have no sign afterwards. */
struct value *draw_flushed(const struct value *v, struct err *e);
/* The same values, with 1/2 in place of 0: away from where a quotient or a logarithm has no value. */
struct value *draw_off_zero(const struct value *v, struct err *e);

#endif
