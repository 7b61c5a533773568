/* forward.h - gradients of an operation that are operations themselves (AvgPoolGrad, smooth_l1_loss_backward): their
 * arguments mean something only where the operation itself takes them, and gives what they are the gradient of. */
#ifndef METHODS_EQUIV_FORWARD_H
#define METHODS_EQUIV_FORWARD_H

#include "methods/equiv/registry.h"

/* The operation that this one is a gradient of; NULL: it is none, or of one that is not there. */
const struct api *forward_find(const struct registry *r, const struct api *api);

enum forward_result {
	FORWARD_FAILED = -1, /* the status is in struct err */
	FORWARD_UNKNOWN,     /* it cannot be asked: not all that it takes is among the arguments */
	FORWARD_AGREES,
	FORWARD_REFUSES /* it does not take them, or its result has another shape than the gradient, or other values */
};

/* Runs it with the arguments of a call of its gradient. */
enum forward_result forward_ask(const struct api *forward, struct eval *v, const struct expr *call,
				const struct bindings *in, struct err *e);

#endif
