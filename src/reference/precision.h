/* precision.h - lower precisions that libraries compute in, whatever the type of the tensors is. */
#ifndef REFERENCE_PRECISION_H
#define REFERENCE_PRECISION_H

#include "reference/reference.h"
#include "tensor/smallfloat.h"

struct precision {
	const char *name;  /* as options have it: "bf16" */
	const char *words; /* "bfloat16" */
	struct smallfloat format;
	int products; /* only operands of products (OP_PRODUCTS) are rounded, and their results are not */
	int steps;    /* no format: numbers are multiples of a step that the range of their tensor gives */
};

const struct precision *precision_row(enum ref_precision p); /* REF_OWN: NULL */

/* By its name, or in words; 0: there is none. */
int precision_find(const char *name, enum ref_precision *out);

double precision_roundoff(enum ref_precision p);        /* unit roundoff; 0 for REF_OWN and steps */
double precision_round(enum ref_precision p, double x); /* nearest number, ties to even; infinity where it overflows;
							   with steps, which a number alone has none of, itself */

/* float32 and float64: other types are no wider than what a library would compute them in. */
int precision_lowers(enum dtype t);

#endif
