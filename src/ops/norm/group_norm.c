/* group_norm.c - InstanceNormalization, GroupNormalization and MeanVarianceNormalization.
 *
 * X [N, C, D…] is seen as [N, groups, C / groups, D]; a line is one group of one image.  Scale and bias have an entry
 * for each channel; GroupNormalization 18 has one for each group instead.  MeanVarianceNormalization has any axes, no
 * parameters, and adds 1e-9 to the standard deviation instead of an epsilon to the variance. */
#include <math.h>

#include "ops/kit/domain.h"
#include "ops/norm/norm.h"
#include "ops/norm/samplers.h"

enum { IN_X, IN_SCALE, IN_B };

static int check_param(struct call *c, int i, int64_t want)
{
	const struct type *p = call_shape(c, i);

	if (p && p->rank != 1)
		return call_bad(c, "input %d has rank %d, wanted 1", i, p->rank);
	if (p && p->dims[0] >= 0 && want >= 0 && p->dims[0] != want)
		return call_bad(c, "input %d has %lld elements, wanted %lld", i, (long long)p->dims[0],
				(long long)want);
	return 0;
}

static int groups_infer(struct call *c, int64_t groups, int per_group)
{
	const struct type *x = call_shape(c, IN_X);
	int64_t channels, params;
	int rc;

	call_out_like(c, 0, IN_X);
	if (!x)
		return 0;
	if (x->rank < 2)
		return call_bad(c, "X has rank %d, wanted at least 2", x->rank);
	channels = x->dims[1];
	if (channels >= 0 && groups > 0 && channels % groups)
		return call_bad(c, "%lld channels cannot be parted into %lld groups", (long long)channels,
				(long long)groups);
	params = per_group ? groups : channels;
	rc = check_param(c, IN_SCALE, params);
	return rc ? rc : check_param(c, IN_B, params);
}

static int prepare_groups(struct call *c, struct norm *n, int64_t groups, int per_group)
{
	const struct tensor *x = c->in[IN_X];
	int64_t inner = (int64_t)dims_product(x->dims, 2, x->rank), each = groups ? x->dims[1] / groups : 0;
	int64_t dims[4] = {x->dims[0], groups, each, inner};
	int64_t strides[4] = {0, per_group ? 1 : each, per_group ? 0 : 1, 0};
	int rc;

	norm_init(n, 4, dims, 1u << 2 | 1u << 3, attr_float(c->node, "epsilon"));
	rc = norm_set_param(c, n, &n->scale, c->in[IN_SCALE]->f, strides);
	return rc ? rc : norm_set_param(c, n, &n->bias, c->in[IN_B]->f, strides);
}

static int backward(struct call *c, const struct norm *n)
{
	struct norm_grads g = {0};
	double **wanted[] = {&g.x, &g.scale, &g.bias};

	if (!c->out_grad[0])
		return 0;
	g.y = c->out_grad[0]->f;
	for (int i = 0; i < c->n_in; i++)
		*wanted[i] = c->in_grad[i] ? c->in_grad[i]->f : NULL;
	return norm_backward(c, n, c->in[IN_X]->f, &g);
}

/* ---- InstanceNormalization: every channel is a group ------------------------------------------------------------- */

static int prepare_instance(struct call *c, struct norm *n)
{
	return prepare_groups(c, n, c->in[IN_X]->dims[1], 0);
}

static int instance_normalization_infer(struct call *c)
{
	return groups_infer(c, 0, 0);
}

static int instance_normalization_eval(struct call *c)
{
	struct norm n;
	int rc = prepare_instance(c, &n);

	return rc ? rc : norm_forward(c, &n, c->in[IN_X]->f, c->out[0]->f, NULL);
}

static int instance_normalization_scale(struct call *c, int out, double *s)
{
	struct norm n;
	int rc = prepare_instance(c, &n);

	(void)out;
	return rc ? rc : norm_noise(c, &n, c->in[IN_X]->f, s, NULL);
}

static int instance_normalization_grad(struct call *c)
{
	struct norm n;
	int rc = prepare_instance(c, &n);

	return rc ? rc : backward(c, &n);
}

/* ---- GroupNormalization ------------------------------------------------------------------------------------------ */

static int group_normalization_infer(struct call *c)
{
	int64_t groups = attr_int(c->node, "num_groups");

	if (groups < 1)
		return call_bad(c, "attribute 'num_groups' is %lld, wanted at least 1", (long long)groups);
	return groups_infer(c, groups, c->version < 21);
}

static int prepare_group(struct call *c, struct norm *n)
{
	int64_t stash = attr_int(c->node, "stash_type");
	double coarse = dtype_roundoff(dtype_from_code(stash)), fine = dtype_roundoff(c->in[IN_X]->dtype);
	int rc = prepare_groups(c, n, attr_int(c->node, "num_groups"), c->version < 21);

	if (c->version >= 21 && coarse > fine)
		n->widen = coarse / fine;
	return rc;
}

