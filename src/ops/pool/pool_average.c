/* pool_average.c - AveragePool and GlobalAveragePool: y = Σ x / n over the window.
 *
 * n counts the elements inside the input; with count_include_pad those inside its padding too, but never positions
 * beyond it, which a last window has with ceil_mode. */
#include <math.h>

#include <string.h>

#include "ops/kit/domain.h"
#include "ops/pool/pool_plan.h"
#include "ops/pool/samplers.h"

struct average_run {
	const struct call *c;
	int include_pad;
	const double *x;
	double *y;
	const double *gy;
	double *gx;
	const float *dx;
	float *dy;
	size_t lanes;
};

static double divisor(const struct average_run *a, const struct pool_row *r, int64_t o)
{
	if (a->include_pad)
		return (double)r->padded_rows * (double)r->padded[o];
	return (double)r->n_start * (double)r->count[o];
}

static void row_eval(const struct pool_row *r, void *arg)
{
	struct average_run *a = arg;

	for (int64_t o = 0; o < r->width; o++) {
		double sum = 0;

		for (size_t s = 0; s < r->n_start; s++) {
			const double *x = a->x + r->in + r->start[s] + r->first[o];

			for (int64_t k = 0; k < r->count[o]; k++)
				sum += x[k * r->step];
		}
		a->y[r->out + (size_t)o] = call_held(a->c, a->c->out_type[0].dtype, sum) / divisor(a, r, o);
	}
}

static void row_scale(const struct pool_row *r, void *arg)
{
	struct average_run *a = arg;

	for (int64_t o = 0; o < r->width; o++) {
		double size = 0, sum = 0, n = (double)r->n_start * (double)r->count[o];

		for (size_t s = 0; s < r->n_start; s++) {
			const double *x = a->x + r->in + r->start[s] + r->first[o];

			for (int64_t k = 0; k < r->count[o]; k++) {
				size += fabs(x[k * r->step]);
				sum += x[k * r->step];
			}
		}
		a->y[r->out + (size_t)o] =
			fmax(size * noise_growth(n), fabs(sum) * noise_growth_in_order(n)) / divisor(a, r, o);
	}
}

static void row_grad(const struct pool_row *r, void *arg)
{
	struct average_run *a = arg;

	for (int64_t o = 0; o < r->width; o++) {
		double g = a->gy[r->out + (size_t)o] / divisor(a, r, o);

		for (size_t s = 0; s < r->n_start; s++) {
			double *gx = a->gx + r->in + r->start[s] + r->first[o];

			for (int64_t k = 0; k < r->count[o]; k++)
				gx[k * r->step] += g;
		}
	}
}

static void row_delta(const struct pool_row *r, void *arg)
{
	struct average_run *a = arg;
	size_t lanes = a->lanes;

	for (int64_t o = 0; o < r->width; o++) {
		float *dy = a->dy + (r->out + (size_t)o) * lanes, weight = (float)(1 / divisor(a, r, o));

		memset(dy, 0, lanes * sizeof *dy);
		for (size_t s = 0; s < r->n_start; s++) {
			const float *dx = a->dx + (r->in + (size_t)(r->start[s] + r->first[o])) * lanes;

			for (int64_t k = 0; k < r->count[o]; k++)
				for (size_t l = 0; l < lanes; l++)
					dy[l] += weight * dx[(size_t)(k * r->step) * lanes + l];
		}
	}
}

static int plan(struct call *c, struct pool *p, struct average_run *a, int global)
{
	*a = (struct average_run){
		.c = c, .include_pad = !global && attr_int(c->node, "count_include_pad") != 0, .x = c->in[0]->f};
	return pool_plan(c, p, global);
}

static int average_eval(struct call *c, double *out, pool_row_fn *fn, int global)
{
	struct average_run a;
	struct pool p;
	int rc = plan(c, &p, &a, global);

	if (rc)
		return rc;
	a.y = out;
	return pool_walk(c, &p, fn, &a);
}

static int average_grad(struct call *c, int global)
{
	struct average_run a;
	struct pool p;
	int rc;

	if (!c->in_grad[0] || !c->out_grad[0])
		return 0;
	rc = plan(c, &p, &a, global);
	if (rc)
		return rc;
	a.gy = c->out_grad[0]->f;
	a.gx = c->in_grad[0]->f;
	return pool_walk(c, &p, row_grad, &a);
}

static enum delta_result average_delta(struct call *c, int global)
{
	struct average_run a;
	struct pool p;

	if (plan(c, &p, &a, global))
		return DELTA_FAILED;
	a.dx = c->in_delta[0];
	a.dy = c->out_delta[0];
	a.lanes = (size_t)c->lanes;
	return pool_walk(c, &p, row_delta, &a) ? DELTA_FAILED : DELTA_DONE;
}

static int average_pool_eval(struct call *c)
{
	return average_eval(c, c->out[0]->f, row_eval, 0);
}

static int average_pool_scale(struct call *c, int out, double *s)
{
	(void)out;
	return average_eval(c, s, row_scale, 0);
}

static int average_pool_grad(struct call *c)
{
	return average_grad(c, 0);
}

static enum delta_result average_pool_delta(struct call *c)
{
	return average_delta(c, 0);
}

static int global_average_pool_eval(struct call *c)
{
	return average_eval(c, c->out[0]->f, row_eval, 1);
}

static int global_average_pool_scale(struct call *c, int out, double *s)
{
	(void)out;
	return average_eval(c, s, row_scale, 1);
}

static int global_average_pool_grad(struct call *c)
{
	return average_grad(c, 1);
}

static enum delta_result global_average_pool_delta(struct call *c)
{
	return average_delta(c, 1);
}

static const struct op_attr average_pool_attrs[] = {
	OP_STRING("auto_pad", "NOTSET"),
	OP_INT("ceil_mode", 0),
	OP_INT("count_include_pad", 0),
	OP_INTS("dilations", 1),
	OP_NEEDS("kernel_shape", ATTR_INTS),
	OP_INTS("pads", 0),
	OP_INTS("strides", 1),
	{0},
};

const struct op op_average_pool = {
	.samples = SAMPLES({.by = &sampler_average, .types = T_F32}),
	.rules = RULES({.broken = pool_window_outside}, {.broken = domain_jumps},
		       {.broken = pool_window_empty, .attr = "count_include_pad", .open = "a window holds no element"}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = average_pool_attrs,
	.infer = pool_infer,
	.eval = average_pool_eval,
	.flags = OP_MONOMIALS,
	.grad = average_pool_grad,
	.scale = average_pool_scale,
	.delta = average_pool_delta,
};

const struct op op_global_average_pool = {
	.samples = SAMPLES({.by = &sampler_global, .types = T_F32}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.infer = pool_global_infer,
	.eval = global_average_pool_eval,
	.flags = OP_MONOMIALS,
	.grad = global_average_pool_grad,
	.scale = global_average_pool_scale,
	.delta = global_average_pool_delta,
};
