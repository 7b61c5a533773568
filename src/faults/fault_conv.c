/* fault_conv.c - convolutions, matrix products and pools gone wrong. */
#include <string.h>

#include "faults/fault.h"
#include "ops/call.h"
#include "ops/kit/spatial.h"

static const char *const conv_ops[] = {"Conv", NULL};
static const char *const average_ops[] = {"AveragePool", NULL};
static const char *const max_ops[] = {"MaxPool", NULL};
static const char *const gemm_ops[] = {"Gemm", NULL};
static const char *const matmul_ops[] = {"MatMul", NULL};

/* Geometry of a Conv or pool whose shapes are known. */
static int geometry(struct call *c, struct spatial *s)
{
	const struct tensor *x = c->in[0];
	const int64_t *kernel = !strcmp(c->node->op_type, "Conv") ? c->in[1]->dims + 2 : NULL;

	return spatial_init(c, s, x->rank - 2, x->dims + 2, kernel, !kernel && attr_int(c->node, "ceil_mode"));
}

/* Evaluates again with explicit pads. */
static enum fault_effect with_pads(struct call *c, const int64_t *begin, const int64_t *end, int n,
				   const int64_t *dilations)
{
	int64_t pads[2 * SPATIAL_MAX];
	struct shadow s;
	int rc = shadow_init(&s, c);

	memcpy(pads, begin, (size_t)n * sizeof *pads);
	memcpy(pads + n, end, (size_t)n * sizeof *pads);
	if (!rc)
		shadow_drop(&s, "auto_pad");
	if (!rc)
		rc = shadow_ints(&s, "pads", pads, 2 * (size_t)n);
	if (!rc && dilations)
		rc = shadow_ints(&s, "dilations", dilations, (size_t)n);
	return shadow_apply(&s, rc);
}

static enum fault_effect apply_pads_swapped(struct call *c, struct fault_state *st)
{
	struct spatial s;
	int rc = geometry(c, &s);

	(void)st;
	if (!rc && !memcmp(s.pad_begin, s.pad_end, (size_t)s.n * sizeof *s.pad_begin))
		return FAULT_NO_EFFECT;
	return rc ? FAULT_FAILED : with_pads(c, s.pad_end, s.pad_begin, s.n, NULL);
}

const struct fault fault_pads_swapped = {
	.kind = FAULT_VALUE,
	.what = "the odd element of SAME or asymmetric padding goes to the wrong side",
	.like = "SAME padding differs between TensorFlow and Theano (Audee, section VI)",
	.ops = conv_ops,
	.apply = apply_pads_swapped,
};

/* Without dilation the windows reach less far; the end is padded less so that the size stays. */
static enum fault_effect apply_dilation_ignored(struct call *c, struct fault_state *st)
{
	int64_t ones[SPATIAL_MAX], end[SPATIAL_MAX];
	struct spatial s;
	int rc = geometry(c, &s), dilated = 0;

	(void)st;
	for (int i = 0; !rc && i < s.n; i++) {
		ones[i] = 1;
		end[i] = s.pad_end[i] - (s.dilation[i] - 1) * (s.kernel[i] - 1);
		dilated |= s.dilation[i] > 1;
		if (end[i] < 0)
			return FAULT_NO_EFFECT;
	}
	return rc ? FAULT_FAILED : dilated ? with_pads(c, s.pad_begin, end, s.n, ones) : FAULT_NO_EFFECT;
}

const struct fault fault_dilation_ignored = {
	.kind = FAULT_VALUE,
	.what = "dilations are ignored",
	.like = "layers that drop dilation_rate on one backend (CRADLE, section V)",
	.ops = conv_ops,
	.apply = apply_dilation_ignored,
};

/* A function of the weights' indices: which element is read instead of (m, c, k). */
typedef size_t kernel_index(const struct tensor *w, size_t filter, size_t channel, size_t k, size_t kernel);

static enum fault_effect with_weights(struct call *c, kernel_index *from)
{
	const struct tensor *w = c->in[1];
	size_t kernel = dims_product(w->dims, 2, w->rank), channels = (size_t)w->dims[1];
	struct tensor *changed;
	struct shadow s;
	int rc = shadow_init(&s, c);

	changed = rc ? NULL : shadow_input(&s, 1);
	if (!changed)
		return FAULT_FAILED;
	for (size_t i = 0; i < changed->count; i++)
		changed->f[i] = w->f[from(w, i / kernel / channels, i / kernel % channels, i % kernel, kernel)];
	return shadow_apply(&s, 0);
}

static size_t mirrored(const struct tensor *w, size_t filter, size_t channel, size_t k, size_t kernel)
{
	return (filter * (size_t)w->dims[1] + channel) * kernel + kernel - 1 - k;
}

