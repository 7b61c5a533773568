/* layer_norm.c - LayerNormalization and RMSNormalization: lines are the axes from `axis` on; scale and bias are
 * broadcast to X (one way).
 *
 *     LayerNormalization  Y = (X - mean) / sqrt(var + epsilon) * Scale + B
 *     RMSNormalization    Y = X / sqrt(mean(X^2) + epsilon) * scale
 *
 * The specification lets the statistics be computed in stash_type (float32 by default): for wider outputs that is what
 * rounding may cost. */
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/norm/norm.h"
#include "ops/norm/samplers.h"

enum { IN_X, IN_SCALE, IN_B };
enum { OUT_Y, OUT_MEAN, OUT_INV };

static enum dtype stash_type(const struct call *c)
{
	return dtype_from_code(attr_int(c->node, "stash_type"));
}

/* Input i must broadcast to X without changing X's shape. */
static int check_one_way(struct call *c, int i, const struct type *x)
{
	const struct type *p = call_shape(c, i);

	if (!p)
		return 0;
	if (p->rank > x->rank)
		return call_bad(c, "input %d has rank %d, X has only %d", i, p->rank, x->rank);
	for (int d = 0; d < p->rank; d++) {
		int64_t have = p->dims[d], want = x->dims[x->rank - p->rank + d];

		if (have >= 0 && want >= 0 && have != 1 && have != want)
			return call_bad(c, "input %d has %lld along axis %d, which does not broadcast to X's %lld", i,
					(long long)have, d, (long long)want);
	}
	return 0;
}

static int lines_infer(struct call *c)
{
	const struct type *x = call_shape(c, IN_X);
	int64_t dims[TENSOR_MAX_RANK];
	enum dtype stash = stash_type(c);
	int axis, rc = 0;

	if (stash != DT_FLOAT && stash != DT_BFLOAT16 && stash != DT_FLOAT16 && stash != DT_DOUBLE)
		return call_bad(c, "attribute 'stash_type' is not a float type");
	call_out_shape_of(c, OUT_Y, IN_X);
	if (!x) {
		call_out_rank(c, OUT_MEAN, stash, -1);
		call_out_rank(c, OUT_INV, stash, -1);
		return 0;
	}
	rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);
	for (int i = IN_SCALE; !rc && i < c->n_in; i++)
		rc = check_one_way(c, i, x);
	if (rc)
		return rc;
	for (int d = 0; d < x->rank; d++)
		dims[d] = d < axis ? x->dims[d] : 1;
	call_out(c, OUT_MEAN, stash, x->rank, dims);
	call_out(c, OUT_INV, stash, x->rank, dims);
	return 0;
}

static int set_broadcast(struct call *c, const struct norm *n, struct norm_param *p, int i)
{
	const struct tensor *t = c->in[i];
	int64_t own[TENSOR_MAX_RANK], strides[TENSOR_MAX_RANK] = {0};

	dims_strides(t->rank, t->dims, own);
	for (int d = 0; d < t->rank; d++)
		strides[n->rank - t->rank + d] = t->dims[d] == 1 ? 0 : own[d];
	return norm_set_param(c, n, p, t->f, strides);
}

static int prepare(struct call *c, struct norm *n, int centred)
{
	const struct tensor *x = c->in[IN_X];
	double coarse = dtype_roundoff(stash_type(c)), fine = dtype_roundoff(c->out_type[OUT_Y].dtype);
	uint32_t axes = 0;
	int axis, rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);

	if (rc)
		return rc;
	for (int d = axis; d < x->rank; d++)
		axes |= UINT32_C(1) << d;
	norm_init(n, x->rank, x->dims, axes, attr_float(c->node, "epsilon"));
	n->centred = centred;
	n->widen = coarse > fine ? coarse / fine : 1;
	n->inside = stash_type(c);
	rc = set_broadcast(c, n, &n->scale, IN_SCALE);
	if (!rc && call_has(c, IN_B))
		rc = set_broadcast(c, n, &n->bias, IN_B);
	return rc;
}

