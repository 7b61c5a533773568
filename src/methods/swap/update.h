/* update.h - a step of training as a network: what an optimizer makes of parameters, gradients and its states.
 *
 *     w, gradient:w, first:w ─ Momentum (w) ─ next:w, next_first:w        a node for each parameter, called as it is
 *
 * The operators are those of ai.onnx.preview.training, which a library computes by its own optimizer; `step` counts
 * from 0 in Momentum and from 1 in Adam, as its T is the exponent in the correction. */
#ifndef METHODS_SWAP_UPDATE_H
#define METHODS_SWAP_UPDATE_H

#include "judge/trial.h"
#include "methods/swap/optimizer.h"

/* The network of t's next step, with gradients that are 0.  ERR_UNSUPPORTED: a parameter is neither float32 nor
 * float64.
 */
int update_make(const struct trajectory *t, struct wire *const *parameters, uint64_t seed, struct trial *out,
		struct err *e);

/* Its inputs become those of t's next step. */
int update_feed(struct trial *update, const struct trajectory *t, struct tensor *const *grads, struct err *e);

/* The parameter that an output of the network belongs to. */
size_t update_parameter(const struct trajectory *t, size_t output);

/* t takes the step that the outputs of a run say, each rounded to its type. */
int update_take(struct trajectory *t, struct value *const *outputs, struct err *e);

#endif
