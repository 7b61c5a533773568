/* domain.h - rules that several operators have (see struct op_rule): what a smaller case must not come to mean. */
#ifndef OPS_KIT_DOMAIN_H
#define OPS_KIT_DOMAIN_H

#include "ops/kit/spatial.h"

/* Elements of input r->port. */
int domain_not_positive(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
int domain_has_zero(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
int domain_whole_zero(const struct node *n, const struct tensor *const *in, const struct op_rule *r); /* of integers */

/* NaN among the floats that go into an operator that orders numbers or chooses some: nothing is said of it, but what
 * comes out is one of them all the same, 0 or NaN. */
int domain_has_nan(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
#define DOMAIN_NAN                                                                        \
	{                                                                                 \
		.broken = domain_has_nan, .open = "NaN is among numbers that are ordered" \
	}

/* The same where what comes out is none of the numbers: 0 and 1 of Hardmax, counts of Unique. */
int domain_nan_goes_in(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
#define DOMAIN_NAN_IN                                                                         \
	{                                                                                     \
		.broken = domain_nan_goes_in, .open = "NaN is among numbers that are ordered" \
	}
/* NaN or an infinity among the floats of input r->port. */
int domain_not_finite(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
/* Input 0 has no elements; with r->port 1 only where it is of integers. */
int domain_reduces_nothing(const struct node *n, const struct tensor *const *in, const struct op_rule *r);

/* Input r->port is a list of one number where each place along axis r->axis of input r->of must have its own; with
 * r->attr that attribute is the axis.  Readers take it for a scalar, but ONNX does not say that they may. */
int domain_is_lone(const struct node *n, const struct tensor *const *in, const struct op_rule *r);

/* The float attribute r->attr. */
int domain_attr_not_positive(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
int domain_attr_is_zero(const struct node *n, const struct tensor *const *in, const struct op_rule *r);
/* It is optional, and has no default that all agree on. */
int domain_attr_missing(const struct node *n, const struct tensor *const *in, const struct op_rule *r);

/* SAME where windows jump over positions: its paddings would be less than none. */
int domain_jumps(const struct node *n, const struct tensor *const *in, const struct op_rule *r);

/* The windows of a pool, or of a convolution with weights of known sizes; 0 when they cannot be told. */
int domain_windows(const struct node *n, int ceil_mode, struct spatial *s);
int64_t domain_extent(const struct spatial *s, int axis); /* of a window, from its first position to its last */

/* The first rule of n that tells what ONNX leaves open; NULL: there is none. */
const struct op_rule *domain_open_rule(const struct node *n);
/* What a rule of n is given: the values of its first inputs, by wire id of graph g, or constants. */
void domain_inputs(const struct node *n, const struct graph *g, struct value *const *values,
		   const struct tensor *in[OP_RULE_PORTS]);

#endif
