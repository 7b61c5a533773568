/* conv_transpose.c - ConvTranspose (1, 11, 22): the transpose of a convolution that leads from Y to X.
 *
 *   X [N, C, in…]   W [C, M/g, kernel…]   B [M]   Y [N, M, out…]
 *   Y[n, m, i·stride - pad + k·dilation] += X[n, c, i] · W[c, m, k]
 *
 * In the convolution's own terms Y is the input and X the output, so its plan and kernels serve. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ops/conv/conv.h"
#include "ops/conv/samplers.h"
#include "ops/engine/gemm.h"

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static int optional_list(struct call *c, const char *name, int n, const int64_t **list)
{
	size_t count;

	*list = node_ints(c->node, name, &count);
	if (*list && count != (size_t)n)
		return call_bad(c, "%s has %zu items, wanted %d", name, count, n);
	for (int i = 0; *list && i < n; i++)
		if ((*list)[i] < 0 || (*list)[i] > INT32_MAX)
			return call_bad(c, "%s holds %lld", name, (long long)(*list)[i]);
	return 0;
}

/* Splits the padding by the formulas of the specification: from version 11 on the odd element goes to the end with
 * SAME_UPPER and to the beginning otherwise; version 1 has it the other way round.  Halves are rounded down, also of
 * negative padding (an output_shape larger than what the windows reach). */
static void split_padding(struct spatial *s, int version, int i, int64_t total)
{
	int64_t half = total / 2 - (total % 2 < 0);

	s->pad_begin[i] = (s->same > 0) == (version >= 11) ? half : total - half;
	s->pad_end[i] = total - s->pad_begin[i];
}

/* s->in is the spatial size of X while this runs, s->out that of Y. */
static int output_sizes(struct call *c, struct spatial *s, const int64_t *in)
{
	const int64_t *extra, *wanted;
	int rc = optional_list(c, "output_padding", s->n, &extra);

	if (!rc)
		rc = optional_list(c, "output_shape", s->n, &wanted);
	for (int i = 0; i < s->n && !rc; i++) {
		int64_t more = extra ? extra[i] : 0,
			reach = s->kernel[i] < 0 ? -1 : (s->kernel[i] - 1) * s->dilation[i] + 1;
		int64_t full = in[i] < 0 || reach < 0 ? DIM_UNKNOWN : s->stride[i] * (in[i] - 1) + more + reach;
		int64_t size = wanted ? wanted[i] : s->same && in[i] >= 0 ? in[i] * s->stride[i] : DIM_UNKNOWN;

		if (in[i] > INT32_MAX)
			return call_bad(c, "a spatial size of %lld is too large", (long long)in[i]);
		s->in[i] = in[i];
		if (size < 0 && full >= 0 && !s->same) {
			s->out[i] = full - s->pad_begin[i] - s->pad_end[i];
		} else {
			s->out[i] = size;
			if (full >= 0 && size >= 0)
				split_padding(s, c->version, i, full - size);
		}
		if (s->out[i] < 0 && full >= 0)
			rc = call_bad(c, "padding leaves nothing of spatial dimension %d", i);
	}
	return rc;
}

static int check_channels(struct call *c, const struct type *x, const struct type *w)
{
	int64_t groups = attr_int(c->node, "group");
	const struct type *b = call_shape(c, 2);

	if (groups < 1)
		return call_bad(c, "group is %lld, wanted at least 1", (long long)groups);
	if (x->dims[1] >= 0 && w->dims[0] >= 0 && x->dims[1] != w->dims[0])
		return call_bad(c, "W has %lld input channels, X has %lld", (long long)w->dims[0],
				(long long)x->dims[1]);
	if (x->dims[1] >= 0 && x->dims[1] % groups)
		return call_bad(c, "%lld channels do not divide into %lld groups", (long long)x->dims[1],
				(long long)groups);
	if (w->dims[1] > INT32_MAX || groups > INT32_MAX)
		return call_bad(c, "too many filters");
	if (b && (b->rank != 1 || (b->dims[0] >= 0 && w->dims[1] >= 0 && b->dims[0] != w->dims[1] * groups)))
		return call_bad(c, "the bias must have one element a filter");
	return 0;
}