static int group_normalization_eval(struct call *c)
{
	struct norm n;
	int rc = prepare_group(c, &n);

	return rc ? rc : norm_forward(c, &n, c->in[IN_X]->f, c->out[0]->f, NULL);
}

static int group_normalization_scale(struct call *c, int out, double *s)
{
	struct norm n;
	int rc = prepare_group(c, &n);

	(void)out;
	return rc ? rc : norm_noise(c, &n, c->in[IN_X]->f, s, NULL);
}

static int group_normalization_grad(struct call *c)
{
	struct norm n;
	int rc = prepare_group(c, &n);

	return rc ? rc : backward(c, &n);
}

/* ---- MeanVarianceNormalization ----------------------------------------------------------------------------------- */

static int mvn_axes(struct call *c, int rank, uint32_t *axes)
{
	size_t count;
	const int64_t *list = attr_ints(c->node, "axes", &count);
	int axis, rc = 0;

	if (!count) { /* an empty list says no more than none */
		const struct op_attr *row = attr_default(c->node, "axes");

		list = row->list;
		count = row->n_list;
	}
	*axes = 0;
	for (size_t i = 0; !rc && i < count; i++) {
		rc = call_axis(c, list[i], rank, &axis);
		if (!rc)
			*axes |= UINT32_C(1) << axis;
	}
	return rc;
}

static int mean_variance_normalization_infer(struct call *c)
{
	const struct type *x = call_shape(c, IN_X);
	uint32_t axes;
	int rc = x ? mvn_axes(c, x->rank, &axes) : 0;

	return rc ? rc : same_infer(c);
}

static int prepare_mvn(struct call *c, struct norm *n)
{
	uint32_t axes;
	int rc = mvn_axes(c, c->in[IN_X]->rank, &axes);

	if (rc)
		return rc;
	norm_init(n, c->in[IN_X]->rank, c->in[IN_X]->dims, axes, 0);
	n->outside = 1e-9;
	return 0;
}

static int mean_variance_normalization_eval(struct call *c)
{
	struct norm n;
	int rc = prepare_mvn(c, &n);

	return rc ? rc : norm_forward(c, &n, c->in[IN_X]->f, c->out[0]->f, NULL);
}

static int mean_variance_normalization_scale(struct call *c, int out, double *s)
{
	struct norm n;
	int rc = prepare_mvn(c, &n);

	(void)out;
	return rc ? rc : norm_noise(c, &n, c->in[IN_X]->f, s, NULL);
}

static int mean_variance_normalization_grad(struct call *c)
{
	struct norm n;
	int rc = prepare_mvn(c, &n);

	return rc ? rc : backward(c, &n);
}

static const struct op_attr instance_normalization_attrs[] = {
	OP_ATTR("consumed_inputs", ATTR_INTS),
	OP_FLOAT("epsilon", 1e-5f),
	{0},
};

const struct op op_instance_normalization = {
	.samples = SAMPLES({.by = &sampler_instance_norm}),
	.rules = RULES({.broken = domain_attr_not_positive, .attr = "epsilon"}),
	.in = {{"input", T_FLOAT, 'T', 0}, {"scale", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', 0}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = instance_normalization_attrs,
	.infer = instance_normalization_infer,
	.eval = instance_normalization_eval,
	.grad = instance_normalization_grad,
	.scale = instance_normalization_scale,
};

static const struct op_attr group_normalization_attrs[] = {
	OP_FLOAT("epsilon", 1e-5f),
	OP_NEEDS("num_groups", ATTR_INT),
	OP_INT("stash_type", DT_FLOAT),
	{0},
};

const struct op op_group_normalization = {
	.samples = SAMPLES({.by = &sampler_group_norm}),
	.rules = RULES({.broken = domain_attr_not_positive, .attr = "epsilon"}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"scale", T_FLOAT, 'T', 0}, {"bias", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = group_normalization_attrs,
	.infer = group_normalization_infer,
	.eval = group_normalization_eval,
	.grad = group_normalization_grad,
	.scale = group_normalization_scale,
};

static const struct op_attr mean_variance_normalization_attrs[] = {OP_INTS_LIST("axes", 0, 2, 3), {0}};

const struct op op_mean_variance_normalization = {
	.samples = SAMPLES({.by = &sampler_mean_variance}),
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = mean_variance_normalization_attrs,
	.infer = mean_variance_normalization_infer,
	.eval = mean_variance_normalization_eval,
	.grad = mean_variance_normalization_grad,
	.scale = mean_variance_normalization_scale,
};
