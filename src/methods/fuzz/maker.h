/* maker.h - what samplers make nodes with.
 *
 * A sampler gets the wires that lead into a block, of an element type that the block takes, and adds nodes: it chooses
 * attributes and further inputs so that they fit the shapes.  Types of all wires are known at any time.  Beside the
 * type each wire of the main graph has a bound of its absolute values, so that nothing overflows by accident: calm()
 * puts a Clip where a value may be too large.  The first failure sticks, as in model/build.h; samplers need no checks,
 * but must not look into a wire that is NULL: sampling is over when m->b.rc is set. */
#ifndef METHODS_FUZZ_MAKER_H
#define METHODS_FUZZ_MAKER_H

#include "methods/fuzz/fuzz.h"
#include "model/build.h"
#include "ops/op.h"

enum fill { FILL_EXACT, FILL_RANDOM, FILL_EDGE, FILL_COUNT };

#define MAX_COUNT 2048 /* elements of a wire that goes into a block */
#define MAX_RANK 5
#define LARGE 1e6 /* values that still go into arithmetic */

struct maker {
	struct build b;
	struct rng rng;
	const struct fuzz_op *op; /* the block that is being made */
	enum fill fill;
	int any_shape; /* TSM: inputs of any shape, not one of five */
	int wide;      /* PM: parameters from their whole range */
	int special;   /* NaN and infinities may come along any wire of floats */
	int names;     /* made so far */
	int opset;
	struct wire *last_scale, *last_zero; /* of the last quantization of whole tensors; NULL: none yet */
	struct arena tmp;
	VEC(double) bounds; /* by wire id */
};

struct sampler {
	const char *summary;
	uint32_t types; /* element types that it can be given */
	struct wire *(*make)(struct maker *m, struct wire *const *in, int n);
	int mixed;   /* inputs need not have the same type */
	int special; /* what NaN and infinities give is plain: no order, no sums of products, no interpolation */
};

const struct sampler *sampler_find(const char *name); /* NULL: unknown */

/* ---- chance ------------------------------------------------------------------------------------------------------ */

int chance(struct maker *m, double p);
int64_t between(struct maker *m, int64_t lo, int64_t hi);
int64_t one_of(struct maker *m, const int64_t *list, size_t n);
#define ONE_OF(m, ...) \
	one_of(m, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Adds a node with inputs (NULL entry: left out) and `outs` outputs; attributes are set with build_int() …; then
 * done() infers its outputs and gives the first. */
void begin(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs);
/* … with only those of the outputs that have their bit in `present`. */
void begin_some(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs, unsigned present);
struct wire *done(struct maker *m);
/* For a node whose outputs' sizes depend on values: what samplers give on must have a known shape again. */
struct wire *done_open(struct maker *m);
struct wire *op1(struct maker *m, const char *op, struct wire *a);
struct wire *op2(struct maker *m, const char *op, struct wire *a, struct wire *b);

double bound_of(const struct maker *m, const struct wire *w);
struct wire *set_bound(struct maker *m, struct wire *w, double bound);

/* Constants.  constant() takes a tensor of either form; NULL: it could not be made. */
struct wire *constant(struct maker *m, struct tensor *take, double bound);
struct wire *const_ints(struct maker *m, size_t n, const int64_t *x);
struct wire *const_scalar(struct maker *m, enum dtype t, double x);
struct wire *const_random(struct maker *m, enum dtype t, int rank, const int64_t *dims, double lo, double hi);
/* Weights as the case's fill has them, from -2 to 2. */
struct wire *weights(struct maker *m, enum dtype t, int rank, const int64_t *dims);
struct wire *new_input(struct maker *m, uint32_t types);
struct wire *new_flag(struct maker *m, int rank); /* an input of one bool, of rank 0 or 1 */
/* An input of the graph that nodes go into now: the body of an operator. */
struct wire *body_input(struct maker *m, enum dtype t, int rank, const int64_t *dims);

/* ---- shapes and types (calculator.c) ----------------------------------------------------------------------------- */

size_t count_of(const struct wire *w);
struct wire *cast(struct maker *m, struct wire *w, enum dtype t);
struct wire *clip(struct maker *m, struct wire *w, double lo, double hi);
/* 0 in place of NaN where one may be: before what has no order of it, or no integer for it. */
struct wire *no_nan(struct maker *m, struct wire *w);
/* Floats that were computed, as whole numbers: before what asks whether two are equal, or one is 0, which a rounding
 * may make them and random roundings do not. */
struct wire *settled(struct maker *m, struct wire *w);
/* A Clip when values may be larger than `limit`. */
struct wire *calm(struct maker *m, struct wire *w, double limit);
struct wire *reshape(struct maker *m, struct wire *w, int rank, const int64_t *dims);
struct wire *as_rank(struct maker *m, struct wire *w, int rank);
struct wire *slice_to(struct maker *m, struct wire *w, const int64_t *sizes);
/* Slice and Pad until w has these sizes. */
struct wire *match(struct maker *m, struct wire *w, int rank, const int64_t *dims);
struct wire *shrink(struct maker *m, struct wire *w, size_t count);
/* The sum along an axis whose size values decide, so that the shape is known again; by chance what is summed is an
 * output of the model as well. */
struct wire *settle(struct maker *m, struct wire *open, int64_t axis, double bound);

/* Two inputs of elementwise operators: shapes that broadcast, often equal ones.  match_some() takes one or two; where
 * there is one, the second operand is a constant: a number, one for each place of the last axis, or a whole tensor. */
void match_two(struct maker *m, struct wire *const *in, struct wire *out[2]);
void match_some(struct maker *m, struct wire *const *in, int n, struct wire *out[2]);

/* x with at least one axis, and one of them by chance. */
struct wire *ranked(struct maker *m, struct wire *x);
struct wire *with_axis(struct maker *m, struct wire *x, int64_t *axis);
int64_t either_end(struct maker *m, int64_t axis, int rank); /* as it is, or counted from the end */

/* Begin and end of a window of filter f, dilation d and stride s over n positions. */
struct window {
	int64_t filter, stride, dilation, before, after;
};

void window_draw(struct maker *m, int64_t n, int dilates, struct window *w);

/* Makes one block; NULL when m->b.rc is set. */
struct wire *make_block(struct maker *m, const struct fuzz_op *op, struct wire *const *in, int n);

#endif
