/* train.h - training steps on a library and on the reference: where do their ways part beyond rounding?
 *
 * Parameters are float initializers of more than one number; what is minimized is Σ seed · output, with the seeds of
 * trial_seed_gradients(), or a loss (loss.h) on one mini-batch after the other.  Two questions are asked at each step,
 * and they are not the same:
 *
 *   gradient   From the reference's own parameters: is the library's gradient of each parameter right, in units of the
 *              gradient's rounding noise?  Nothing of earlier steps is in it, so the first step where it is not names
 *              step and parameter, and Algorithm 1 with the parameters of that step names the operator.
 *   way        How far has the library, going its own way from the start, come from the reference?  Rounding alone
 *              makes ways part, and training may amplify it; so the reference goes TRAIN_WAYS more times, with its
 *              gradients moved by random roundings (ref_backward_moved()), and the distance is measured in units of
 *              the spread of those ways.
 *   update     With the library's own optimizer (train_options.own): from the reference's own parameters, gradients
 *              and states, is what the library makes of each parameter and of its states right?  Its step is a network
 *              too (update.h), and Algorithm 1 on it names the operator.  The library's way is then by that optimizer,
 *              and the reference's by the same operators. */
#ifndef METHODS_SWAP_TRAIN_H
#define METHODS_SWAP_TRAIN_H

#include "methods/swap/loss.h"
#include "methods/swap/optimizer.h"
#include "methods/swap/swap.h"

#define TRAIN_WAYS 8

struct train_options {
	size_t steps;
	const struct optimizer *optimizer;
	double rate;                 /* 0: the optimizer's own */
	const struct loss_row *loss; /* NULL: Σ seed · output */
	int own;                     /* the library's own optimizer takes its steps */
};

/* One side of a step: the parameter that stands worst. */
struct train_judgement {
	const struct wire *parameter; /* of result->trial */
	struct judgement judged;
};

struct train_step {
	struct train_judgement gradient, way;
	struct train_judgement update; /* by the library's own optimizer */
};

/* What the library's own optimizer did. */
struct train_update {
	int used;           /* it took the steps */
	char why_not[512];  /* it was asked for, but the library has none that is said here */
	struct trial trial; /* a step as a network, where it parted the wrong one */
	size_t stand_ins;   /* parameters whose steps the reference took */
	size_t parted;      /* the first step that it took wrong, or failed on; 0: none */
	struct swap_result blame;
	const struct swap_op *culprit;
};

struct train_result {
	struct trial trial; /* the network with its parameters as inputs; zeroed: it could not be trained … */
	char cannot[512];   /* … for this reason */
	double rate;
	size_t n_parameters;
	struct train_step *steps;
	size_t n;          /* steps done */
	char stopped[512]; /* why fewer than wanted; "" */
	size_t parted;     /* first step whose gradient is wrong, from 1; 0: none */
	size_t way_parted; /* first step after which the ways are apart; 0: none */
	enum verdict verdict;
	struct swap_result blame;      /* Algorithm 1 with the parameters of the step; n is 0: not made */
	const struct swap_op *culprit; /* of it, or of the analysis before; NULL: none was found */
	size_t stand_ins;              /* operators that the library lacks, computed by the reference */
	struct train_update update;
	double seconds;
};

/* What is to be trained, and where.  All of it is borrowed. */
struct train_request {
	struct trial *trial;
	struct party *base, *test;
	const struct swap_options *swap;
	const struct train_options *train;
	/* (optional) The trial's only output is a loss, and these are its inputs, step by step and over again. */
	const struct loss_batches *batches;
	/* (optional) Algorithm 1 on the same trial as it came: asked for the operator when the first step is wrong
	 * already */
	const struct swap_result *before;
};

/* What cannot be trained at all is in out->cannot. */
int swap_train(const struct train_request *q, struct train_result *out, struct err *e);
void train_result_release(struct train_result *r); /* zeroed is fine */

/* ---- for its own files ------------------------------------------------------------------------------------------- */

/* train_trial.c: the network of a case with its parameters as inputs, the last *n of them; ERR_UNSUPPORTED: there are
 * none. */
int train_make_trial(struct trial *t, struct trial *out, size_t *n, struct err *e);

/* train_blame.c: the operator, by the analysis that was made before or by one of r->trial, which stands at the
 * parameters of the step that is wrong. */
int train_blame(struct train_result *r, const struct train_request *q, struct err *e);

#endif
