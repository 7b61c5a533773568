/* roi.c - MaxRoiPool and RoiAlign: pooling of regions of interest of an image X [N, C, H, W].
 *
 * MaxRoiPool: a region is rounded to whole elements, parted into pooled_shape bins that may overlap by one element, and
 * the largest element of each bin is taken (0 for an empty bin).
 *
 * RoiAlign: nothing is rounded; each bin is sampled at a grid of places by linear interpolation, and the samples are
 * averaged.  In mode "max" the result is the largest single weighted corner w_k * x_k of all samples: that is what the
 * specification's test data has, although its text speaks of interpolated values. */
#include <math.h>
#include <string.h>

#include "ops/call.h"
#include "ops/kit/interp.h"
#include "ops/pool/samplers.h"

enum { IN_X, IN_ROIS, IN_BATCH };

#define MAX_GRID 4096 /* samples along one axis of a bin: a hostile region must not keep us for ever */

static int regions_infer(struct call *c, int64_t columns, int64_t height, int64_t width)
{
	const struct type *x = call_shape(c, IN_X), *rois = call_shape(c, IN_ROIS);
	int64_t dims[4] = {DIM_UNKNOWN, DIM_UNKNOWN, height, width};

	if (height < 1 || width < 1)
		return call_bad(c, "output is %lld by %lld, wanted at least 1 by 1", (long long)height,
				(long long)width);
	if (x && x->rank != 4)
		return call_bad(c, "X has rank %d, wanted 4", x->rank);
	if (rois && rois->rank != 2)
		return call_bad(c, "regions have rank %d, wanted 2", rois->rank);
	if (rois && rois->dims[1] >= 0 && rois->dims[1] != columns)
		return call_bad(c, "regions have %lld numbers each, wanted %lld", (long long)rois->dims[1],
				(long long)columns);
	dims[0] = rois ? rois->dims[0] : DIM_UNKNOWN;
	dims[1] = x ? x->dims[1] : DIM_UNKNOWN;
	call_out(c, 0, c->in_type[IN_X].dtype, 4, dims);
	return 0;
}

/* ---- MaxRoiPool -------------------------------------------------------------------------------------------------- */

static int max_roi_pool_infer(struct call *c)
{
	size_t count;
	const int64_t *shape = node_ints(c->node, "pooled_shape", &count);

	if (count != 2)
		return call_bad(c, "attribute 'pooled_shape' has %zu numbers, wanted 2", count);
	return regions_infer(c, 5, shape[0], shape[1]);
}

/* Elements [*first, *end) of bin b of `bins` of a region [low, high] along an axis of `size`. */
static void bin_range(double low, double high, int64_t b, int64_t bins, int64_t size, int64_t *first, int64_t *end)
{
	double length = high - low + 1 > 1 ? high - low + 1 : 1, step = length / (double)bins;
	double from = floor((double)b * step) + low, to = ceil((double)(b + 1) * step) + low;

	*first = (int64_t)fmin(fmax(from, 0), (double)size);
	*end = (int64_t)fmin(fmax(to, 0), (double)size);
}

/* Offset of the first maximum of a bin of a plane of `width` columns; -1: empty bin. */
static int64_t bin_max(const double *plane, int64_t width, const int64_t *rows, const int64_t *cols)
{
	int64_t best = -1;

	for (int64_t h = rows[0]; h < rows[1]; h++)
		for (int64_t w = cols[0]; w < cols[1]; w++)
			if (best < 0 || !(plane[h * width + w] <= plane[best]))
				best = h * width + w;
	return best;
}

/* Batch index and corners (x1, y1, x2, y2, rounded) of a region. */
static int read_region(struct call *c, size_t r, double *corner, size_t *image)
{
	const double *roi = c->in[IN_ROIS]->f + 5 * r, scale = attr_float(c->node, "spatial_scale");

	if (!(roi[0] >= 0 && roi[0] < (double)c->in[IN_X]->dims[0]))
		return call_bad(c, "region %zu is of image %g, there are %lld", r, roi[0],
				(long long)c->in[IN_X]->dims[0]);
	*image = (size_t)roi[0];
	for (int i = 0; i < 4; i++) {
		corner[i] = round((double)(float)(roi[i + 1] * scale)); /* ties are ties of float32 */
		if (!(fabs(corner[i]) < 1e15))
			return call_bad(c, "region %zu has corner %g", r, roi[i + 1]);
	}
	return 0;
}

