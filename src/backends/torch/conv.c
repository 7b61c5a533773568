/* conv.c - convolutions.  PyTorch pads both ends alike: other padding is done in front (Conv) or cut off behind
 * (ConvTranspose). */
#include <string.h>

#include "backends/torch/th.h"

static int run_conv(struct bind_call *c)
{
	void *x = th_in(c, 0), *w = th_in(c, 1);
	struct th_shape in, kernel;
	const int64_t *pads;
	struct spatial s;
	int64_t none[TH_SPATIAL_MAX] = {0};
	int n;

	if (th_shape(c, x, &in) || th_shape(c, w, &kernel))
		return th_done(c);
	n = in.rank - 2;
	if (th_spatial(c, &s, n, in.dims + 2, kernel.dims + 2, 0))
		return th_done(c);
	pads = s.pad_begin;
	if (memcmp(s.pad_begin, s.pad_end, (size_t)n * sizeof *pads)) {
		x = th_pad(c, x, s.pad_begin, s.pad_end, n, 0);
		pads = none;
	}
	return th_give(c, th_op(c, "convolution", "tttIIIbIl", x, w, th_in(c, 2), s.stride, n, pads, n, s.dilation, n,
				0, none, n, attr_int(c->node, "group")));
}

/* Output sizes of a transposed convolution without padding: (in - 1) * stride + (kernel - 1) * dilation + 1 + extra. */
static int64_t full_size(const struct spatial *s, int i, int64_t in, int64_t extra)
{
	return (in - 1) * s->stride[i] + (s->kernel[i] - 1) * s->dilation[i] + 1 + extra;
}

/* Where the wanted output begins in the full one.  With an output_shape or SAME the padding follows from the sizes:
 * the odd element goes to the end with SAME_UPPER and to the beginning otherwise (version 1: the other way round). */
static int64_t crop_begin(const struct bind_call *c, const struct spatial *s, int i, int64_t total, int by_size)
{
	int64_t half = total / 2;

	if (!by_size)
		return s->pad_begin[i];
	return (s->same > 0) == (c->version >= 11) ? half : total - half;
}

static int run_conv_transpose(struct bind_call *c)
{
	void *x = th_in(c, 0), *w = th_in(c, 1), *y;
	int64_t open[TH_SPATIAL_MAX], none[TH_SPATIAL_MAX] = {0}, extra[TH_SPATIAL_MAX] = {0}, begin[TH_SPATIAL_MAX],
				      end[TH_SPATIAL_MAX];
	const struct type *out = &c->call->out_type[0];
	struct th_shape in, kernel;
	struct spatial s;
	const int64_t *list, *pads = none;
	size_t count;
	int n, by_size, cut = 0;

	if (th_shape(c, x, &in) || th_shape(c, w, &kernel))
		return th_done(c);
	n = in.rank - 2;
	for (int i = 0; i < TH_SPATIAL_MAX; i++)
		open[i] = DIM_UNKNOWN; /* the windows lie over the output, which is large enough for them */
	if (th_spatial(c, &s, n, open, kernel.dims + 2, 0))
		return th_done(c);
	if (!type_is_static(out) || out->rank != in.rank)
		return bind_unsupported(c, "the shape of its output is not known");
	by_size = s.same || node_has(c->node, "output_shape");
	list = node_ints(c->node, "output_padding", &count);
	memcpy(extra, list ? list : none, (list ? (size_t)n : 0) * sizeof *extra);
	for (int i = 0; i < n; i++) {
		int64_t full = full_size(&s, i, in.dims[2 + i], extra[i]), total = full - out->dims[2 + i];

		if (total < 0)
			return bind_unsupported(c, "an output larger than what the windows reach");
		begin[i] = crop_begin(c, &s, i, total, by_size);
		end[i] = total - begin[i];
		cut |= begin[i] != end[i];
	}
	if (!cut)
		pads = begin;
	y = th_op(c, "convolution", "tttIIIbIl", x, w, th_in(c, 2), s.stride, n, pads, n, s.dilation, n, 1, extra, n,
		  attr_int(c->node, "group"));
	for (int i = 0; i < n && cut; i++)
		y = th_slice(c, y, 2 + i, begin[i], begin[i] + out->dims[2 + i], 1);
	return th_give(c, y);
}

const struct binding th_rows_conv[] = {
	{"Conv", run_conv, NULL},
	{"ConvTranspose", run_conv_transpose, NULL},
	{0},
};
