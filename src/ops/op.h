/* op.h - what assay knows of an operator.
 *
 * One row in ops.def names the operator; one `const struct op op_<id>` in a family's file says all there is to know.
 * Nothing else in the program switches over operators.
 *
 * An operator's functions get a `struct call`: one node with its inputs.  They are called in this order:
 *
 *   infer   input types (and the values of inputs that are known) → output types and shapes.  Runs without data when a
 *           model is checked (some c->in[i] are NULL, dimensions may be unknown or symbolic), and again with everything
 *           known just before eval.  All checks of shapes and attributes belong here.
 *   eval    wide tensors → wide tensors; outputs are allocated as inferred, uninitialised.  Floats are computed in
 *           double, integers in int64 (the caller wraps results to the dtype).
 *   scale   (noise) how far float rounding may move each output element, in units of the unit roundoff.
 *   delta   (noise) how the outputs move when the inputs move.
 *   grad    output gradients → input gradients.
 *
 * Semantics follow the ONNX operator specification, version by version: c->version is the since-version that the
 * node's opset selects. */
#ifndef OPS_OP_H
#define OPS_OP_H

#include "model/model.h"

/* ---- type masks -------------------------------------------------------------------------------------------------- */

#define TM(dt) (UINT32_C(1) << (dt))
#define T_FLOAT (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16) | TM(DT_BFLOAT16))
#define T_FLOAT8                                                                                                       \
	(TM(DT_FLOAT8E4M3FN) | TM(DT_FLOAT8E4M3FNUZ) | TM(DT_FLOAT8E5M2) | TM(DT_FLOAT8E5M2FNUZ) | TM(DT_FLOAT8E8M0) | \
	 TM(DT_FLOAT4E2M1) | TM(DT_FLOAT6E2M3) | TM(DT_FLOAT6E3M2))
#define T_SIGNED (TM(DT_INT8) | TM(DT_INT16) | TM(DT_INT32) | TM(DT_INT64))
#define T_UNSIGNED (TM(DT_UINT8) | TM(DT_UINT16) | TM(DT_UINT32) | TM(DT_UINT64))
#define T_INT (T_SIGNED | T_UNSIGNED)
#define T_INT4 (TM(DT_INT4) | TM(DT_UINT4) | TM(DT_INT2) | TM(DT_UINT2))
#define T_NUM (T_FLOAT | T_INT)
#define T_BOOL TM(DT_BOOL)
#define T_STRING TM(DT_STRING)
#define T_COMPLEX (TM(DT_COMPLEX64) | TM(DT_COMPLEX128))
#define T_INDEX (TM(DT_INT32) | TM(DT_INT64))
#define T_WIDE (T_INDEX | TM(DT_UINT32) | TM(DT_UINT64))
#define T_F32 TM(DT_FLOAT)
#define T_F64 TM(DT_DOUBLE)
#define T_I32 TM(DT_INT32)
#define T_I64 TM(DT_INT64)
#define T_ANY UINT32_MAX

/* ---- the call ---------------------------------------------------------------------------------------------------- */

struct op_env;   /* services of whoever runs the node; see below */
struct rounding; /* rounding.h */
struct noisy;    /* noisy.h */
struct steps;    /* step.h */
struct op_step;

/* What a library holds of a number inside of an operator that is beyond the range of the type it computes in. */
enum op_range {
	OP_RANGE_ANY,     /* the number itself: the reference computes in double */
	OP_RANGE_ROUNDED, /* what the type makes of it: an infinity, a subnormal number, 0 */
	OP_RANGE_LOST     /* NaN, as where an infinity meets another one; 0, where subnormal numbers are taken for it */
};

#define OP_TIES_CHANCE 2

struct call {
	const struct node *node;
	const struct op *op;
	int version; /* since-version of the operator */
	struct err *err;
	struct arena *tmp;  /* scratch; gone after the call */
	struct op_env *env; /* NULL when a model is only checked */

	int n_in, n_out;
	const struct type *in_type; /* [n_in]; kind VALUE_NONE: left out, or nothing is known of it */
	struct type *out_type;      /* [n_out]; infer fills these; dtype is preset where a group letter tells it */
	struct tensor **in;         /* [n_in] wide tensors; NULL: left out, not a tensor, or (in infer) not known */
	struct value **in_value;    /* [n_in] for operators on sequences and optionals; NULL as above */
	struct tensor **out;        /* [n_out] eval: allocated wide tensors; NULL: left out or not a tensor */
	struct value **out_value;   /* [n_out] eval: set by operators whose output is no tensor (take a reference) */

	/* grad: out_grad[i] is NULL when zero; in_grad[i] is NULL when not wanted, else zeroed, double, of in[i]'s
	 * shape: grad *adds* into it. */
	struct tensor *const *out_grad;
	struct tensor **in_grad;
	struct noisy *noisy; /* grad of operators that round inside what cancels or is fed back: it is to move by
				chance; NULL: not now */