/* Runs over all bins; y is written when given, else gy is added into gx. */
static int max_roi_pool(struct call *c, double *y, const double *gy, double *gx)
{
	const struct tensor *x = c->in[IN_X];
	const int64_t *out = c->out[0]->dims;
	size_t channels = (size_t)x->dims[1], plane = dims_product(x->dims, 2, 4), i = 0, image = 0;
	int rc = 0;

	for (size_t r = 0; r < (size_t)out[0]; r++) {
		double corner[4];

		rc = read_region(c, r, corner, &image);
		if (rc)
			return rc;
		for (size_t k = 0; k < channels; k++) {
			size_t base = (image * channels + k) * plane;

			for (int64_t bin = 0; bin < out[2] * out[3]; bin++, i++) {
				int64_t rows[2], cols[2], best;

				bin_range(corner[1], corner[3], bin / out[3], out[2], x->dims[2], rows, rows + 1);
				bin_range(corner[0], corner[2], bin % out[3], out[3], x->dims[3], cols, cols + 1);
				best = bin_max(x->f + base, x->dims[3], rows, cols);
				if (y)
					y[i] = best < 0 ? 0 : x->f[base + (size_t)best];
				else if (best >= 0)
					gx[base + (size_t)best] += gy[i];
			}
		}
	}
	return 0;
}

static int max_roi_pool_eval(struct call *c)
{
	return max_roi_pool(c, c->out[0]->f, NULL, NULL);
}

static int max_roi_pool_grad(struct call *c)
{
	if (!c->in_grad[IN_X] || !c->out_grad[0])
		return 0;
	return max_roi_pool(c, NULL, c->out_grad[0]->f, c->in_grad[IN_X]->f);
}

static const struct op_attr max_roi_pool_attrs[] = {
	OP_NEEDS("pooled_shape", ATTR_INTS),
	OP_FLOAT("spatial_scale", 1),
	{0},
};