static int norm_eval(struct call *c, int centred)
{
	struct norm_moments m = {0};
	struct norm n;
	int rc = prepare(c, &n, centred);

	if (rc)
		return rc;
	m.mean = call_wants(c, OUT_MEAN) ? c->out[OUT_MEAN]->f : NULL;
	m.inv = call_wants(c, OUT_INV) ? c->out[OUT_INV]->f : NULL;
	return norm_forward(c, &n, c->in[IN_X]->f, c->out[OUT_Y]->f, &m);
}

static int norm_scale(struct call *c, int out, double *s, int centred)
{
	struct norm_moments m = {.mean = out == OUT_MEAN ? s : NULL, .inv = out == OUT_INV ? s : NULL};
	struct norm n;
	int rc = prepare(c, &n, centred);

	if (rc)
		return rc;
	if (out != OUT_Y)
		n.widen = 1; /* these outputs have the type of the arithmetic itself */
	return norm_noise(c, &n, c->in[IN_X]->f, out == OUT_Y ? s : NULL, &m);
}

static const double *given(const struct call *c, int out)
{
	return call_wants(c, out) && c->out_grad[out] ? c->out_grad[out]->f : NULL;
}

static double *wanted(const struct call *c, int in)
{
	return call_has(c, in) && c->in_grad[in] ? c->in_grad[in]->f : NULL;
}

static int norm_grad(struct call *c, int centred)
{
	struct norm_grads g = {.y = given(c, OUT_Y), .mean = given(c, OUT_MEAN), .inv = given(c, OUT_INV)};
	struct norm n;
	int rc = prepare(c, &n, centred);

	if (rc)
		return rc;
	g.x = wanted(c, IN_X);
	g.scale = wanted(c, IN_SCALE);
	g.bias = wanted(c, IN_B);
	return norm_backward(c, &n, c->in[IN_X]->f, &g);
}

static int layer_normalization_eval(struct call *c)
{
	return norm_eval(c, 1);
}

static int layer_normalization_scale(struct call *c, int out, double *s)
{
	return norm_scale(c, out, s, 1);
}

static int layer_normalization_grad(struct call *c)
{
	return norm_grad(c, 1);
}

static int rms_normalization_eval(struct call *c)
{
	return norm_eval(c, 0);
}

static int rms_normalization_scale(struct call *c, int out, double *s)
{
	return norm_scale(c, out, s, 0);
}

static int rms_normalization_grad(struct call *c)
{
	return norm_grad(c, 0);
}

static const struct op_attr layer_normalization_attrs[] = {
	OP_INT("axis", -1),
	OP_FLOAT("epsilon", 1e-5f),
	OP_INT("stash_type", DT_FLOAT),
	{0},
};

const struct op op_layer_normalization = {
	.samples = SAMPLES({.by = &sampler_layer_norm, .types = T_F32}),
	.rules = RULES({.broken = domain_attr_not_positive, .attr = "epsilon"}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"Scale", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', 0}, {"Mean", T_FLOAT, 0, PORT_OPTIONAL}, {"InvStdDev", T_FLOAT, 0, PORT_OPTIONAL}},
	.attrs = layer_normalization_attrs,
	.flags = OP_EARLY,
	.infer = lines_infer,
	.eval = layer_normalization_eval,
	.grad = layer_normalization_grad,
	.scale = layer_normalization_scale,
};

const struct op op_rms_normalization = {
	.samples = SAMPLES({.by = &sampler_rms_norm}),
	.rules = RULES({.broken = domain_attr_not_positive, .attr = "epsilon"}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"scale", T_FLOAT, 'V', 0}},
	.out = {{"Y", T_FLOAT, 'V', 0}},
	.attrs = layer_normalization_attrs,
	.infer = lines_infer,
	.eval = rms_normalization_eval,
	.grad = rms_normalization_grad,
	.scale = rms_normalization_scale,
};