	/* delta: `lanes` perturbed copies of each tensor, kept as differences from the exact one, the lanes of an
	 * element side by side: in_delta[i][element * lanes + lane].  NULL in_delta[i]: input i is not perturbed.
	 * out_delta[i] is to be filled (NULL: output left out). */
	int lanes;
	const float *const *in_delta;
	float **out_delta;
	struct rounding *rounding; /* [n_out] see rounding.h: a delta function that writes its output in pieces may
				      round them while they are in the cache; NULL: not now */
	int drifts;                /* set by scale(): the sizes are drifts, see drift.h */
	double absolute;           /* scale: how often to count what approximations are off by, see op.floor */
	int one_pass;              /* scale, and eval with OP_RANGE_LOST: variances are had as E(x²) - E(x)² */
	int ties;    /* eval: 1 and -1 where quotients that are rounded to integers may lie a little further
			from 0, or nearer, OP_TIES_CHANCE: each by a coin; see quant_ties() */
	double near; /* eval: with OP_TIES_CHANCE, steps from a half within which a quotient counts as next to it, where
			that is more than its roundings */
	enum op_range range; /* eval: what becomes of numbers on the way that the type has not, see call_held() */
	struct steps *steps; /* eval (exact mode) or delta (noisy): see step.h; NULL: none */
};

/* What a control-flow or random operator may ask of the one who runs it. */
struct op_env {
	/* Runs a subgraph of the current node; outer wires are seen as they are now.  Outputs are references. */
	int (*run_graph)(struct op_env *env, const struct graph *g, struct value *const *in, size_t n_in,
			 struct value **out, size_t n_out, struct err *e);
	struct rng *rng;    /* for random operators */
	int64_t loop_steps; /* iterations made by all loops of this run so far: they are capped together */
	size_t ties;        /* quotients next to a half that went by a coin so far: see struct call */
	int training;       /* 1: a training step (operators that have such a mode decide by their own inputs first) */
};

/* ---- the operator ------------------------------------------------------------------------------------------------ */

#define OP_MAX_PORTS 16

enum {
	PORT_OPTIONAL = 1,
	PORT_VARIADIC = 2,   /* the last port repeats; at least one unless PORT_OPTIONAL */
	PORT_ANY_KIND = 4,   /* may be a sequence, an optional or a map, not only a tensor */
	PORT_MIXED = 8,      /* variadic whose items may differ in dtype: the group letter is not compared */
	PORT_PACKED = 16,    /* eval, scale and delta also take a constant of float32 packed, as reals.h has it */
	PORT_UNTRAINED = 32, /* a statistic or a setting, not trained: libraries have no gradient of it */
	PORT_SETTING = 64    /* says what is to be computed and takes no part in it: it is never rounded */
};

struct op_port {
	const char *name;
	uint32_t types; /* dtypes allowed, over all versions */
	char group;     /* ports with the same letter have the same dtype; 0: none */
	int flags;
};

/* An attribute and its default, as the ONNX schemas have them.  The default stands here and nowhere else: kernels,
 * bindings, faults and triage read it with ops/attr.h, and the table of the Python workers is made of it. */
struct op_attr {
	const char *name;
	enum attr_type type;
	int required;
	int since;        /* the row counts from this since-version on, until a later row of the same name; 0: always */
	int has_default;  /* what follows is the default */
	double number;    /* ATTR_INT, ATTR_FLOAT; of ATTR_INTS and ATTR_FLOATS: of each element */
	const char *text; /* ATTR_STRING */
	const int64_t *list; /* ATTR_INTS whose elements differ; NULL otherwise */
	size_t n_list;
};

/* Rows of a table: attributes without a default, … */
#define OP_ATTR(name_, type_) OP_ATTR_SINCE(0, name_, type_)
#define OP_ATTR_SINCE(since_, name_, type_)                   \
	{                                                     \
		.name = name_, .type = type_, .since = since_ \
	}
#define OP_NEEDS(name_, type_) OP_NEEDS_SINCE(0, name_, type_)
#define OP_NEEDS_SINCE(since_, name_, type_)                                 \
	{                                                                    \
		.name = name_, .type = type_, .required = 1, .since = since_ \
	}
