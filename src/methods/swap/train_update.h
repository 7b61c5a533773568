/* train_update.h - the library's own optimizer at work in a training. */
#ifndef METHODS_SWAP_TRAIN_UPDATE_H
#define METHODS_SWAP_TRAIN_UPDATE_H

#include "methods/swap/train.h"
#include "methods/swap/update.h"

struct updating {
	struct swapping s; /* the mix of the step's network */
	struct swap_options o;
	struct swap_result scratch;
	struct trial *t; /* out->update.trial */
	struct train_result *out;
	struct value **parted; /* inputs of the first step that is wrong; NULL: none */
	float **noise;         /* of a right step, by parameter */
	size_t n;
};

/* At the start of a training.  out->update.used stays 0, and why_not says why, where the library has none of these
 * optimizers. */
int train_update_open(struct updating *u, const struct train_request *q, const struct trajectory *start,
		      struct wire *const *parameters, struct train_result *out, struct err *e);
void train_update_close(struct updating *u); /* zeroed is fine */

/* The library's step from the right parameters, states and gradients: is it right?  Then truth takes the right one. */
int train_update_judge(struct updating *u, struct trajectory *truth, struct tensor *const *grads,
		       struct wire *const *parameters, struct train_judgement *out, struct err *e);
/* A step on the library's own way; *ok: it could take it. */
int train_update_go(struct updating *u, struct trajectory *way, struct tensor *const *grads, int *ok, struct err *e);
/* The reference's step on one of its moved ways, moved by the roundings of a step, too. */
int train_update_move(struct updating *u, struct trajectory *way, struct tensor *const *grads, size_t k, struct err *e);

/* At the end: which operator of which library took the wrong step. */
int train_update_blame(struct updating *u, const struct train_request *q, struct err *e);

#endif
