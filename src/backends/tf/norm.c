/* norm.c - normalizations: TensorFlow's fused kernel where its terms are ONNX's, else the formula. */
#include <string.h>

#include "backends/tf/tf.h"

/* (x - mean) / √(variance + epsilon), mean and variance over `axes` */
static struct tf_value *standardize(struct bind_call *c, struct tf_value *x, const int64_t *axes, int n, double epsilon,
				    struct tf_value **mean_out, struct tf_value **inverse_out)
{
	struct tf_value *mean = tf_reduce(c, "Mean", x, axes, n, 1);
	struct tf_value *variance = tf_reduce(c, "Mean", tf_2(c, "SquaredDifference", x, mean), axes, n, 1);
	struct tf_value *inverse =
		tf_1(c, "Rsqrt", tf_2(c, "AddV2", variance, x ? tf_scalar(c, x->dtype, epsilon) : NULL));

	if (mean_out)
		*mean_out = mean;
	if (inverse_out)
		*inverse_out = inverse;
	return tf_2(c, "Mul", tf_2(c, "Sub", x, mean), inverse);
}

/* A vector of channels so that it broadcasts to (N, C, d…). */
static struct tf_value *per_channel(struct bind_call *c, struct tf_value *v, int rank)
{
	int64_t dims[TENSOR_MAX_RANK];

	if (tf_failed(c) || rank < 2)
		return v;
	for (int i = 0; i < rank; i++)
		dims[i] = 1;
	dims[1] = v->dims[0];
	return tf_reshape(c, v, rank, dims);
}

/* ---- BatchNormalization ------------------------------------------------------------------------------------------ */

/* FusedBatchNormV3 takes (N, H, W, C); other ranks are brought there and back. */
static int fused(struct bind_call *c, struct tf_value *x, double epsilon)
{
	struct tf_value *last = tf_to_last(c, x), *flat, *y;
	int64_t dims[4] = {x->dims[0], 1, 1, x->dims[1]};
	struct tf_op op;

	for (int i = 2; i < x->rank; i++)
		dims[2] *= x->dims[i];
	flat = x->rank == 4 ? last : tf_reshape(c, last, 4, dims);
	op = tf_op(c, "FusedBatchNormV3");
	tf_op_in(&op, flat);
	for (int i = 1; i < 5; i++)
		tf_op_in(&op, tf_in(c, i));
	tf_op_float(&op, "epsilon", epsilon);
	tf_op_bool(&op, "is_training", 0);
	y = tf_op_run(&op);
	if (!tf_failed(c) && x->rank != 4)
		y = tf_reshape(c, y, last->rank, last->dims);
	return tf_out(c, 0, tf_to_first(c, y));
}

/* (x - mean) / √(variance + epsilon) · scale + bias */
static struct tf_value *by_formula(struct bind_call *c, struct tf_value *x, struct tf_value *mean,
				   struct tf_value *variance, double epsilon)
{
	enum dtype t = mean ? mean->dtype : DT_FLOAT;
	struct tf_value *inverse = tf_1(c, "Rsqrt", tf_2(c, "AddV2", variance, tf_scalar(c, t, epsilon)));
	struct tf_value *y = tf_2(c, "Sub", tf_cast(c, x, t), per_channel(c, mean, x->rank));

	y = tf_2(c, "Mul", y, per_channel(c, inverse, x->rank));
	y = tf_2(c, "Mul", y, per_channel(c, tf_cast(c, tf_in(c, 1), t), x->rank));
	y = tf_2(c, "AddV2", y, per_channel(c, tf_cast(c, tf_in(c, 2), t), x->rank));
	return tf_cast(c, y, x->dtype);
}

/* running · momentum + batch · (1 - momentum) */
static struct tf_value *running(struct bind_call *c, struct tf_value *old, struct tf_value *batch, double momentum)
{
	struct tf_value *kept = tf_2(c, "Mul", old, old ? tf_scalar(c, old->dtype, momentum) : NULL);

	return tf_2(c, "AddV2", kept, tf_2(c, "Mul", batch, old ? tf_scalar(c, old->dtype, 1 - momentum) : NULL));
}

static int training(struct bind_call *c, struct tf_value *x, double epsilon)
{
	double momentum = attr_float(c->node, "momentum");
	struct tf_value *mean, *variance, *wide, *at = tf_in(c, 3);
	int64_t axes[TENSOR_MAX_RANK] = {0};

	for (int i = 2; i < x->rank; i++)
		axes[i - 1] = i;
	wide = at ? tf_cast(c, x, at->dtype) : NULL;
	mean = tf_reduce(c, "Mean", wide, axes, x->rank - 1, 0);
	variance = tf_reduce(c, "Mean", tf_2(c, "SquaredDifference", wide, per_channel(c, mean, x->rank)), axes,
			     x->rank - 1, 0);
	tf_out(c, 0, by_formula(c, x, mean, variance, epsilon));
	if (c->n_out > 1 && c->node->out[1])
		tf_out(c, 1, running(c, at, mean, momentum));
	if (c->n_out > 2 && c->node->out[2])
		tf_out(c, 2, running(c, tf_in(c, 4), variance, momentum));
	return c->err->code;
}

