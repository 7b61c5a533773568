/* optimizer.h - steps of optimizers (domain ai.onnx.preview.training) as bindings read them.
 *
 * Inputs are R, T, all X, all G, then one or two kinds of state; outputs all new X, then the new states. */
#ifndef BACKENDS_BIND_OPTIMIZER_H
#define BACKENDS_BIND_OPTIMIZER_H

#include "backends/bind/bind.h"

struct bind_optimizer {
	int n, states;             /* tensors that are optimized, and states of each */
	enum dtype type;           /* of all of them */
	double rate, count;        /* R and T */
	double norm;               /* norm_coefficient */
	void **x, **g, **state[2]; /* handles among the call's inputs */
};

/* Reads the node at hand.  ERR_UNSUPPORTED: its tensors are of several types, or R or T is negative. */
int bind_optimizer(struct bind_call *c, int states, struct bind_optimizer *o);

/* What Adam's rate is multiplied with to undo what moments have not of their full weight: √(1 - beta^T) / (1 -
 * alpha^T), or 1 for T = 0. */
double bind_adam_correction(const struct bind_call *c, double count);

/* The factor of the gradient in Momentum: beta, which is 1 in the first iteration. */
double bind_momentum_beta(const struct bind_call *c, const struct bind_optimizer *o);

/* Whether every element of state k is known to be 0, as when training begins. */
int bind_state_is_zero(struct bind_call *c, const struct bind_optimizer *o, int k);

/* Number of the output that is the new state k of tensor i. */
static inline int bind_state_out(const struct bind_optimizer *o, int k, int i)
{
	return (1 + k) * o->n + i;
}

#endif