const struct op op_max_roi_pool = {
	.samples = SAMPLES({.by = &sampler_max_roi_pool}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"rois", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = max_roi_pool_attrs,
	.infer = max_roi_pool_infer,
	.eval = max_roi_pool_eval,
	.grad = max_roi_pool_grad,
};

/* ---- RoiAlign ---------------------------------------------------------------------------------------------------- */

static int roi_align_infer(struct call *c)
{
	const char *mode = attr_string(c->node, "mode");
	const char *shift = attr_string(c->node, "coordinate_transformation_mode");
	const struct type *rois = call_shape(c, IN_ROIS), *batch = call_shape(c, IN_BATCH);
	int64_t ratio = attr_int(c->node, "sampling_ratio");

	if (strcmp(mode, "avg") && strcmp(mode, "max"))
		return call_bad(c, "attribute 'mode' is '%s'", mode);
	if (strcmp(shift, "half_pixel") && strcmp(shift, "output_half_pixel"))
		return call_bad(c, "attribute 'coordinate_transformation_mode' is '%s'", shift);
	if (ratio < 0 || ratio > MAX_GRID)
		return call_bad(c, "attribute 'sampling_ratio' is %lld, wanted 0 to %d", (long long)ratio, MAX_GRID);
	if (batch && batch->rank != 1)
		return call_bad(c, "batch_indices have rank %d, wanted 1", batch->rank);
	if (rois && batch && rois->rank > 0 && rois->dims[0] >= 0 && batch->dims[0] >= 0 &&
	    rois->dims[0] != batch->dims[0])
		return call_bad(c, "%lld regions, but %lld batch_indices", (long long)rois->dims[0],
				(long long)batch->dims[0]);
	return regions_infer(c, 4, attr_int(c->node, "output_height"), attr_int(c->node, "output_width"));
}

/* One region: a sample lies at start + bin * f, f = bin number + (place in the grid + 0.5) / grid; axis 0 is y. */
struct region {
	double start[2], bin[2];
	int64_t grid[2];
	int forced[2]; /* the length was raised to 1: bin does not depend on the region */
	size_t image;
	double *grad; /* of its four numbers, or NULL */
};

struct sample {
	struct interp t;
	double f[2];
	int held[2]; /* moved to the border: does not depend on the region */
};

struct align {
	double scale; /* of coordinates */
	const int64_t *size, *out;
	const double *x;
	double *y, *noise; /* one of them, or */
	const double *gy;  /* these: */
	double *gx;        /* NULL: only the regions' gradient is wanted */
};

static int align_region(struct call *c, const struct align *p, size_t r, struct region *out)
{
	const double *roi = c->in[IN_ROIS]->f + 4 * r;
	int half = c->version >= 16 && !strcmp(attr_string(c->node, "coordinate_transformation_mode"), "half_pixel");
	int64_t ratio = attr_int(c->node, "sampling_ratio"), image = c->in[IN_BATCH]->i[r];

	if (image < 0 || image >= c->in[IN_X]->dims[0])
		return call_bad(c, "region %zu is of image %lld, there are %lld", r, (long long)image,
				(long long)c->in[IN_X]->dims[0]);
	out->image = (size_t)image;
	for (int a = 0; a < 2; a++) {
		double low = roi[1 - a] * p->scale - 0.5 * half, length = roi[3 - a] * p->scale - 0.5 * half - low;
		double grid;

		out->forced[a] = !half && !(length >= 1);
		out->start[a] = low;
		out->bin[a] = (out->forced[a] ? 1 : length) / (double)p->out[2 + a];
		grid = ratio > 0 ? (double)ratio : ceil((double)(float)out->bin[a]);
		if (!(grid <= MAX_GRID) || !isfinite(low))
			return call_bad(c, "region %zu is too large to be sampled", r);
		out->grid[a] = grid > 0 ? (int64_t)grid : 0;
	}
	return 0;
}

/* The corners of sample k of a bin; none when it lies more than one element outside of the image. */
static void sample_at(const struct align *p, const struct region *r, const int64_t *bin, int64_t k, struct sample *s)
{
	int64_t place[2] = {k / r->grid[1], k % r->grid[1]};
	double coord[2];

	for (int a = 0; a < 2; a++) {
		double top = (double)(p->size[a] - 1);

		s->f[a] = (double)bin[a] + ((double)place[a] + 0.5) / (double)r->grid[a];
		coord[a] = r->start[a] + r->bin[a] * s->f[a];
		if (!(coord[a] >= -1 && coord[a] <= top + 1)) {
			s->t.n = 0;
			return;
		}
		/* places in the outer half of the border elements have the border's value */
		s->held[a] = coord[a] < 0 || coord[a] > top;
		coord[a] = fmin(fmax(coord[a], 0), top);
	}
	interp_linear(&s->t, 2, p->size, coord);
}

/* Gradient g by the sample's place along axis a, carried to the region's numbers: with low and high, its two along a,
 * place = scale * (low * (1 - f / bins) + high * f / bins) + constant. */
static void region_grad(const struct align *p, const struct region *r, const struct sample *s, int a, double g)
{
	double part = r->forced[a] ? 0 : s->f[a] / (double)p->out[2 + a];

	if (!r->grad || s->held[a])
		return;
	r->grad[1 - a] += g * p->scale * (1 - part);
	r->grad[3 - a] += g * p->scale * part;
}

/* Bin i, of the plane at `base`: the mean of its samples. */
static void align_average(const struct align *p, const struct region *r, const int64_t *bin, size_t base, size_t i)
{
	int64_t samples = r->grid[0] * r->grid[1];
	double count = samples > 0 ? (double)samples : 1, sum = 0;
	const double *x = p->x + base;
	struct sample s;

	for (int64_t k = 0; k < samples; k++) {
		sample_at(p, r, bin, k, &s);
		if (p->y)
			sum += interp_value(&s.t, x);
		for (size_t j = 0; p->noise && j < s.t.n; j++)
			sum += s.t.w[j] * fabs(x[s.t.at[j]]);
		/* the place itself is rounded: u * |place| times the slope */
		for (int a = 0; p->noise && a < 2 && s.t.n; a++)
			sum += 2 * (double)p->size[a] * fabs(interp_slope(&s.t, a, x));
		if (p->gx)
			interp_scatter(&s.t, p->gy[i] / count, p->gx + base);
		for (int a = 0; p->gy && a < 2 && s.t.n; a++)
			region_grad(p, r, &s, a, p->gy[i] / count * interp_slope(&s.t, a, x));
	}
	if (p->y)
		p->y[i] = sum / count;
	if (p->noise)
		p->noise[i] = sum / count * noise_growth(4 * count);
}

/* Bin i: the largest weighted corner.  A corner outside of the image, or of a sample there, counts as 0. */
static void align_max(const struct align *p, const struct region *r, const int64_t *bin, size_t base, size_t i)
{
	int64_t samples = r->grid[0] * r->grid[1], best_sample = -1;
	double best = samples ? -INFINITY : 0;
	size_t best_tap = 0;
	struct sample s;

	for (int64_t k = 0; k < samples; k++) {
		sample_at(p, r, bin, k, &s);
		if (s.t.n < 4 && best < 0) {
			best = 0;
			best_sample = -1;
		}
		for (size_t j = 0; j < s.t.n; j++) {
			double v = s.t.w[j] * p->x[base + s.t.at[j]];

			if (v > best) {
				best = v;
				best_sample = k;
				best_tap = j;
			}
		}
	}
	if (p->y)
		p->y[i] = best;
	if (p->noise)
		p->noise[i] = 4 * (double)(p->size[0] + p->size[1]) * fabs(best);
	if (!p->gy || best_sample < 0)
		return;
	sample_at(p, r, bin, best_sample, &s);
	if (p->gx)
		p->gx[base + s.t.at[best_tap]] += s.t.w[best_tap] * p->gy[i];
	for (int a = 0; a < 2; a++)
		region_grad(p, r, &s, a, p->gy[i] * s.t.dw[a][best_tap] * p->x[base + s.t.at[best_tap]]);
}

static int roi_align(struct call *c, struct align *p)
{
	const struct tensor *x = c->in[IN_X];
	const int64_t *out = c->out[0]->dims;
	size_t channels = (size_t)x->dims[1], plane = dims_product(x->dims, 2, 4), i = 0;
	int use_max = !strcmp(attr_string(c->node, "mode"), "max");

	p->x = x->f;
	p->size = x->dims + 2;
	p->out = out;
	p->scale = attr_float(c->node, "spatial_scale");
	for (size_t r = 0; r < (size_t)out[0]; r++) {
		struct region region;
		int rc = align_region(c, p, r, &region);

		if (rc)
			return rc;
		region.grad = p->gy && c->in_grad[IN_ROIS] ? c->in_grad[IN_ROIS]->f + 4 * r : NULL;
		for (size_t k = 0; k < channels; k++) {
			size_t base = (region.image * channels + k) * plane;

			for (int64_t b = 0; b < out[2] * out[3]; b++, i++) {
				int64_t bin[2] = {b / out[3], b % out[3]};

				(use_max ? align_max : align_average)(p, &region, bin, base, i);
			}
		}
	}
	return 0;
}

static int roi_align_eval(struct call *c)
{
	struct align p = {.y = c->out[0]->f};

	return roi_align(c, &p);
}

static int roi_align_scale(struct call *c, int out, double *s)
{
	struct align p = {.noise = s};

	(void)out;
	return roi_align(c, &p);
}

static int roi_align_grad(struct call *c)
{
	struct align p = {.gx = c->in_grad[IN_X] ? c->in_grad[IN_X]->f : NULL};

	if (!c->out_grad[0])
		return 0;
	p.gy = c->out_grad[0]->f;
	return roi_align(c, &p);
}

static const struct op_attr roi_align_attrs[] = {
	OP_STRING("coordinate_transformation_mode", "half_pixel"),
	OP_STRING("mode", "avg"),
	OP_INT("output_height", 1),
	OP_INT("output_width", 1),
	OP_INT("sampling_ratio", 0),
	OP_FLOAT("spatial_scale", 1),
	{0},
};

/* Rows of x1, y1, x2, y2. */
static int roi_is_empty(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	const struct tensor *rois = in[1];

	(void)n;
	(void)r;
	for (size_t i = 0; rois && i + 3 < rois->count; i += 4)
		for (size_t k = i; k < i + 2; k++)
			if (!(tensor_get(rois, k) >= 0 && tensor_get(rois, k) < tensor_get(rois, k + 2)))
				return 1;
	return 0;
}

const struct op op_roi_align = {
	.samples = SAMPLES({.by = &sampler_roi_align}),
	.rules = RULES({.broken = roi_is_empty}),
	.in = {{"X", T_FLOAT, 'T', 0}, {"rois", T_FLOAT, 'T', 0}, {"batch_indices", T_I64, 0, 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = roi_align_attrs,
	.infer = roi_align_infer,
	.eval = roi_align_eval,
	.grad = roi_align_grad,
	.scale = roi_align_scale,
};