static int conv_transpose_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *w = call_shape(c, 1);
	int64_t dims[TENSOR_MAX_RANK];
	struct spatial s;
	int rc;

	if (!x || !w) {
		call_out_rank(c, 0, c->out_type[0].dtype, x ? x->rank : w ? w->rank : -1);
		return 0;
	}
	if (x->rank < 3 || x->rank - 2 > SPATIAL_MAX || w->rank != x->rank)
		return call_bad(c, "X has rank %d and W rank %d, wanted the same, 3 to %d", x->rank, w->rank,
				SPATIAL_MAX + 2);
	rc = check_channels(c, x, w);
	if (!rc)
		rc = spatial_attrs(c, &s, x->rank - 2, w->dims + 2);
	if (!rc)
		rc = output_sizes(c, &s, x->dims + 2);
	if (rc)
		return rc;
	dims[0] = x->dims[0];
	dims[1] = w->dims[1] < 0 ? DIM_UNKNOWN : w->dims[1] * attr_int(c->node, "group");
	memcpy(dims + 2, s.out, (size_t)s.n * sizeof *dims);
	call_out(c, 0, c->out_type[0].dtype, x->rank, dims);
	return 0;
}

/* The plan of the convolution from Y to X. */
static int make_plan(struct call *c, struct conv_plan *p)
{
	const struct tensor *x = c->in[0], *w = c->in[1];
	struct spatial *s = &p->spatial;
	int rc = spatial_attrs(c, s, x->rank - 2, w->dims + 2);

	*p = (struct conv_plan){.spatial = *s};
	if (!rc)
		rc = output_sizes(c, s, x->dims + 2);
	if (rc)
		return rc;
	for (int i = 0; i < s->n; i++) {
		int64_t y = s->out[i];

		s->out[i] = s->in[i];
		s->in[i] = y;
	}
	p->groups = (size_t)attr_int(c->node, "group");
	p->batch = (size_t)x->dims[0];
	p->filters = (size_t)x->dims[1];
	p->group_out = p->filters / p->groups;
	p->group_in = (size_t)w->dims[1];
	p->channels = p->group_in * p->groups;
	p->in_size = dims_product(s->in, 0, s->n);
	p->out_size = dims_product(s->out, 0, s->n);
	p->kernel_size = dims_product(w->dims, 2, w->rank);
	conv_plan_tile(p);
	return 0;
}

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

static double *new_columns(struct call *c, const struct conv_plan *p)
{
	size_t bytes = p->group_in * p->kernel_size * p->tile * sizeof(double);
	double *col = mem_aligned(bytes);

	if (!col)
		call_nomem(c, bytes);
	return col;
}

/* y = Wᵀ laid over the outputs, plus bias. */
static int spread(struct call *c, const double *x, const double *w, const double *b, double *y)
{
	struct conv_plan p;
	double *col;
	int rc = make_plan(c, &p);

	if (rc)
		return rc;
	col = new_columns(c, &p);
	if (!col)
		return c->err->code;
	for (size_t i = 0; i < p.batch * p.channels; i++)
		for (size_t k = 0; k < p.in_size; k++)
			y[i * p.in_size + k] = b ? b[i % p.channels] : 0.0;
	for (size_t n = 0; n < p.batch; n++)
		for (size_t g = 0; g < p.groups; g++)
			conv_grad_group(&p, NULL, w + g * p.group_out * p.group_in * p.kernel_size,
					x + (n * p.filters + g * p.group_out) * p.out_size, col,
					y + (n * p.channels + g * p.group_in) * p.in_size, NULL);
	mem_free(col);
	return 0;
}

static int conv_transpose_eval(struct call *c)
{
	const struct tensor *b = c->n_in > 2 ? c->in[2] : NULL;

	return spread(c, c->in[0]->f, c->in[1]->f, b ? b->f : NULL, c->out[0]->f);
}

