/* single.h - the reference's own kernels in single precision: an honest float32 implementation of every operator.
 *
 * The x87 unit of a processor can be told to round the result of every addition, multiplication, division and square
 * root to the 24 bits of a float32.  So the sources of the reference are compiled once more for that unit, with the
 * functions of libm in float32, into a library of their own.  Numbers are still kept in doubles: nothing overflows that
 * would not overflow in the result.  Sums run from left to right, the order that loses most. */
#ifndef TESTS_SINGLE_SINGLE_H
#define TESTS_SINGLE_SINGLE_H

#include "model/case.h"
#include "reference/reference.h"

/* The functions of model/case.h and reference/reference.h.  A model or a result goes back to where it came from; inputs
 * of runs may come from anywhere. */
struct single {
	int (*parse)(const char *line, uint64_t seed, struct op_case *out, struct err *e);
	void (*release)(struct op_case *c);
	int (*open)(struct model *m, struct ref **out, struct err *e);
	void (*close)(struct ref *r);
	int (*run)(struct ref *r, struct value *const *in, size_t n, const struct ref_options *o,
		   struct ref_result *out, struct err *e);
	void (*release_result)(struct ref_result *r);
};

/* NULL: this compiler or processor has no such unit. */
const struct single *single_precision(void) __attribute__((visibility("default")));

#endif