static enum fault_effect apply_kernel_mirrored(struct call *c, struct fault_state *st)
{
	(void)st;
	return dims_product(c->in[1]->dims, 2, c->in[1]->rank) > 1 ? with_weights(c, mirrored) : FAULT_NO_EFFECT;
}

const struct fault fault_kernel_mirrored = {
	.kind = FAULT_VALUE,
	.what = "the kernel is mirrored: a convolution in the sense of signal processing",
	.like = "Theano's filter_flip (CRADLE, section V)",
	.ops = conv_ops,
	.apply = apply_kernel_mirrored,
};

static size_t transposed(const struct tensor *w, size_t filter, size_t channel, size_t k, size_t kernel)
{
	size_t side = (size_t)w->dims[3];

	return (filter * (size_t)w->dims[1] + channel) * kernel + k % side * side + k / side;
}

static enum fault_effect apply_kernel_transposed(struct call *c, struct fault_state *st)
{
	const struct tensor *w = c->in[1];

	(void)st;
	return w->rank == 4 && w->dims[2] == w->dims[3] && w->dims[2] > 1 ? with_weights(c, transposed)
									  : FAULT_NO_EFFECT;
}

const struct fault fault_kernel_transposed = {
	.kind = FAULT_VALUE,
	.what = "height and width of the kernel are exchanged",
	.like = "kernel layouts converted wrongly between backends (CRADLE, section V)",
	.ops = conv_ops,
	.apply = apply_kernel_transposed,
};

/* Every group sees the input channels of another one: `shift` groups on, or always the first. */
static enum fault_effect with_groups(struct call *c, size_t shift, int first_only)
{
	const struct tensor *x = c->in[0];
	size_t groups = (size_t)attr_int(c->node, "group"), plane = dims_product(x->dims, 2, x->rank);
	size_t channels = (size_t)x->dims[1], each = channels / groups;
	struct tensor *changed;
	struct shadow s;
	int rc;

	if (groups < 2)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	changed = rc ? NULL : shadow_input(&s, 0);
	if (!changed)
		return FAULT_FAILED;
	for (size_t n = 0; n < (size_t)x->dims[0]; n++)
		for (size_t ch = 0; ch < channels; ch++) {
			size_t from = first_only ? ch % each : (ch + shift * each) % channels;

			memcpy(changed->f + (n * channels + ch) * plane, x->f + (n * channels + from) * plane,
			       plane * sizeof *x->f);
		}
	return shadow_apply(&s, 0);
}

static enum fault_effect apply_groups_mixed(struct call *c, struct fault_state *st)
{
	(void)st;
	return with_groups(c, 1, 0);
}

const struct fault fault_groups_mixed = {
	.kind = FAULT_VALUE,
	.what = "every group of a grouped convolution reads the channels of the next one",
	.like = "group convolution bugs of several engines",
	.ops = conv_ops,
	.apply = apply_groups_mixed,
};

static enum fault_effect apply_depthwise_first(struct call *c, struct fault_state *st)
{
	(void)st;
	return with_groups(c, 0, 1);
}

const struct fault fault_depthwise_first = {
	.kind = FAULT_VALUE,
	.what = "a depthwise convolution reads the first channel only",
	.like = "CNTK's DepthwiseConv2D with asymmetric padding (Audee, figure 6a)",
	.ops = conv_ops,
	.apply = apply_depthwise_first,
};

static enum fault_effect apply_bias_dropped(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc;

	(void)st;
	if (c->n_in < 3 || !c->in[2])
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc)
		shadow_leave_out(&s, 2);
	return shadow_apply(&s, rc);
}

const struct fault fault_bias_dropped = {
	.kind = FAULT_VALUE,
	.what = "the bias is not added",
	.like = "fusions that lose a bias",
	.ops = conv_ops,
	.apply = apply_bias_dropped,
};

static enum fault_effect apply_weights_bf16(struct call *c, struct fault_state *st)
{
	struct tensor *w;
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	w = rc ? NULL : shadow_input(&s, 1);
	if (!w)
		return FAULT_FAILED;
	for (size_t i = 0; i < w->count; i++)
		w->f[i] = dtype_round(DT_BFLOAT16, w->f[i], 0);
	return shadow_apply(&s, 0);
}

const struct fault fault_weights_bf16 = {
	.kind = FAULT_VALUE,
	.what = "weights are silently kept in bfloat16",
	.like = "OpenVINO's default precision on processors with AMX",
	.ops = conv_ops,
	.apply = apply_weights_bf16,
};

/* The last column of every plane is left as it was found in memory. */
static enum fault_effect apply_border_uninitialised(struct call *c, struct fault_state *st)
{
	struct tensor *y = c->out[0];
	size_t width = (size_t)y->dims[y->rank - 1];

	(void)st;
	if (width < 2)
		return FAULT_NO_EFFECT;
	for (size_t i = width - 1; i < y->count; i += width)
		y->f[i] = 1.5e-3 * (double)(i % 7);
	return FAULT_CHANGED;
}

