/* pool_lp.c - LpPool and GlobalLpPool: y = (Σ |x|^p)^(1/p) over the window.
 *
 *     dy/dx = sign(x) |x|^(p-1) y^(1-p), taken as 0 where y is 0 */
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/pool/pool_plan.h"
#include "ops/pool/samplers.h"

struct lp_run {
	const struct call *c;
	double p;
	const double *x;
	const double *y;
	double *out;
	const double *gy;
	double *gx;
};

static void row_eval(const struct pool_row *r, void *arg)
{
	struct lp_run *l = arg;

	for (int64_t o = 0; o < r->width; o++) {
		double sum = 0;

		for (size_t s = 0; s < r->n_start; s++) {
			const double *x = l->x + r->in + r->start[s] + r->first[o];

			for (int64_t k = 0; k < r->count[o]; k++)
				sum += pow(fabs(x[k * r->step]), l->p);
		}
		l->out[r->out + (size_t)o] = pow(call_held(l->c, l->c->out_type[0].dtype, sum), 1 / l->p);
	}
}

/* All terms are positive: the sum loses growth(n), the two powers some more, relative to y. */
static void row_scale(const struct pool_row *r, void *arg)
{
	struct lp_run *l = arg;

	for (int64_t o = 0; o < r->width; o++) {
		double growth = noise_growth((double)r->n_start * (double)r->count[o]);

		l->out[r->out + (size_t)o] = fabs(l->y[r->out + (size_t)o]) * (4 + growth);
	}
}

static void row_grad(const struct pool_row *r, void *arg)
{
	struct lp_run *l = arg;

	for (int64_t o = 0; o < r->width; o++) {
		double y = l->y[r->out + (size_t)o], g = l->gy[r->out + (size_t)o];

		if (y == 0)
			continue;
		for (size_t s = 0; s < r->n_start; s++) {
			int64_t at = (int64_t)r->in + r->start[s] + r->first[o];

			for (int64_t k = 0; k < r->count[o]; k++, at += r->step)
				if (l->x[at] != 0)
					l->gx[at] += g * copysign(pow(fabs(l->x[at]) / y, l->p - 1), l->x[at]);
		}
	}
}

static int walk(struct call *c, struct lp_run *l, pool_row_fn *fn, int global)
{
	struct pool p;
	int rc = pool_plan(c, &p, global);

	if (rc)
		return rc;
	l->c = c;
	l->p = (double)attr_int(c->node, "p");
	l->x = c->in[0]->f;
	return pool_walk(c, &p, fn, l);
}

static int lp_grad(struct call *c, int global)
{
	struct lp_run l = {.y = c->out[0]->f};

	if (!c->in_grad[0] || !c->out_grad[0])
		return 0;
	l.gy = c->out_grad[0]->f;
	l.gx = c->in_grad[0]->f;
	return walk(c, &l, row_grad, global);
}

static int check_p(struct call *c)
{
	int64_t p = attr_int(c->node, "p");

	return p >= 1 ? 0 : call_bad(c, "attribute 'p' is %lld, wanted at least 1", (long long)p);
}

static int lp_pool_infer(struct call *c)
{
	int rc = check_p(c);

	return rc ? rc : pool_infer(c);
}

static int lp_pool_eval(struct call *c)
{
	struct lp_run l = {.out = c->out[0]->f};

	return walk(c, &l, row_eval, 0);
}

static int lp_pool_scale(struct call *c, int out, double *s)
{
	struct lp_run l = {.y = c->out[out]->f, .out = s};

	return walk(c, &l, row_scale, 0);
}

static int lp_pool_grad(struct call *c)
{
	return lp_grad(c, 0);
}

static int global_lp_pool_infer(struct call *c)
{
	int rc = check_p(c);

	return rc ? rc : pool_global_infer(c);
}

static int global_lp_pool_eval(struct call *c)
{
	struct lp_run l = {.out = c->out[0]->f};

	return walk(c, &l, row_eval, 1);
}

static int global_lp_pool_scale(struct call *c, int out, double *s)
{
	struct lp_run l = {.y = c->out[out]->f, .out = s};

	return walk(c, &l, row_scale, 1);
}

static int global_lp_pool_grad(struct call *c)
{
	return lp_grad(c, 1);
}

static const struct op_attr lp_pool_attrs[] = {
	OP_STRING("auto_pad", "NOTSET"),
	OP_INT("ceil_mode", 0),
	OP_INTS("dilations", 1),
	OP_NEEDS("kernel_shape", ATTR_INTS),
	OP_INT("p", 2),
	OP_INTS("pads", 0),
	OP_INTS("strides", 1),
	{0},
};

const struct op op_lp_pool = {
	.samples = SAMPLES({.by = &sampler_lp_pool}),
	.rules = RULES({.broken = pool_window_outside}, {.broken = domain_jumps}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = lp_pool_attrs,
	.infer = lp_pool_infer,
	.eval = lp_pool_eval,
	.grad = lp_pool_grad,
	.scale = lp_pool_scale,
};

static const struct op_attr global_lp_pool_attrs[] = {OP_INT("p", 2), {0}};

const struct op op_global_lp_pool = {
	.samples = SAMPLES({.by = &sampler_global_lp}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = global_lp_pool_attrs,
	.infer = global_lp_pool_infer,
	.eval = global_lp_pool_eval,
	.grad = global_lp_pool_grad,
	.scale = global_lp_pool_scale,
};
