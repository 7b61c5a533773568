/* norm.h - normalization of the lines of a tensor: what batch, instance, layer, group, RMS and mean-variance
 * normalization share.
 *
 * Over every line x (n elements along the chosen axes):
 *
 *     mean  = Σ x / n                  (0 when not centred)
 *     var   = Σ (x - mean)^2 / n
 *     sigma = sqrt(var + epsilon)
 *     inv   = 1 / (sigma + outside)
 *     y     = (x - mean) * inv * scale + bias
 *
 * Operators differ in which axes make a line and in which element of scale and bias belongs to which element of X. */
#ifndef OPS_NORM_NORM_H
#define OPS_NORM_NORM_H

#include "ops/call.h"
#include "ops/kit/lines.h"

/* A parameter tensor that is repeated over X: element j of line k uses at[across[k] + along[j]]. */
struct norm_param {
	const double *at; /* NULL: there is none (scale 1, bias 0) */
	size_t *across, *along;
};

struct norm {
	struct lines lines;
	int rank;
	int64_t dims[TENSOR_MAX_RANK];
	uint32_t axes;
	int centred;
	double epsilon, outside;
	enum dtype inside; /* what sums are held in; DT_UNDEFINED: the type of output 0 */
	double widen;      /* how much coarser the arithmetic may be than the output's dtype (stash_type), at least 1 */
	struct norm_param scale, bias;
};

/* Per line; NULL: not wanted. */
struct norm_moments {
	double *mean, *var, *inv;
};

/* What norm_backward reads (NULL: zero) and adds to (NULL: not wanted). */
struct norm_grads {
	const double *y;                /* like X */
	const double *mean, *var, *inv; /* per line */
	double *x, *scale, *bias;
};

/* dims need not be X's own, only a grouping of its elements.  Scale and bias are absent at first. */
void norm_init(struct norm *n, int rank, const int64_t *dims, uint32_t axes, double epsilon);

/* Attaches a parameter whose element for index (i0, i1, …) of X is Σ i_a * strides[a]. */
int norm_set_param(struct call *c, const struct norm *n, struct norm_param *p, const double *at,
		   const int64_t *strides);

int norm_forward(struct call *c, const struct norm *n, const double *x, double *y, const struct norm_moments *m);
int norm_backward(struct call *c, const struct norm *n, const double *x, const struct norm_grads *g);

/* Rounding scale of y, and of the mean, the variance and inv of each line (NULL: not wanted). */
int norm_noise(struct call *c, const struct norm *n, const double *x, double *y, const struct norm_moments *m);

#endif
