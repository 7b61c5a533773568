/* norm.c - normalizations.
 *
 * stash_type names the type that statistics are computed in; torch computes those of half floats in float32, as the
 * default asks. */
#include <string.h>

#include "backends/torch/th.h"

/* momentum * old + (1 - momentum) * new */
static void *running(struct bind_call *c, void *old, void *new, double momentum)
{
	return th_op(c, "add.Tensor", "ttf", th_op(c, "mul.Scalar", "tf", old, momentum), new, 1 - momentum);
}

/* Training: statistics of the batch, the variance over all elements (torch's running variance is the unbiased one,
 * so the running values are computed here). */
static int batch_norm_training(struct bind_call *c, const struct th_shape *s, double epsilon)
{
	double momentum = attr_float(c->node, "momentum");
	int64_t axes[TENSOR_MAX_RANK];
	void *x = th_in(c, 0);
	int n = 0;

	for (int i = 0; i < s->rank; i++)
		if (i != 1)
			axes[n++] = i;
	th_out(c, 0, th_op(c, "batch_norm", "tttttbffb", x, th_in(c, 1), th_in(c, 2), NULL, NULL, 1, 0.0, epsilon, 0));
	if (th_wants(c, 1))
		th_out(c, 1, running(c, th_in(c, 3), th_op(c, "mean.dim", "tI", x, axes, n), momentum));
	if (th_wants(c, 2))
		th_out(c, 2, running(c, th_in(c, 4), th_op(c, "var.correction", "tIi", x, axes, n, 0), momentum));
	return th_done(c);
}

static int run_batch_normalization(struct bind_call *c)
{
	double epsilon = attr_float(c->node, "epsilon");
	struct th_shape s;

	if (th_shape(c, th_in(c, 0), &s))
		return th_done(c);
	if (s.rank < 2)
		return bind_unsupported(c, "torch has no batch normalization of rank %d", s.rank);
	if (!attr_int(c->node, "spatial"))
		return bind_unsupported(c, "statistics for each activation (spatial = 0)");
	if (c->version < 7 && !attr_int(c->node, "is_test"))
		return bind_unsupported(c, "training before version 14");
	if (attr_int(c->node, "training_mode"))
		return batch_norm_training(c, &s, epsilon);
	if (th_wants(c, 1))
		return bind_unsupported(c, "the outputs of training before version 14");
	return th_give(c, th_op(c, "batch_norm", "tttttbffb", th_in(c, 0), th_in(c, 1), th_in(c, 2), th_in(c, 3),
				th_in(c, 4), 0, 0.0, epsilon, 0));
}

static int run_instance_normalization(struct bind_call *c)
{
	return th_give(c, th_op(c, "instance_norm", "tttnnbffb", th_in(c, 0), th_in(c, 1), th_in(c, 2), 1, 0.0,
				attr_float(c->node, "epsilon"), 0));
}

/* Before version 21 scale and bias have one element a group, after that one a channel. */
static int run_group_normalization(struct bind_call *c)
{
	int64_t groups = attr_int(c->node, "num_groups");
	void *scale = th_in(c, 1), *bias = th_in(c, 2);
	struct th_shape s;

	if (th_shape(c, th_in(c, 0), &s))
		return th_done(c);
	if (s.rank < 2 || groups < 1 || s.dims[1] % groups)
		return err_set(c->err, ERR_INPUT, "num_groups is %lld", (long long)groups);
	if (c->version < 21) {
		scale = th_op(c, "repeat_interleave.self_int", "tl", scale, s.dims[1] / groups);
		bias = th_op(c, "repeat_interleave.self_int", "tl", bias, s.dims[1] / groups);
	}
	return th_give(c, th_op(c, "group_norm", "tlttfb", th_in(c, 0), groups, scale, bias,
				attr_float(c->node, "epsilon"), 0));
}

/* True when t is there and has exactly the normalized axes. */
static int is_normalized(struct bind_call *c, void *t, const struct th_shape *x, int axis)
{
	struct th_shape s;

	if (!t || th_shape(c, t, &s))
		return 0;
	return s.rank == x->rank - axis && !memcmp(s.dims, x->dims + axis, (size_t)s.rank * sizeof *s.dims);
}

