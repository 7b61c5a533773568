/* maker.h - what samplers make nodes with.
 *
 * A sampler draws nodes of an operator: `.samples` of its descriptor names the samplers that do.  It gets the wires
 * that lead into it, of an element type that it takes, and adds nodes: it chooses attributes and further inputs so that
 * they fit the shapes.  Types of all wires are known at any time.  Beside the type each wire of the main graph has a
 * bound of its absolute values, so that nothing overflows by accident: make_calm() puts a Clip where a value may be too
 * large.  The first failure sticks, as in model/build.h; samplers need no checks, but must not look into a wire that is
 * NULL: sampling is over when m->b.rc is set. */
#ifndef OPS_SAMPLE_MAKER_H
#define OPS_SAMPLE_MAKER_H

#include "base/rng.h"
#include "base/vec.h"
#include "model/build.h"
#include "model/case.h"
#include "ops/op.h"
#include "ops/sample/values.h"

/* What inputs are filled with.  FILL_ENDS: values.h, in small models.  There, and wherever NaN and infinities may come,
 * each input has a range of its own, which a Clip right behind it narrows instead of being made: its operator is given
 * the numbers as they are. */
enum fill { FILL_EXACT, FILL_RANDOM, FILL_EDGE, FILL_ENDS, FILL_COUNT };

#define MAKE_MAX_IN 8       /* wires that lead into a sampler */
#define MAKE_MANY 66        /* inputs that make_many() gives an operator, at most */
#define MAKE_MAX_COUNT 2048 /* elements of such a wire */
#define MAKE_MAX_RANK 8
#define MAKE_EMPTY_OPSET 14 /* Reshape says since what a size of 0 means */
#define MAKE_LARGE 1e6      /* values that still go into arithmetic */

/* Element types that models compute in, and those that they move as well. */
#define MAKE_FLOATS (T_F32 | T_F64)
#define MAKE_NUMBERS (MAKE_FLOATS | T_INDEX)
/* For samplers that keep results of any integer type within it: make_room(). */
#define MAKE_ALL (MAKE_FLOATS | T_INT)
#define MAKE_WORDS (MAKE_FLOATS | T_WIDE) /* what ONNX multiplies and adds up */
#define MAKE_MOVED (MAKE_ALL | T_BOOL)
/* float16 comes out of Cast; nothing computes in it. */
#define MAKE_PLAIN (MAKE_MOVED | TM(DT_FLOAT16))

/* By the wire: numbers of wires change when what is not used is taken out. */
struct input_range {
	const struct wire *wire;
	struct value_range range;
};

struct maker {
	struct build b;
	struct rng rng;
	const struct op_row *row;           /* what is being made; NULL: a pattern of several operators */
	const struct op_case *const *cases; /* of that operator, for sampler_cases; up to NULL */
	const void *arg;                    /* of the sampler at work; its own affair */
	enum fill fill;
	int any_shape; /* TSM: inputs of any shape, not one of five */
	int wide;      /* PM: parameters from their whole range */
	int special;   /* NaN and infinities may come along any wire of floats */
	int any;       /* FILL_ENDS, and the sampler at work takes any float */
	int alone;     /* the model is one operator: what would be cut, cast or padded is an input that is so already */
	int nans;      /* NaN goes into operators with an order, too, now and then */
	int unguarded; /* NaN may have got where make_no_nan() was to keep it away: the opset has nothing that would */
	double weight; /* weights are within plus and minus that; 0: 2 */
	double whole;  /* largest integer that is given to operators where a type has larger ones; 0: of the type */
	int names;     /* made so far */
	int opset;
	int has_unused;                      /* constants that older opsets have as attributes were left behind */
	enum dtype bytes;                    /* of a quantized model; DT_UNDEFINED: it is none */
	struct wire *last_scale, *last_zero; /* of the last quantization of whole tensors; NULL: none yet */
	/* In place of weights: what someone puts between them and the block; NULL: they stay.  `weights_arg` is its own
	 * affair. */
	struct wire *(*weights)(struct maker *m, struct wire *w, void *arg);
	void *weights_arg;
	struct arena tmp;
	VEC(double) bounds;             /* by wire id */
	VEC(struct input_range) ranges; /* of inputs that do not take all numbers: see enum fill */
};

