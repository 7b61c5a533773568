/* affine_grid.c - AffineGrid: grid[n, p, r] = Σ_k theta[n, r, k] * position(p)_k.
 *
 *     theta [N, r, r+1], size (N, C, D1 … Dr) → grid [N, D1 … Dr, r], r = 2 or 3
 *
 * A position lists coordinates innermost axis first and ends with 1.  Along an axis of D elements they go evenly from
 * -1 to 1, those being the centres (align_corners) or the outer edges of the first and the last; an axis of one element
 * has -1 with align_corners. */
#include <math.h>
#include <string.h>

#include "ops/call.h"
#include "ops/image/samplers.h"

enum { IN_THETA, IN_SIZE };

static int affine_grid_infer(struct call *c)
{
	const struct type *theta = call_shape(c, IN_THETA);
	int64_t dims[5], batch = theta ? theta->dims[0] : DIM_UNKNOWN;
	const int64_t *size;
	size_t count;
	enum ints_found found;
	int rc, r;

	if (theta && (theta->rank != 3 || theta->dims[1] == 0 || theta->dims[1] == 1 || theta->dims[1] > 3 ||
		      (theta->dims[1] >= 0 && theta->dims[2] >= 0 && theta->dims[2] != theta->dims[1] + 1)))
		return call_bad(c, "theta is neither [N, 2, 3] nor [N, 3, 4]");
	rc = call_ints(c, NULL, IN_SIZE, &size, &count, &found);
	if (rc)
		return rc;
	if (found != INTS_GIVEN) {
		call_out_rank(c, 0, c->in_type[IN_THETA].dtype,
			      theta && theta->dims[1] >= 0 ? (int)theta->dims[1] + 2 : -1);
		return 0;
	}
	if (count != 4 && count != 5)
		return call_bad(c, "size has %zu numbers, wanted 4 or 5", count);
	r = (int)count - 2;
	if ((theta && theta->dims[1] >= 0 && theta->dims[1] != r) || (batch >= 0 && batch != size[0]))
		return call_bad(c, "size does not fit theta");
	for (int i = 0; i < r; i++)
		if (size[2 + i] < 0)
			return call_bad(c, "size has %lld at position %d", (long long)size[2 + i], 2 + i);
	dims[0] = size[0];
	memcpy(dims + 1, size + 2, (size_t)r * sizeof *dims);
	dims[r + 1] = r;
	call_out(c, 0, c->in_type[IN_THETA].dtype, r + 2, dims);
	return 0;
}

/* position[0 … r] of place p of an output with spatial dims `size`. */
static void position_of(const int64_t *size, int r, int align, size_t p, double *position)
{
	for (int k = 0; k < r; k++) {
		int64_t d = size[r - 1 - k];
		double i = (double)(p % (size_t)d);

		if (align)
			position[k] = d > 1 ? -1 + 2 * i / (double)(d - 1) : -1;
		else
			position[k] = (2 * i + 1) / (double)d - 1;
		p /= (size_t)d;
	}
	position[r] = 1;
}

/* Runs over all numbers of the grid: fn(index in grid, index of its row in theta, position, r). */
typedef void number_fn(const struct call *c, size_t at, size_t row, const double *position, int r, double *s);

static int for_each_number(struct call *c, number_fn *fn, double *s)
{
	const int64_t *dims = c->out[0]->dims;
	int r = c->out[0]->rank - 2, align = attr_int(c->node, "align_corners") != 0;
	size_t places = dims_product(dims, 1, r + 1);
	double position[4];

	for (size_t p = 0; p < places; p++) {
		position_of(dims + 1, r, align, p, position);
		for (size_t n = 0; n < (size_t)dims[0]; n++)
			for (size_t k = 0; k < (size_t)r; k++)
				fn(c, (n * places + p) * (size_t)r + k, (n * (size_t)r + k) * (size_t)(r + 1), position,
				   r, s);
	}
	return 0;
}

static void number_eval(const struct call *c, size_t at, size_t row, const double *position, int r, double *s)
{
	double sum = 0;

	(void)s;
	for (int k = 0; k <= r; k++)
		sum += c->in[IN_THETA]->f[row + (size_t)k] * position[k];
	c->out[0]->f[at] = sum;
}

/* Positions are rounded themselves: as if one more term. */
static void noise_number(const struct call *c, size_t at, size_t row, const double *position, int r, double *s)
{
	(void)position;
	s[at] = 0;
	for (int k = 0; k <= r; k++)
		s[at] += fabs(c->in[IN_THETA]->f[row + (size_t)k]);
	s[at] *= noise_growth(r + 2);
}

static void number_grad(const struct call *c, size_t at, size_t row, const double *position, int r, double *s)
{
	(void)s;
	for (int k = 0; k <= r; k++)
		c->in_grad[IN_THETA]->f[row + (size_t)k] += c->out_grad[0]->f[at] * position[k];
}

static int affine_grid_eval(struct call *c)
{
	return for_each_number(c, number_eval, NULL);
}

static int affine_grid_scale(struct call *c, int out, double *s)
{
	(void)out;
	return for_each_number(c, noise_number, s);
}

static int affine_grid_grad(struct call *c)
{
	return c->in_grad[IN_THETA] && c->out_grad[0] ? for_each_number(c, number_grad, NULL) : 0;
}

static const struct op_attr affine_grid_attrs[] = {OP_INT("align_corners", 0), {0}};

const struct op op_affine_grid = {
	.samples = SAMPLES({.by = &sampler_affine_grid}),
	.in = {{"theta", T_FLOAT, 'T', 0}, {"size", T_I64, 0, 0}},
	.out = {{"grid", T_FLOAT, 'T', 0}},
	.attrs = affine_grid_attrs,
	.infer = affine_grid_infer,
	.eval = affine_grid_eval,
	.grad = affine_grid_grad,
	.scale = affine_grid_scale,
};
