/* contract.h - sums of products over labelled axes, the engine behind Einsum.
 *
 *   Y[out labels] = Σ over all other labels of  in[0][labels] · in[1][labels] · …
 *
 * Axes of one element are no part of this: callers leave them out, which is also how an operand that repeats along a
 * label is written. */
#ifndef OPS_ENGINE_CONTRACT_H
#define OPS_ENGINE_CONTRACT_H

#include "ops/call.h"

#define CONTRACT_LABELS (52 + TENSOR_MAX_RANK) /* letters, then the axes of an ellipsis */

/* One operand: axis k runs over label[k] in steps of step[k] elements.  A label may come twice: a diagonal. */
struct contract_term {
	int n;
	unsigned char label[TENSOR_MAX_RANK];
	int64_t step[TENSOR_MAX_RANK];
	const void *data; /* double or int64_t */
};

struct contract {
	int is_float;
	int64_t size[CONTRACT_LABELS];
	const struct contract_term *in;
	int n_in;
	const unsigned char *out; /* labels of the result, each once and each in some operand */
	int n_out;
};

/* Fills y, dense and row major in the order of p->out.  Integers wrap. */
int contract(struct call *c, const struct contract *p, void *y);

/* How many products one element of the result sums. */
double contract_length(const struct contract *p);

/* The step of `label` in the term: the sum over its axes; 0 when it has none. */
int64_t contract_step(const struct contract_term *t, int label);

#endif
