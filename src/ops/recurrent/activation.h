/* activation.h - what RNN, GRU and LSTM are when a node does not say, beyond the defaults in their tables. */
#ifndef OPS_RECURRENT_ACTIVATION_H
#define OPS_RECURRENT_ACTIVATION_H

#include "ops/attr.h"

/* A function and what alpha and beta are when a node does not say: as those of the operator of the same name, where
 * there is one. */
struct activation_row {
	const char *name;
	int uses_alpha, uses_beta;
	double alpha, beta;
	double floor; /* rounding that does not shrink with the value, as in e^x - 1 or 2 / (1 + e^-2x) - 1 */
	double (*value)(double x, double alpha, double beta);
	double (*slope)(double x, double alpha, double beta);
};

extern const struct activation_row activation_rows[]; /* up to the first without a name */

/* The functions of one direction when `activations` is left out, NULL-terminated; NULL: no recurrent operator. */
const char *const *recurrent_defaults(const char *op_type);
/* A flag that only some of the recurrent operators have: 0 in the others. */
int recurrent_flag(const struct node *n, const char *name);

#endif
