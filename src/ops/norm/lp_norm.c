/* lp_norm.c - LpNormalization: y = x / |x|_p over the lines of one axis, p = 1 or 2; a line of zeros stays zero.
 *
 *     dL/dx = (g - t * Σ g y) / |x|_p      t = sign(x) for p = 1, y for p = 2 */
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/kit/lines.h"
#include "ops/norm/samplers.h"

static int lp_normalization_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int64_t p = attr_int(c->node, "p");
	int axis, rc = 0;

	if (p != 1 && p != 2)
		return call_bad(c, "attribute 'p' is %lld, wanted 1 or 2", (long long)p);
	if (x)
		rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);
	return rc ? rc : same_infer(c);
}

struct lp_line {
	const struct call *c;
	int p;
};

static double line_norm(const struct lp_line *l, const double *x, size_t n)
{
	double sum = 0;

	for (size_t j = 0; j < n; j++)
		sum += l->p == 1 ? fabs(x[j]) : x[j] * x[j];
	sum = call_held(l->c, l->c->out_type[0].dtype, sum);
	return l->p == 1 ? sum : sqrt(sum);
}

static void forward_line(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct lp_line *l = arg;
	const double *x = in[0];
	double *y = out, norm = line_norm(l, x, n);

	for (size_t j = 0; j < n; j++)
		y[j] = norm == 0 ? 0 : x[j] / norm;
}

static void backward_line(const void *const *in, size_t n, void *out, const void *arg)
{
	const struct lp_line *l = arg;
	const double *x = in[0], *g = in[1];
	double *gx = out, dot = 0, norm = line_norm(l, x, n);

	for (size_t j = 0; j < n; j++)
		dot += g[j] * x[j];
	for (size_t j = 0; j < n; j++) {
		double along = l->p == 2 ? x[j] / norm : (x[j] > 0) - (x[j] < 0);

		gx[j] = norm == 0 ? 0 : (g[j] - along * dot / norm) / norm;
	}
}

static int run(struct call *c, struct lines_job *job)
{
	const struct tensor *x = c->in[0];
	struct lp_line line = {c, (int)attr_int(c->node, "p")};
	struct lines l;
	int axis, rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);

	if (rc)
		return rc;
	job->arg = &line;
	lines_init(&l, x->rank, x->dims, UINT32_C(1) << axis);
	return lines_map(c, &l, job);
}

static int lp_normalization_eval(struct call *c)
{
	struct lines_job job = {.in = {c->in[0]->f}, .out = c->out[0]->f, .fn = forward_line};

	return run(c, &job);
}

static int lp_normalization_grad(struct call *c)
{
	struct lines_job job = {.in = {c->in[0]->f}, .add = 1, .fn = backward_line};

	if (!c->in_grad[0] || !c->out_grad[0])
		return 0;
	job.in[1] = c->out_grad[0]->f;
	job.out = c->in_grad[0]->f;
	return run(c, &job);
}

/* The norm is a sum of positive terms: relative error growth(n), then a root and a division. */
static int lp_normalization_scale(struct call *c, int out, double *s)
{
	const struct tensor *x = c->in[0], *y = c->out[out];
	int axis, rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);

	for (size_t i = 0; !rc && i < y->count; i++)
		s[i] = fabs(y->f[i]) * (2 + noise_growth((double)x->dims[axis]));
	return rc;
}

static const struct op_attr lp_normalization_attrs[] = {OP_INT("axis", -1), OP_INT("p", 2), {0}};

const struct op op_lp_normalization = {
	.samples = SAMPLES({.by = &sampler_lp_norm}),
	.rules = RULES({.broken = domain_has_zero, .port = 0}),
	.in = {{"input", T_FLOAT, 'T', 0}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = lp_normalization_attrs,
	.infer = lp_normalization_infer,
	.eval = lp_normalization_eval,
	.grad = lp_normalization_grad,
	.scale = lp_normalization_scale,
};