static double *magnitudes(struct call *c, const struct tensor *t)
{
	double *a = call_scratch(c, t->count, sizeof *a);

	for (size_t i = 0; a && i < t->count; i++)
		a[i] = fabs(t->f[i]);
	return a;
}

static int conv_transpose_scale(struct call *c, int out, double *s)
{
	const struct tensor *b = c->n_in > 2 ? c->in[2] : NULL, *y = c->out[out];
	size_t plane = dims_product(y->dims, 2, y->rank);
	double *x = magnitudes(c, c->in[0]), *w = magnitudes(c, c->in[1]), *bias = b ? magnitudes(c, b) : NULL;
	double terms = (double)(c->in[1]->count / (size_t)(c->in[1]->dims[1] > 0 ? c->in[1]->dims[1] : 1));
	double growth = noise_growth(terms), in_order = noise_growth_in_order(terms);
	int rc;

	if (!x || !w || (b && !bias))
		return c->err->code;
	rc = spread(c, x, w, bias, s);
	for (size_t i = 0; i < y->count && !rc; i++) {
		double offset = b ? b->f[i / plane % (size_t)y->dims[1]] : 0;

		s[i] = fmax(growth * s[i], in_order * fabs(y->f[i] - offset));
	}
	return rc;
}

/* gX = conv(gY, W); gW as a convolution's weights see gY as input and X as the gradient of its output. */
static int conv_transpose_grad(struct call *c)
{
	const double *gy = c->out_grad[0]->f;
	double *gx = c->in_grad[0] ? c->in_grad[0]->f : NULL, *gw = c->in_grad[1] ? c->in_grad[1]->f : NULL;
	double *gb = c->n_in > 2 && c->in_grad[2] ? c->in_grad[2]->f : NULL, *col, *sample;
	struct conv_plan p;
	int rc = make_plan(c, &p);

	if (rc)
		return rc;
	sample = call_scratch(c, p.filters * p.out_size, sizeof *sample);
	col = sample ? new_columns(c, &p) : NULL;
	if (!col)
		return c->err->code;
	for (size_t n = 0; n < p.batch; n++) {
		const double *gyn = gy + n * p.channels * p.in_size;

		if (gx)
			conv_sample(&p, gyn, c->in[1]->f, col, sample);
		for (size_t i = 0; gx && i < p.filters * p.out_size; i++)
			gx[n * p.filters * p.out_size + i] += sample[i];
		for (size_t g = 0; gw && g < p.groups; g++)
			conv_grad_group(&p, gyn + g * p.group_in * p.in_size, NULL,
					c->in[0]->f + (n * p.filters + g * p.group_out) * p.out_size, col, NULL,
					gw + g * p.group_out * p.group_in * p.kernel_size);
	}
	for (size_t i = 0; gb && i < p.batch * p.channels; i++)
		for (size_t k = 0; k < p.in_size; k++)
			gb[i % p.channels] += gy[i * p.in_size + k];
	mem_free(col);
	return 0;
}

/* Each input goes into all outputs that one filter reaches. */
static double conv_transpose_work(const struct call *c)
{
	const struct type *w = &c->in_type[1];

	return w->rank > 0 && w->dims[0] > 0 ? call_elements(&c->in_type[0]) * call_elements(w) / (double)w->dims[0]
					     : 0;
}

const struct op op_conv_transpose = {
	.samples = SAMPLES({.by = &sampler_deconv, .types = T_F32}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"W", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs =
		(const struct op_attr[]){
			OP_STRING("auto_pad", "NOTSET"),
			OP_INTS("dilations", 1),
			OP_INT("group", 1),
			OP_ATTR("kernel_shape", ATTR_INTS),
			OP_INTS("output_padding", 0),
			OP_ATTR("output_shape", ATTR_INTS),
			OP_INTS("pads", 0),
			OP_INTS("strides", 1),
			{0},
		},
	.infer = conv_transpose_infer,
	.eval = conv_transpose_eval,
	.flags = OP_MONOMIALS | OP_PRODUCTS,
	.grad = conv_transpose_grad,
	.scale = conv_transpose_scale,
	.work = conv_transpose_work,
};
