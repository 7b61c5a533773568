/* compose.h - operators that are other operators one after the other.
 *
 * Such an operator has one function that says which.  It puts them on a tape, step by step:
 *
 *     static void bias_gelu_steps(struct compose *p)
 *     {
 *             struct compose_part *sum = STEP(p, "Add", NULL, compose_input(p, 0), compose_input(p, 1));
 *
 *             compose_output(p, 0, STEP(p, "Gelu", NULL, sum));
 *     }
 *
 *     COMPOSED(bias_gelu)      makes bias_gelu_infer(), _eval(), _scale(), _delta() and _grad() of it
 *
 * Shapes, values, rounding, lanes and gradients then come from the operators of the steps, in their newest version.
 *
 * The function also runs when a model is only checked: values are NULL then and dimensions may be unknown.  Where it
 * cannot go on without them it returns, and outputs that it has not named are of unknown shape.  After an error steps
 * do nothing, so it need not look at every one. */
#ifndef OPS_ENGINE_COMPOSE_H
#define OPS_ENGINE_COMPOSE_H

#include "base/vec.h"
#include "ops/call.h"

/* A value on the way. */
struct compose_part {
	struct type type;
	struct tensor *value; /* wide; NULL: not known yet */

	/* while the tape is played: */
	struct tensor *moved; /* the value in a run with roundings; NULL: as it is */
	float *delta;         /* of its lanes; NULL: they are as it is */
	struct tensor *grad;  /* NULL: none yet */
	int rounded, wanted;  /* roundings move it; a gradient of it is wanted */
};

struct compose_step {
	struct call call;
	struct node node;
	struct compose_part **in; /* [call.n_in] NULL: left out */
	struct compose_part *out; /* [call.n_out] */
	double **scale;           /* [call.n_out] how far it rounds, see op.scale; NULL: it is exact */
};

#define COMPOSE_MAX_OUT 4 /* of a step */

struct compose {
	struct call *c;
	int rc; /* of the first step that failed */
	VEC(struct compose_step *) steps;
	VEC(struct compose_part *) parts;
	struct compose_part *in[OP_MAX_PORTS], *out[OP_MAX_PORTS];
	struct compose_part none[COMPOSE_MAX_OUT]; /* what steps give when there is no memory for it */
	struct arena scratch;                      /* of a step's call */
	int known;                                 /* values are there: steps are evaluated */
};

typedef void compose_fn(struct compose *p);

/* ---- what a compose_fn calls ------------------------------------------------------------------------------------- */

struct compose_part *compose_input(struct compose *p, int i); /* NULL: left out */
void compose_output(struct compose *p, int i, struct compose_part *x);

/* A constant; takes the tensor over, and NULL is an error that has been told. */
struct compose_part *compose_constant(struct compose *p, struct tensor *take);
struct compose_part *compose_number(struct compose *p, enum dtype t, double x);
struct compose_part *compose_ints(struct compose *p, const int64_t *list, int n);

/* What is only known by its type: an output when a model is checked. */
struct compose_part *compose_unknown(struct compose *p, enum dtype t, int rank, const int64_t *dims);

/* Runs an operator of ai.onnx; returns its n_out outputs (at most COMPOSE_MAX_OUT), one after the other.  attrs: up to
 * one without a name; NULL: none. */
struct compose_part *compose_steps(struct compose *p, const char *op, const struct attr *attrs,
				   struct compose_part *const *in, int n_in, int n_out);

/* Ends the composition: call_bad() or call_unsupported() have told why. */
void compose_fail(struct compose *p, int rc);

/* Dimension d of a part, negative d from the end; DIM_UNKNOWN where that is not known. */
int64_t compose_dim(const struct compose_part *x, int d);
/* Its rank; -1: not known, or there is none. */
int compose_rank(const struct compose_part *x);

/* clang-format off */
#define STEPS(p, n_out, op, attrs, ...)                                          \
	compose_steps(p, op, attrs, (struct compose_part *[]){__VA_ARGS__},      \
		      (int)(sizeof((struct compose_part *[]){__VA_ARGS__}) / sizeof(struct compose_part *)), n_out)
#define STEP(p, op, attrs, ...) STEPS(p, 1, op, attrs, __VA_ARGS__)
#define STEP_ATTRS(...) ((const struct attr[]){__VA_ARGS__, {.name = NULL}})
#define STEP_INT(name_, x) {.name = name_, .type = ATTR_INT, .n = 1, .i = (x)}
#define STEP_FLOAT(name_, x) {.name = name_, .type = ATTR_FLOAT, .n = 1, .f = (x)}
#define STEP_STRING(name_, x) {.name = name_, .type = ATTR_STRING, .n = 1, .s = {(char *)(x), strlen(x)}}
#define STEP_INTS(name_, list, count)                                           \
	{.name = name_, .type = ATTR_INTS, .n = (size_t)(count), .ints = (int64_t *)(list)}
/* clang-format on */

/* ---- members of a descriptor ------------------------------------------------------------------------------------- */

int compose_infer(struct call *c, compose_fn *fn);
int compose_eval(struct call *c, compose_fn *fn);
int compose_scale(struct call *c, compose_fn *fn, int out, double *s);
enum delta_result compose_delta(struct call *c, compose_fn *fn);
int compose_grad(struct call *c, compose_fn *fn);

/* All of them for id_steps(); COMPOSED_MEMBERS(id) puts them into the descriptor. */
#define COMPOSED(id)                                              \
	static int id##_infer(struct call *c)                     \
	{                                                         \
		return compose_infer(c, id##_steps);              \
	}                                                         \
	static int id##_eval(struct call *c)                      \
	{                                                         \
		return compose_eval(c, id##_steps);               \
	}                                                         \
	static int id##_scale(struct call *c, int out, double *s) \
	{                                                         \
		return compose_scale(c, id##_steps, out, s);      \
	}                                                         \
	static enum delta_result id##_delta(struct call *c)       \
	{                                                         \
		return compose_delta(c, id##_steps);              \
	}                                                         \
	static int id##_grad(struct call *c)                      \
	{                                                         \
		return compose_grad(c, id##_steps);               \
	}

#define COMPOSED_MEMBERS(id) \
	.infer = id##_infer, .eval = id##_eval, .scale = id##_scale, .delta = id##_delta, .grad = id##_grad

/* ---- for compose_play.c ------------------------------------------------------------------------------------------ */

/* Writes the tape, with values; compose_close() in any case. */
int compose_open(struct compose *p, struct call *c, compose_fn *fn);
void compose_close(struct compose *p);

/* Evaluates a step on other inputs; out[] are references. */
int compose_evaluate(struct compose *p, struct compose_step *s, struct tensor *const *in, struct tensor **out);

#endif
