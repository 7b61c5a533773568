/* optimizer.h - the update rules of training, and the way of a network's parameters under one of them.
 *
 * With g the gradient and r the learning rate:
 *
 *   sgd        x ← x - r g
 *   momentum   m ← 0.9 m + g                            x ← x - r m
 *   adam       m ← 0.9 m + 0.1 g, v ← 0.999 v + 0.001 g²   x ← x - r m' / (√v' + 1e-8), m' and v' without their bias
 *
 * Rules are computed in double and x is rounded to its type once a step, whoever made the gradients: what differs
 * between two ways is then the gradients alone. */
#ifndef METHODS_SWAP_OPTIMIZER_H
#define METHODS_SWAP_OPTIMIZER_H

#include "tensor/tensor.h"

struct optimizer {
	const char *name;
	double rate; /* the usual one */
	int moments; /* numbers kept for each element */
	/* How far an element goes, in units of -r.  left: what m and v have of their full weight in this step,
	 * 1 - 0.9ⁿ and 1 - 0.999ⁿ. */
	double (*move)(double g, double *m, double *v, const double left[2]);
	/* The same in ai.onnx.preview.training, as a library's own optimizer computes it (update.h). */
	const char *op;
	double alpha, beta, epsilon; /* its attributes; epsilon 0: it has none */
};

extern const struct optimizer optimizer_rows[]; /* up to the first without a name */

/* NULL: there is none of that name; the message for it is in *e. */
const struct optimizer *optimizer_find(const char *name, struct err *e);

struct trajectory {
	const struct optimizer *rule;
	double rate;
	size_t n, step;
	struct tensor **at; /* wide, rounded to their type */
	double **m, **v;    /* by parameter; NULL: the rule keeps none */
};

int trajectory_open(struct trajectory *t, const struct optimizer *rule, double rate, struct tensor *const *start,
		    size_t n, struct err *e);
void trajectory_close(struct trajectory *t); /* zeroed is fine */
/* One step; grads: wide or packed, of the parameters' shapes.  Tensors that others hold are not touched. */
int trajectory_step(struct trajectory *t, struct tensor *const *grads, struct err *e);
int trajectory_is_finite(const struct trajectory *t);

#endif
