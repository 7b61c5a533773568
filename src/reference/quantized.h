/* quantized.h - operators that the quantizers of ONNX Runtime know, and the steps of eight bits of their tensors. */
#ifndef REFERENCE_QUANTIZED_H
#define REFERENCE_QUANTIZED_H

#include "ops/op.h"

#define QUANTIZED_STEPS 255.0        /* of uint8 */
#define QUANTIZED_WEIGHT_STEPS 127.0 /* of int8, to either side */

/* What decides on the steps of an operator's output. */
enum quantized_steps {
	STEPS_DATA,  /* its range */
	STEPS_INPUT, /* those of the first input: elements are moved, chosen or averaged */
	STEPS_UNIT   /* all that it can be is between 0 and 1 */
};

struct quantized_op {
	const char *name;
	int weight, bias;   /* inputs; -1: none */
	int axis;           /* of the weight's channels; negative: from the end */
	const char *turned; /* attribute that turns a matrix around; NULL: none */
	enum quantized_steps steps;
	const char *domain; /* NULL: ONNX's own */
	int dynamic;        /* only what quantizes at run time knows it */
};

const struct quantized_op *quantized_op_find(const struct node *n); /* NULL: it stays in float32 */

/* The numbers of a tensor, with 0 among them; zeroed: none yet. */
struct quantized_range {
	double low, high;
};

void quantized_widen(struct quantized_range *r, const struct tensor *t); /* by what is finite */
double quantized_step(const struct quantized_range *r);                  /* of uint8 */
void quantized_round(const struct quantized_range *r, double *x, size_t n);
/* Whether x ends a range that begins with 0 and comes back from its last step as it is, in float32: a number alone,
 * such as a count, is stored exactly. */
int quantized_ends(const struct quantized_range *r, double x);

/* Whether a quantizer stores the tensor: an operator that it knows makes it or reads it. */
int quantized_is_stored(const struct wire *w);

/* A constant: an initializer, or what a node without inputs gives. */
int quantized_is_constant(const struct wire *w);

#endif