static int run_batch_normalization(struct bind_call *c)
{
	double epsilon = attr_float(c->node, "epsilon");
	struct tf_value *x = tf_in(c, 0);

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (x->rank < 2)
		return bind_unsupported(c, "an input of rank %d has no channels", x->rank);
	if (c->version < 9 && !attr_int(c->node, "spatial"))
		return bind_unsupported(c, "spatial = 0");
	if (c->version < 7 && !attr_int(c->node, "is_test"))
		return bind_unsupported(c, "training mode before version 14");
	if (c->version >= 14 && attr_int(c->node, "training_mode"))
		return training(c, x, epsilon);
	if (c->n_out > 1)
		return bind_unsupported(c, "training outputs before version 14");
	for (int i = 1; i < 5; i++)
		if (!tf_in(c, i))
			return c->err->code;
	if (x->dtype == DT_FLOAT && tf_in(c, 3)->dtype == DT_FLOAT && tf_in(c, 1)->dtype == DT_FLOAT)
		return fused(c, x, epsilon);
	return tf_out(c, 0, by_formula(c, x, tf_in(c, 3), tf_in(c, 4), epsilon));
}

/* ---- the others -------------------------------------------------------------------------------------------------- */

static int run_instance_normalization(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *y;
	int64_t axes[TENSOR_MAX_RANK];

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	for (int i = 2; i < x->rank; i++)
		axes[i - 2] = i;
	y = standardize(c, x, axes, x->rank - 2, attr_float(c->node, "epsilon"), NULL, NULL);
	y = tf_2(c, "Mul", y, per_channel(c, tf_in(c, 1), x->rank));
	return tf_out(c, 0, tf_2(c, "AddV2", y, per_channel(c, tf_in(c, 2), x->rank)));
}

/* Axes from `axis` to the last. */
static int last_axes(struct bind_call *c, int rank, int64_t *axes, int *n)
{
	int axis;

	if (tf_axis(c, attr_int(c->node, "axis"), rank, &axis))
		return c->err->code;
	for (*n = 0; axis < rank; axis++)
		axes[(*n)++] = axis;
	return 0;
}

/* Statistics in stash_type (float32 unless said), then scale and bias in the input's own type. */
static int run_layer_normalization(struct bind_call *c)
{
	enum dtype stash = dtype_from_code(attr_int(c->node, "stash_type"));
	struct tf_value *x = tf_in(c, 0), *y, *mean, *inverse;
	int64_t axes[TENSOR_MAX_RANK];
	int n;

	if (tf_failed(c) || tf_static(c, x) || last_axes(c, x->rank, axes, &n))
		return c->err->code;
	if (x->dtype == DT_DOUBLE && stash == DT_FLOAT)
		return bind_unsupported(c, "float64 with statistics in float32");
	y = standardize(c, tf_cast(c, x, stash), axes, n, attr_float(c->node, "epsilon"), &mean, &inverse);
	y = tf_2(c, "Mul", tf_cast(c, y, x->dtype), tf_in(c, 1));
	if (tf_has(c, 2))
		y = tf_2(c, "AddV2", y, tf_in(c, 2));
	tf_out(c, 0, y);
	if (c->n_out > 1 && c->node->out[1])
		tf_out(c, 1, mean);
	if (c->n_out > 2 && c->node->out[2])
		tf_out(c, 2, inverse);
	return c->err->code;
}

/* x / √(mean of squares + epsilon) · scale */
static int run_rms_normalization(struct bind_call *c)
{
	enum dtype stash = dtype_from_code(attr_int(c->node, "stash_type"));
	struct tf_value *x = tf_in(c, 0), *wide, *mean, *y;
	int64_t axes[TENSOR_MAX_RANK];
	int n;

	if (tf_failed(c) || tf_static(c, x) || last_axes(c, x->rank, axes, &n))
		return c->err->code;
	if (x->dtype == DT_DOUBLE && stash == DT_FLOAT)
		return bind_unsupported(c, "float64 with statistics in float32");
	wide = tf_cast(c, x, stash);
	mean = tf_reduce(c, "Mean", tf_1(c, "Square", wide), axes, n, 1);
	mean = tf_2(c, "AddV2", mean, tf_scalar(c, stash, attr_float(c->node, "epsilon")));
	y = tf_2(c, "Mul", wide, tf_1(c, "Rsqrt", mean));
	return tf_out(c, 0, tf_2(c, "Mul", tf_cast(c, y, x->dtype), tf_in(c, 1)));
}

