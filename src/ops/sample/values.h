/* values.h - numbers at which libraries part ways, by element type.
 *
 * Integers: the ends of the type, numbers next to powers of two (what float32 and float64 still hold, what 32 bits do),
 * -1, 0 and 1.  Floats: zeros of both signs, subnormal numbers, the ends, magnitudes from the whole range, arguments at
 * which functions leave or enter theirs, infinities, NaN. */
#ifndef OPS_SAMPLE_VALUES_H
#define OPS_SAMPLE_VALUES_H

#include "base/rng.h"
#include "tensor/tensor.h"

/* What may be drawn.  Infinities where the range has them, or where they are let in beside it. */
struct value_range {
	double lo, hi;
	int nan, above, below; /* NaN, infinity and minus infinity are let in */
};

extern const struct value_range values_all;

double values_float(enum dtype t, struct rng *r);
/* As wide tensors hold it: the bits of a uint64. */
int64_t values_int(enum dtype t, struct rng *r);
/* Element i of a wide tensor of numbers or bools. */
void values_put(struct tensor *t, size_t i, const struct value_range *range, struct rng *r);
/* Elements of two operands or more that go together: (lowest, -1), (largest, largest), … by the number of the operand.
 * Only where the range has it. */
void values_put_pair(struct tensor *t, size_t i, const struct value_range *range, unsigned pair, size_t operand);
#define VALUES_PAIRS 8
/* The number of the range next to x; of NaN, where it is not let in, next to 0. */
double values_within(const struct value_range *range, double x);

#endif