struct sampler {
	const char *summary;
	uint32_t types; /* element types that it can be given */
	struct wire *(*make)(struct maker *m, struct wire *const *in, int n);
	int since, until; /* opsets of the models that have it, `until` not included; 0: those that have its operator */
	int special;      /* what NaN and infinities give is plain: no order, no sums of products, no interpolation */
	int empty;        /* it takes wires without elements, and ONNX says what comes of them */
};

/* From the operator's cases: see cases.c. */
extern const struct sampler sampler_cases;

/* ---- chance ------------------------------------------------------------------------------------------------------ */

int make_chance(struct maker *m, double p);
int64_t make_between(struct maker *m, int64_t lo, int64_t hi);
int64_t make_one_of(struct maker *m, const int64_t *list, size_t n);
#define MAKE_ONE_OF(m, ...) \
	make_one_of(m, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Adds a node with inputs (NULL entry: left out) and `outs` outputs; attributes are set with build_int() …; then
 * make_done() infers its outputs and gives the first. */
void make_begin(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs);
/* A Cast of any numbers, whether they fit into the type or not: make_cast() sees to that. */
void make_begin_cast(struct maker *m, struct wire *w, enum dtype t);
/* The same for the operator m->row, of any domain. */
void make_begin_row(struct maker *m, struct wire *const *in, int n_in, int outs);
/* … with only those of the outputs that have their bit in `present`. */
void make_begin_some(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs, unsigned present);
/* An older opset gets the node as it has it (older.c): samplers write that of the newest, with parameters as inputs. */
struct wire *make_done(struct maker *m);
/* For a node whose outputs' sizes depend on values: what samplers give on must have a known shape again. */
struct wire *make_done_open(struct maker *m);
struct wire *make_op1(struct maker *m, const char *op, struct wire *a);
struct wire *make_op2(struct maker *m, const char *op, struct wire *a, struct wire *b);

void make_older(struct maker *m, struct node *n);
/* Whether the operator takes integers or bools of that type in the model's opset. */
int make_takes(const struct maker *m, const char *op, enum dtype t);

double make_bound_of(const struct maker *m, const struct wire *w);
struct wire *make_set_bound(struct maker *m, struct wire *w, double bound);
double make_largest(const struct maker *m, enum dtype t); /* of an integer type: see whole */
double make_lowest(const struct maker *m, enum dtype t);
/* What an input of the model is to be filled with: see FILL_ENDS. */
struct value_range make_range_of(const struct maker *m, const struct wire *w);
/* Narrows it; 0 when w is no such input, or nothing would be left. */
int make_narrow(struct maker *m, const struct wire *w, double lo, double hi);
/* With FILL_ENDS: lets NaN and infinity, and with `below` minus infinity, in again beside what an input was narrowed
 * to. */
void make_admit(struct maker *m, struct wire *w, int below);

/* Constants.  make_const() takes a tensor of either form; NULL: it could not be made. */
struct wire *make_const(struct maker *m, struct tensor *take, double bound);
struct wire *make_ints(struct maker *m, size_t n, const int64_t *x);
/* Where int32 is allowed too, now and then that: indices, axes, lengths. */
struct wire *make_index(struct maker *m, int64_t x);
struct wire *make_indices(struct maker *m, size_t n, const int64_t *x);
struct wire *make_list(struct maker *m, enum dtype t, size_t n, const int64_t *x); /* of an integer type */
enum dtype make_index_type(struct maker *m);
struct wire *make_scalar(struct maker *m, enum dtype t, double x);
struct wire *make_filled(struct maker *m, enum dtype t, int rank, const int64_t *dims, double x); /* all the same */
struct wire *make_random(struct maker *m, enum dtype t, int rank, const int64_t *dims, double lo, double hi);
/* Weights as the case's fill has them, from -2 to 2. */
struct wire *make_weights(struct maker *m, enum dtype t, int rank, const int64_t *dims);
enum dtype make_type(struct maker *m, uint32_t types); /* one of them, mostly float32 */
struct wire *make_input(struct maker *m, uint32_t types);
/* Where the model is of one operator, and w is an input of it: another one, of that type and shape, with the range of
 * w.  NULL where there is none.  Inputs that nothing reads in the end go. */
struct wire *make_input_as(struct maker *m, const struct wire *w, enum dtype t, int rank, const int64_t *dims);
struct wire *make_flag(struct maker *m, int rank); /* an input of one bool, of rank 0 or 1 */
/* An input of the graph that nodes go into now: the body of an operator. */
struct wire *make_body_input(struct maker *m, enum dtype t, int rank, const int64_t *dims);

/* ---- shapes and types (calculator.c) ----------------------------------------------------------------------------- */

size_t make_count_of(const struct wire *w);
/* At least one element: axes of 0 are filled up. */
struct wire *make_some(struct maker *m, struct wire *w);
struct wire *make_cast(struct maker *m, struct wire *w, enum dtype t);
struct wire *make_clip(struct maker *m, struct wire *w, double lo, double hi);
/* 0 in place of NaN where one may be: before what has no order of it, or no integer for it. */
struct wire *make_no_nan(struct maker *m, struct wire *w);
/* Floats that were computed, as whole numbers: before what asks whether two are equal, or one is 0, which a rounding
 * may make them and random roundings do not. */
struct wire *make_whole(struct maker *m, struct wire *w);
/* A bool for each element: whether it is less than a number. */
struct wire *make_less(struct maker *m, struct wire *a, double than);
/* The same for any element type. */
struct wire *make_within(struct maker *m, struct wire *w, double lo, double hi);
/* a + b, which the type has room for; before opset 14 Add takes no small integers. */
struct wire *make_sum(struct maker *m, struct wire *a, struct wire *b);
/* A Clip when values may be larger than `limit`. */
struct wire *make_calm(struct maker *m, struct wire *w, double limit);
/* The same before arithmetic: integers whose sum over `terms` of them, or of products of two where `squared`, is still
 * one of their type: ONNX does not say what becomes of a larger one.  Floats only where m->any is not set: sums and
 * products that overflow are infinite. */
struct wire *make_room(struct maker *m, struct wire *w, double limit, double terms, int squared);
struct wire *make_reshape(struct maker *m, struct wire *w, int rank, const int64_t *dims);
struct wire *make_rank(struct maker *m, struct wire *w, int rank);
struct wire *make_slice(struct maker *m, struct wire *w, const int64_t *sizes);
/* Slice and Pad until w has these sizes. */
struct wire *make_match(struct maker *m, struct wire *w, int rank, const int64_t *dims);
struct wire *make_shrink(struct maker *m, struct wire *w, size_t count);
/* The sum along an axis whose size values decide, so that the shape is known again; by chance what is summed is an
 * output of the model as well. */
struct wire *make_sum_open(struct maker *m, struct wire *open, int64_t axis, double bound);

/* Two inputs of elementwise operators: shapes that broadcast, often equal ones.  make_match_some() takes one or two;
 * where there is one, the second operand is a constant: a number, one for each place of the last axis, or a whole
 * tensor. */
void make_match_two(struct maker *m, struct wire *const *in, struct wire *out[2]);
void make_match_some(struct maker *m, struct wire *const *in, int n, struct wire *out[2]);

/* A shape that broadcasts to another one, in dims[rank]: fewer axes where m->wide, some of 1.  Gives its rank. */
int make_part_shape(struct maker *m, int rank, const int64_t *of, int64_t *dims);
/* The shape of parameters that have one number for each place of the last axis; where m->wide now and then any shape
 * that broadcasts, which a fusion may take for such a row. */
int make_row_shape(struct maker *m, const struct wire *x, int64_t *dims);

/* x with at least one axis, and one of them by chance. */
struct wire *make_ranked(struct maker *m, struct wire *x);
struct wire *make_axis(struct maker *m, struct wire *x, int64_t *axis);
int64_t make_any_axis(struct maker *m, int rank);
void make_perm(struct maker *m, int rank, int64_t *perm);         /* axes in any order */
int64_t make_either_end(struct maker *m, int64_t axis, int rank); /* as it is, or counted from the end */
/* A picture [N, C, H, W] whose height and width a block divides. */
struct wire *make_divisible(struct maker *m, struct wire *x, int64_t block);

/* ---- many inputs (many.c) ---------------------------------------------------------------------------------------- */

/* Now and then, where m->wide and they have no more than so many elements: constants of the shape of all[0] behind the
 * n wires in all[MAKE_MANY].  How many there are then. */
int make_many(struct maker *m, struct wire **all, int n, size_t elements);

/* ---- cases (cases.c) --------------------------------------------------------------------------------------------- */

/* Whether nodes can be drawn from a case: something random leads in, of a type that models compute in, and what comes
 * out are numbers of a known shape.  Binds the case's node. */
int make_case_is_open(struct op_case *c);
/* Whether a case means the same in models of an opset: 0 when the operator has another version there. */
int make_case_fits(const struct op_case *c, int opset);
enum dtype make_case_type(const struct op_case *c); /* of what leads in */

#endif