/* Channels in groups of C / num_groups; scale and bias by group (version 18) or by channel (21). */
static int run_group_normalization(struct bind_call *c)
{
	int64_t groups = attr_int(c->node, "num_groups"), dims[3], axes[1] = {2};
	struct tf_value *x = tf_in(c, 0), *y;

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (c->version < 21)
		return bind_unsupported(c, "scale and bias by group, as before version 21");
	if (x->rank < 2 || groups < 1 || x->dims[1] % groups)
		return err_set(c->err, ERR_INPUT, "%lld groups do not fit the channels", (long long)groups);
	if (x->dtype != DT_FLOAT)
		return bind_unsupported(c, "groups of %s", dtype_name(x->dtype));
	dims[0] = x->dims[0];
	dims[1] = groups;
	dims[2] = -1;
	y = standardize(c, tf_reshape(c, x, 3, dims), axes, 1, attr_float(c->node, "epsilon"), NULL, NULL);
	y = tf_reshape(c, y, x->rank, x->dims);
	y = tf_2(c, "Mul", y, per_channel(c, tf_in(c, 1), x->rank));
	return tf_out(c, 0, tf_2(c, "AddV2", y, per_channel(c, tf_in(c, 2), x->rank)));
}

/* x / (bias + alpha/size · Σ x²)^beta over `size` neighbouring channels; TensorFlow's window is odd: 2 r + 1. */
static int run_lrn(struct bind_call *c)
{
	int64_t size = attr_int(c->node, "size"), dims[4] = {1, 1, 1, 1};
	struct tf_value *x = tf_in(c, 0), *last, *y;
	struct tf_op op;

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (size < 1 || size % 2 == 0 || x->rank < 3)
		return bind_unsupported(c, "a window of %lld channels: tensorflow's is odd", (long long)size);
	last = tf_to_last(c, x);
	dims[3] = x->dims[1];
	dims[0] = x->dims[0];
	for (int i = 2; i < x->rank; i++)
		dims[2] *= x->dims[i];
	op = tf_op(c, "LRN");
	tf_op_in(&op, x->rank == 4 ? last : tf_reshape(c, last, 4, dims));
	tf_op_int(&op, "depth_radius", (size - 1) / 2);
	tf_op_float(&op, "bias", attr_float(c->node, "bias"));
	tf_op_float(&op, "alpha", attr_float(c->node, "alpha") / (double)size);
	tf_op_float(&op, "beta", attr_float(c->node, "beta"));
	y = tf_op_run(&op);
	if (!tf_failed(c) && x->rank != 4)
		y = tf_reshape(c, y, last->rank, last->dims);
	return tf_out(c, 0, tf_to_first(c, y));
}

/* x / ‖x‖ along an axis, p = 1 or 2; a zero norm gives zeros */
static int run_lp_normalization(struct bind_call *c)
{
	int64_t p = attr_int(c->node, "p"), axes[1];
	struct tf_value *x = tf_in(c, 0), *norm;
	int axis;

	if (tf_failed(c) || tf_axis(c, attr_int(c->node, "axis"), x->rank, &axis))
		return c->err->code;
	axes[0] = axis;
	if (p == 1)
		norm = tf_reduce(c, "Sum", tf_1(c, "Abs", x), axes, 1, 1);
	else
		norm = tf_1(c, "Sqrt", tf_reduce(c, "Sum", tf_1(c, "Square", x), axes, 1, 1));
	return tf_out(c, 0, tf_2(c, "DivNoNan", x, norm));
}

/* (x - E x) / (√(E (x - E x)²) + 1e-9).  The function's body has E x² - (E x)²; what that loses would not be the
 * library's loss. */
static int run_mean_variance_normalization(struct bind_call *c)
{
	size_t n;
	const int64_t *axes = attr_ints(c->node, "axes", &n);
	struct tf_value *x = tf_in(c, 0), *centred, *variance, *deviation;

	centred = tf_2(c, "Sub", x, tf_reduce(c, "Mean", x, axes, (int)n, 1));
	variance = tf_reduce(c, "Mean", tf_1(c, "Square", centred), axes, (int)n, 1);
	deviation = tf_2(c, "AddV2", tf_1(c, "Sqrt", variance), x ? tf_scalar(c, x->dtype, 1e-9) : NULL);
	return tf_out(c, 0, tf_2(c, "RealDiv", centred, deviation));
}

const struct binding tf_rows_norm[] = {
	{"BatchNormalization", run_batch_normalization, NULL},
	{"InstanceNormalization", run_instance_normalization, NULL},
	{"LayerNormalization", run_layer_normalization, NULL},
	{"GroupNormalization", run_group_normalization, NULL},
	{"RMSNormalization", run_rms_normalization, NULL},
	{"LRN", run_lrn, NULL},
	{"LpNormalization", run_lp_normalization, NULL},
	{"MeanVarianceNormalization", run_mean_variance_normalization, NULL},
	{0},
};