/* … and with one.  Attributes are float32 in files, and so are their defaults. */
#define OP_FLOAT(name_, x) OP_FLOAT_SINCE(0, name_, x)
#define OP_FLOAT_SINCE(since_, name_, x) OP_DEFAULT(ATTR_FLOAT, since_, name_, .number = (double)(float)(x))
#define OP_INT(name_, x) OP_INT_SINCE(0, name_, x)
#define OP_INT_SINCE(since_, name_, x) OP_DEFAULT(ATTR_INT, since_, name_, .number = (x))
#define OP_STRING(name_, x) OP_STRING_SINCE(0, name_, x)
#define OP_STRING_SINCE(since_, name_, x) OP_DEFAULT(ATTR_STRING, since_, name_, .text = x)
#define OP_INTS(name_, x) OP_DEFAULT(ATTR_INTS, 0, name_, .number = (x)) /* each element */
#define OP_INTS_LIST(name_, ...)                                                \
	OP_DEFAULT(ATTR_INTS, 0, name_, .list = (const int64_t[]){__VA_ARGS__}, \
		   .n_list = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define OP_DEFAULT(type_, since_, name_, ...)                                                \
	{                                                                                    \
		.name = name_, .type = type_, .since = since_, .has_default = 1, __VA_ARGS__ \
	}

enum {
	OP_OWN_OUTPUTS = 1,  /* eval makes its outputs itself with call_alloc(), call_alias() or out_value */
	OP_RANDOM = 2,       /* results are random by specification: never compared */
	OP_CONTROL = 4,      /* runs subgraphs */
	OP_SHAPE_ONLY = 8,   /* eval reads in_type and never in: its result is known as soon as the shapes are */
	OP_IN_PLACE = 16,    /* delta works as well when out_delta[0] is in_delta[0] */
	OP_MONOMIALS = 32,   /* outputs are sums of products and quotients of inputs: grad of absolute values sums the
				absolute values of its terms */
	OP_PICKS = 256,      /* outputs are some of the inputs: grad hands on what they are given */
	OP_MULTIPLIES = 512, /* outputs are products of elements of input 0: libraries divide one by an element for its
				gradient */
	OP_DIVIDES = 1024,   /* input 0 over input 1: libraries divide by the square of input 1 for its gradient */
	OP_CONVERTS = 2048,  /* a float becomes the whole number that it is, without a scale */
	OP_PRODUCTS = 128,   /* multiplies tensors and adds up: what libraries hand to units of lower precision */
	OP_EARLY = 64 /* ONNX Runtime's optimizer writes it into models of older opsets as well: it is bound there
			 as its first version, and never drawn */
};

struct sampler; /* sample/maker.h */

/* A way to draw nodes of an operator: what the fuzzer's corpus of all operators has as a block. */
struct op_sample {
	const char *name;         /* of the block; NULL: the operator's */
	const struct sampler *by; /* NULL: the end of a list */
	uint32_t types;           /* element types that it is given; 0: all that `by` takes */
	int in, in_max;           /* wires that lead into it; 0: 1, and as many as `in` */
	double low, high;         /* values of the first: others are clipped; not low < high: any */
	double far;   /* how far from 0 they may be where ends are drawn (FILL_ENDS); 0: low and high hold */
	double bound; /* of the result's absolute value; 0: what `by` says */
	int ordered;  /* it asks which of two numbers is larger, and of NaN nothing is said: it gets none */
};

/* What a node must not come to be when a case is made smaller: valid, and still without a meaning. */
struct op_rule {
	/* in: values of the node's first inputs, NULL where they are not known. */
	int (*broken)(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
	int port;         /* the input that it looks at … */
	const char *attr; /* … or the attribute */
	int of, axis;     /* the input and its axis that it must fit; a negative axis counts from the end */
	const char *open; /* why ONNX leaves open what comes of it, so that no library is wrong; NULL: it does not */
};

#define OP_RULE_PORTS 12 /* inputs that rules are given */

/* Lists as members of a descriptor: .samples = SAMPLES({.by = &sampler_conv}), .rules = RULES({…}, {…}) */
/* clang-format off */
#define SAMPLES(...) (const struct op_sample[]){__VA_ARGS__, {.by = NULL}}
#define RULES(...) (const struct op_rule[]){__VA_ARGS__, {.broken = NULL}}
/* clang-format on */
/* id_samples, for descriptors that a macro writes. */
#define SAMPLE_OF(id, ...) static const struct op_sample id##_samples[] = {{__VA_ARGS__}, {.by = NULL}}

/* What op.delta made of a call; it declines before it writes anything. */
enum delta_result { DELTA_FAILED = -1, DELTA_DONE, DELTA_DECLINED };

struct op {
	/* How the fuzzer draws nodes of it.  Without any of these three: from its cases in data/cases. */
	const struct op_sample *samples; /* ways of its own */
	const char *drawn_with;          /* the operator whose samples have nodes of this one as well */
	const char *undrawn;             /* why no nodes of it are drawn */

	const char
		*owner; /* the domain of the library whose own it is, where it stands in another; NULL: as it stands */

	const struct op_rule *rules; /* NULL: none */

	struct op_port in[OP_MAX_PORTS]; /* up to the first without a name */
	struct op_port out[OP_MAX_PORTS];
	const struct op_attr *attrs; /* all versions together, rows of one name in ascending `since`, up to the first
					without a name; NULL: none */
	int flags;

	int (*infer)(struct call *c); /* required */
	int (*eval)(struct call *c);  /* required */
	int (*grad)(struct call *c);  /* (optional) no gradient when NULL */

	/* Rounding: with ulps u and no scale function, element i may move by u * |y_i| unit roundoffs: 0 for operators
	 * that only move or select data, 1 for those whose float result is correctly rounded by any sane library
	 * (+ - * / sqrt), 2 to 4 for elementary functions.  scale() replaces that where terms can cancel: it fills
	 * s[i] = Σ|terms behind element i| * noise_growth(length of the sum) for float output `out`.  These are claims:
	 * tests/unit/test_accuracy.c measures them, both ways. */
	float ulps;
	int (*scale)(struct call *c, int out, double *s);
	/* Libraries approximate functions, and some to a last place of their range and not of their value.  floor is
	 * that range, as far as it is bounded, for functions that are approximated, and a last place is a roundoff of
	 * float32 (of finer types, their own).  It counts only where a difference is doubted, and what takes it is told
	 * as precision.  What goes by the input is added by scale(). */
	float floor;

	/* (optional) fast path of the noisy mode: out_delta = f(in + in_delta) - f(in) for all lanes, relative accuracy
	 * 1e-2 of the difference suffices.  When it declines, and when NULL, eval is run once for each lane. */
	enum delta_result (*delta)(struct call *c);

	/* (optional) multiplications of one evaluation, from the types of inputs and outputs alone: see call_work() */
	double (*work)(const struct call *c);

	/* (optional) elementwise operators: how to do it in pieces, see step.h */
	const struct op_step *step;
};

/* Growth of rounding errors with the length of a sum, against the bound u * Σ|terms|: sqrt(log2 n), at least 1.
 * Libraries sum in blocks or vector lanes, whose errors grow with the depth of the tree. */
double noise_growth(double n);

/* The same against u * |sum|, for libraries that add one term after the other: every partial sum is rounded; where all
 * terms have one sign they grow evenly up to the sum, and independent errors, each uniform within half a unit, add up
 * to |sum| √n / 3.  What a sum states is the larger of both. */
double noise_growth_in_order(double n);

/* ---- the table --------------------------------------------------------------------------------------------------- */

#define OP_NEWEST_OPSET 28 /* newest ai.onnx opset whose operators were read */

struct op_row {
	const char *id, *domain, *name;
	int versions[12]; /* since-versions known, ascending, 0-terminated */
	const struct op *op;
};

extern const struct op_row op_rows[];
extern const size_t op_row_count;

const struct op_row *ops_find(const char *domain, const char *name); /* NULL: unknown */

int op_is_drawn_from_cases(const struct op *op);

/* The domain of the library whose own operator it is ("com.microsoft"); NULL: it is one of ONNX.  Another library that
 * has it as well promises nothing of it. */
const char *ops_owner(const struct op_row *row);

/* The since-version that an opset of the operator's domain selects; 0 when the operator is younger, or the opset newer
 * than what was read. */
int ops_version(const struct op_row *row, int opset);

/* Element types that ONNX has for the first input in a version, where that are not all of the operator's table; T_ANY:
 * it says no more.  Of eight bits and more, bools and strings; from opset 7 on. */
uint32_t ops_types(const struct op_row *row, int version);

/* The opset of a domain that was released with an opset of ai.onnx. */
int ops_opset_with(const char *domain, int opset);

/* Binds every node (subgraphs too) to its operator and version and checks arity, attribute names and types.
 * Unknown operators and versions are left unbound (node->op == NULL), which is no error here; a node that breaks its
 * operator's signature is ERR_INPUT. */
int ops_bind(struct model *m, struct err *e);

int ops_bind_node(struct node *n, struct err *e);

/* ERR_UNSUPPORTED with a message naming node and operator when a node is not bound, else 0. */
int ops_require_bound(const struct model *m, struct err *e);

/* Shape inference over the whole model: fills wire->type wherever something is known, and reports what contradicts
 * itself or the declared types (ERR_INPUT).  Unbound nodes leave their outputs unknown. */
int ops_infer(struct model *m, struct err *e);

/* Binds one node that was added last, with its attributes, and sets the types of its outputs: what ops_bind() and
 * ops_infer() do for all, for builders that need each type at once.  Known values are initializers of rank 0 and 1.
 * When its operator is not known: ERR_UNSUPPORTED.  `tmp` is scratch. */
int ops_infer_node(struct node *n, struct arena *tmp, struct err *e);

/* Checks dtypes and groups of one call and presets out_type dtypes, then runs op->infer. */
int call_infer(struct call *c);

#endif