const struct fault fault_border_uninitialised = {
	.kind = FAULT_VALUE,
	.what = "the last column of the output is not written",
	.like = "TensorFlow issue 64396: Conv2D with a kernel of input size + 1",
	.ops = conv_ops,
	.apply = apply_border_uninitialised,
};

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static enum fault_effect apply_pool_counts_pad(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	if (!rc)
		rc = shadow_int(&s, "count_include_pad", !attr_int(c->node, "count_include_pad"));
	return shadow_apply(&s, rc);
}

const struct fault fault_pool_counts_pad = {
	.kind = FAULT_VALUE,
	.what = "averages count the padding when they should not, and the other way round",
	.like = "average pooling of Theano and TensorFlow (CRADLE, section V); onnxruntime issue 26708",
	.ops = average_ops,
	.apply = apply_pool_counts_pad,
};

/* Averages at the end of a row are divided as if their windows were full. */
static enum fault_effect apply_pool_ceil_full(struct call *c, struct fault_state *st)
{
	struct tensor *y = c->out[0];
	struct spatial s;
	int rc = geometry(c, &s), last = s.n - 1;
	int64_t first, end;
	size_t width;

	(void)st;
	if (rc)
		return FAULT_FAILED;
	width = (size_t)s.out[last];
	if (!width)
		return FAULT_NO_EFFECT;
	spatial_clip(&s, last, s.out[last] - 1, &first, &end);
	if (end - first == s.kernel[last] || end <= first)
		return FAULT_NO_EFFECT;
	for (size_t i = width - 1; i < y->count; i += width)
		y->f[i] *= (double)(end - first) / (double)s.kernel[last];
	return FAULT_CHANGED;
}

const struct fault fault_pool_ceil_full = {
	.kind = FAULT_VALUE,
	.what = "averages of windows that hang over the end are divided by the whole kernel",
	.like = "onnxruntime issue 16203: AveragePool with ceil_mode",
	.ops = average_ops,
	.apply = apply_pool_ceil_full,
};

static enum fault_effect apply_max_pad_zero(struct call *c, struct fault_state *st)
{
	struct tensor *y = c->out[0];
	struct spatial s;
	int rc = geometry(c, &s), last = s.n - 1, changed = 0;
	size_t width;

	(void)st;
	if (rc || !dtype_is_float(y->dtype))
		return rc ? FAULT_FAILED : FAULT_NO_EFFECT;
	width = (size_t)s.out[last];
	for (size_t i = 0; i < y->count; i++) {
		int64_t first, end;

		spatial_clip(&s, last, (int64_t)(i % width), &first, &end);
		if (end - first < s.kernel[last] && y->f[i] < 0) {
			y->f[i] = 0;
			changed = 1;
		}
	}
	return changed ? FAULT_CHANGED : FAULT_NO_EFFECT;
}

const struct fault fault_max_pad_zero = {
	.kind = FAULT_VALUE,
	.what = "maxima see the padding as zeros",
	.like = "max pooling over padded negative values in several engines",
	.ops = max_ops,
	.apply = apply_max_pad_zero,
};

/* ---- products ---------------------------------------------------------------------------------------------------- */

static enum fault_effect apply_gemm_alpha_ignored(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc;

	(void)st;
	if (attr_float(c->node, "alpha") == 1 && attr_float(c->node, "beta") == 1)
		return FAULT_NO_EFFECT;
	rc = shadow_init(&s, c);
	if (!rc)
		rc = shadow_float(&s, "alpha", 1);
	if (!rc)
		rc = shadow_float(&s, "beta", 1);
	return shadow_apply(&s, rc);
}

const struct fault fault_gemm_alpha_ignored = {
	.kind = FAULT_VALUE,
	.what = "alpha and beta of Gemm are taken as 1",
	.like = "converters that drop alpha",
	.ops = gemm_ops,
	.apply = apply_gemm_alpha_ignored,
};

/* The last term of every sum is left out: a tail loop that does not run. */
static enum fault_effect apply_matmul_tail(struct call *c, struct fault_state *st)
{
	struct tensor *a;
	struct shadow s;
	size_t k;
	int rc = shadow_init(&s, c);

	(void)st;
	if (!dtype_is_float(c->in[0]->dtype))
		return FAULT_NO_EFFECT;
	k = (size_t)c->in[0]->dims[c->in[0]->rank - 1];
	a = rc ? NULL : shadow_input(&s, 0);
	if (!a)
		return FAULT_FAILED;
	for (size_t i = k - 1; k && i < a->count; i += k)
		a->f[i] = 0;
	return shadow_apply(&s, 0);
}

const struct fault fault_matmul_tail = {
	.kind = FAULT_VALUE,
	.what = "the last term of every product is left out",
	.like = "vector kernels whose tail loop is off by one",
	.ops = matmul_ops,
	.apply = apply_matmul_tail,
};