/* Mean and 1 / standard deviation as outputs 1 and 2: torch gives them with the result, but without gradients. */
static void give_statistics(struct bind_call *c, const struct th_shape *x, int axis, double epsilon)
{
	int64_t axes[TENSOR_MAX_RANK];
	void *wide, *variance;
	int n = 0;

	if (!th_wants(c, 1) && !th_wants(c, 2))
		return;
	for (int i = axis; i < x->rank; i++)
		axes[n++] = i;
	wide = th_cast(c, c->in[0], DT_FLOAT);
	if (th_wants(c, 1))
		th_out(c, 1, th_op(c, "mean.dim", "tIb", wide, axes, n, 1));
	if (th_wants(c, 2)) {
		variance = th_op(c, "var.correction", "tIib", wide, axes, n, 0, 1);
		th_out(c, 2, th_op(c, "rsqrt", "t", th_op(c, "add.Scalar", "tf", variance, epsilon)));
	}
}

/* Scale and bias may be broadcast; torch takes those of the full normalized shape. */
static int run_layer_normalization(struct bind_call *c)
{
	double epsilon = attr_float(c->node, "epsilon");
	void *scale = th_in(c, 1), *bias = th_in(c, 2), *out[3];
	struct th_shape x;
	int axis, whole;

	if (th_shape(c, th_in(c, 0), &x) || th_axis(c, attr_int(c->node, "axis"), x.rank, &axis))
		return th_done(c);
	if (attr_int(c->node, "stash_type") != DT_FLOAT)
		return bind_unsupported(c, "statistics in another type than float32");
	whole = is_normalized(c, scale, &x, axis) && (!bias || is_normalized(c, bias, &x, axis));
	th_ops(c, "native_layer_norm", out, 3, "tIttf", th_in(c, 0), x.dims + axis, x.rank - axis, whole ? scale : NULL,
	       whole ? bias : NULL, epsilon);
	if (!whole)
		out[0] = th_op(c, "mul.Tensor", "tt", out[0], scale);
	if (!whole && bias)
		out[0] = th_op(c, "add.Tensor", "tt", out[0], bias);
	th_out(c, 0, out[0]);
	give_statistics(c, &x, axis, epsilon);
	return th_done(c);
}

static int run_rms_normalization(struct bind_call *c)
{
	double epsilon = attr_float(c->node, "epsilon");
	void *scale = th_in(c, 1), *y;
	struct th_shape x;
	int axis, whole;

	if (th_shape(c, th_in(c, 0), &x) || th_axis(c, attr_int(c->node, "axis"), x.rank, &axis))
		return th_done(c);
	if (attr_int(c->node, "stash_type") != DT_FLOAT)
		return bind_unsupported(c, "statistics in another type than float32");
	whole = is_normalized(c, scale, &x, axis);
	y = th_op(c, "rms_norm", "tItf", th_in(c, 0), x.dims + axis, x.rank - axis, whole ? scale : NULL, epsilon);
	return th_give(c, whole ? y : th_op(c, "mul.Tensor", "tt", y, scale));
}

/* y = x / (bias + alpha / size * sum of squares of `size` neighbours)^beta.  torch has no operator for it (its
 * Python function differs for even sizes); channels are pooled as the rows of an image [N, 1, C, rest]. */
static int run_lrn(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta"),
	       bias = attr_float(c->node, "bias");
	int64_t size = attr_int(c->node, "size"), rest = 1, ones[2] = {1, 1}, kernel[2] = {size, 1};
	int64_t before[2] = {(size - 1) / 2, 0}, after[2] = {size / 2, 0};
	void *x = th_in(c, 0), *sum;
	struct th_shape s;

	if (th_shape(c, x, &s))
		return th_done(c);
	if (s.rank < 2 || size < 1)
		return err_set(c->err, ERR_INPUT, "rank %d, size %lld", s.rank, (long long)size);
	for (int i = 2; i < s.rank; i++)
		rest *= s.dims[i];
	sum = th_reshape(c, th_op(c, "mul.Tensor", "tt", x, x), (int64_t[]){s.dims[0], 1, s.dims[1], rest}, 4);
	sum = th_op(c, "avg_pool2d", "tII", th_pad(c, sum, before, after, 2, 0), kernel, 2, ones, 2);
	sum = th_op(c, "add.Scalar", "tf", th_op(c, "mul.Scalar", "tf", sum, alpha), bias);
	sum = th_reshape(c, th_op(c, "pow.Tensor_Scalar", "tf", sum, beta), s.dims, s.rank);
	return th_give(c, th_op(c, "div.Tensor", "tt", x, sum));
}

/* x / |x|_p along an axis; where the norm is 0 so is the result. */
static int run_lp_normalization(struct bind_call *c)
{
	int64_t axes[1], p = attr_int(c->node, "p");
	void *x = th_in(c, 0), *norm, *zero;
	struct th_shape s;
	int axis;

	if (th_shape(c, x, &s) || th_axis(c, attr_int(c->node, "axis"), s.rank, &axis))
		return th_done(c);
	axes[0] = axis;
	norm = th_op(c, "linalg_vector_norm", "tlIb", x, p, axes, 1, 1);
	zero = th_op(c, "eq.Scalar", "ti", norm, 0);
	norm = th_op(c, "masked_fill.Scalar", "ttf", norm, zero, 1.0);
	return th_give(c, th_op(c, "div.Tensor", "tt", x, norm));
}

/* (x - mean) / (standard deviation + 1e-9).  The specification's function body has the variance as E x² - (E x)²; what
 * that loses would not be the library's loss. */
static int run_mean_variance_normalization(struct bind_call *c)
{
	void *x = th_in(c, 0), *centred, *deviation;
	const int64_t *axes;
	size_t n;

	axes = attr_ints(c->node, "axes", &n);
	centred = th_op(c, "sub.Tensor", "tt", x, th_op(c, "mean.dim", "tIb", x, axes, (int)n, 1));
	deviation = th_op(c, "mean.dim", "tIb", th_op(c, "mul.Tensor", "tt", centred, centred), axes, (int)n, 1);
	deviation = th_op(c, "add.Scalar", "tf", th_op(c, "sqrt", "t", deviation), 1e-9);
	return th_give(c, th_op(c, "div.Tensor", "tt", centred, deviation));
}

/* Nothing is dropped unless training is asked for; the mask is then all true. */
static int run_dropout(struct bind_call *c)
{
	const struct tensor *training = c->version >= 12 && th_in(c, 2) ? bind_known(c, 2) : NULL;
	const struct tensor *ratio = c->version >= 12 && th_in(c, 1) ? bind_known(c, 1) : NULL;
	struct th_shape s;

	if (c->err->code || th_shape(c, th_in(c, 0), &s))
		return th_done(c);
	if (c->version < 7 && !attr_int(c->node, "is_test"))
		return bind_unsupported(c, "random results");
	if (training && training->count == 1 && training->i[0] && !(ratio && ratio->count == 1 && ratio->f[0] == 0))
		return bind_unsupported(c, "random results");
	th_out(c, 0, c->in[0]);
	if (th_wants(c, 1))
		th_out(c, 1, th_op(c, "ones_like", "td", c->in[0], c->version >= 10 ? DT_BOOL : (int)s.dtype));
	return th_done(c);
}

const struct binding th_rows_norm[] = {
	{"BatchNormalization", run_batch_normalization, NULL},
	{"Dropout", run_dropout, NULL},
	{"GroupNormalization", run_group_normalization, NULL},
	{"InstanceNormalization", run_instance_normalization, NULL},
	{"LRN", run_lrn, NULL},
	{"LayerNormalization", run_layer_normalization, NULL},
	{"LpNormalization", run_lp_normalization, NULL},
	{"MeanVarianceNormalization", run_mean_variance_normalization, NULL},
	{"RMSNormalization", run_rms_normalization, NULL},
	{0},
};
