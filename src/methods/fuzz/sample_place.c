/* sample_place.c - operators that read or write at places they are given: indices of several axes, parts of pictures,
 * grids, lengths. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/maker.h"

#define MOVED (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT32) | TM(DT_INT64))

/* ---- indices of several axes ------------------------------------------------------------------------------------- */

/* Rows of indices into the first `depth` axes of x from axis `from` on; `rows` of them, or all that differ. */
static struct wire *draw_rows(struct maker *m, const struct wire *x, int from, int depth, int rank, int64_t *dims)
{
	struct tensor *t;

	dims[rank - 1] = depth;
	t = m->b.rc ? NULL : tensor_new(DT_INT64, rank, dims, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) {
		int64_t size = x->type.dims[from + (int)(i % (size_t)depth)], at = between(m, 0, size - 1);

		t->i[i] = m->wide && chance(m, 0.2) ? at - size : at;
	}
	return constant(m, t, 0);
}

static struct wire *make_gather_nd(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = ranked(m, in[0]);
	int64_t dims[TENSOR_MAX_RANK];
	int batch, depth, rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	batch = m->wide && x->type.rank > 1 && chance(m, 0.3);
	depth = (int)between(m, 1, x->type.rank - batch);
	rank = batch + (int)between(m, 1, 2);
	dims[0] = batch ? x->type.dims[0] : between(m, 1, 3);
	dims[1] = between(m, 1, 3);
	begin(m, "GatherND", (struct wire *[]){x, draw_rows(m, x, batch, depth, rank, dims)}, 2, 1);
	if (batch)
		build_int(&m->b, "batch_dims", batch);
	return done(m);
}

const struct sampler sampler_gather_nd = {"GatherND", MOVED, make_gather_nd, 0, 1};

/* A single row, so that no element is written twice. */
static struct wire *make_scatter_nd(struct maker *m, struct wire *const *in, int n)
{
	static const char *const reductions[] = {"none", "add", "max", "min"};
	struct wire *x = ranked(m, in[0]), *rows, *updates;
	int64_t dims[2] = {1, 0}, shape[TENSOR_MAX_RANK] = {1};
	int depth;

	(void)n;
	x = m->b.rc ? NULL : calm(m, x, LARGE);
	if (m->b.rc)
		return NULL;
	depth = (int)between(m, 1, x->type.rank);
	rows = draw_rows(m, x, 0, depth, 2, dims);
	for (int i = depth; i < x->type.rank; i++)
		shape[1 + i - depth] = x->type.dims[i];
	updates = weights(m, x->type.dtype, 1 + x->type.rank - depth, shape);
	begin(m, "ScatterND", (struct wire *[]){x, rows, updates}, 3, 1);
	if (m->wide && chance(m, 0.4)) /* of NaN and a number there is no largest */
		build_string(&m->b, "reduction", reductions[between(m, 0, m->special ? 1 : 3)]);
	return set_bound(m, done(m), bound_of(m, x) + 2);
}

const struct sampler sampler_scatter_nd = {"ScatterND", MOVED, make_scatter_nd, 0, 1};

static struct wire *make_reverse_sequence(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? as_rank(m, in[0], 2) : in[0];
	int time = chance(m, 0.5);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "ReverseSequence",
	      (struct wire *[]){x, const_random(m, DT_INT64, 1, &x->type.dims[!time], 1, (double)x->type.dims[time])},
	      2, 1);
	build_int(&m->b, "time_axis", time);
	build_int(&m->b, "batch_axis", !time);
	return done(m);
}

const struct sampler sampler_reverse_sequence = {"ReverseSequence", MOVED, make_reverse_sequence, 0, 0};

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* Places are whole pixels and halves of them away from where the nearest of two would be a matter of rounding. */
static struct wire *make_grid_sample(struct maker *m, struct wire *const *in, int n)
{
	static const char *const modes[] = {"bilinear", "nearest", "bicubic"}, *const old[] = {"linear", "nearest",
											       "cubic"};
	static const char *const paddings[] = {"zeros", "border", "reflection"};
	struct wire *x = shrink(m, calm(m, as_rank(m, in[0], 4), 1000), 512), *grid;
	int mode = (int)between(m, 0, 2), padding = (int)between(m, 0, 2), corners = (int)between(m, 0, 1);

	(void)n;
	if (m->b.rc)
		return NULL;
	grid = const_random(m, DT_FLOAT, 4, (int64_t[]){x->type.dims[0], between(m, 1, 3), between(m, 1, 3), 2}, -0.99,
			    0.99);
	begin(m, "GridSample", (struct wire *[]){x, grid}, 2, 1);
	build_string(&m->b, "mode", m->opset < 20 ? modes[mode] : old[mode]);
	build_string(&m->b, "padding_mode", paddings[padding]);
	build_int(&m->b, "align_corners", corners);
	return set_bound(m, done(m), 3 * bound_of(m, x));
}

const struct sampler sampler_grid_sample = {"GridSample over two axes", TM(DT_FLOAT), make_grid_sample, 0, 0};

static struct wire *make_roi_align(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, calm(m, as_rank(m, in[0], 4), 1000), 512), *rois, *batch;
	int64_t count = between(m, 1, 3);
	struct tensor *t;

	(void)n;
	t = m->b.rc ? NULL : tensor_new(DT_FLOAT, 2, (int64_t[]){count, 4}, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) /* begin, then an end beyond it */
		t->f[i] = i % 4 < 2 ? 0.25 * (double)between(m, 0, 6) : 2 + 0.25 * (double)between(m, 0, 10);
	rois = constant(m, t, 0);
	if (m->b.rc)
		return NULL;
	batch = const_random(m, DT_INT64, 1, &count, 0, (double)x->type.dims[0] - 1);
	begin(m, "RoiAlign", (struct wire *[]){x, rois, batch}, 3, 1);
	build_int(&m->b, "output_height", between(m, 1, 3));
	build_int(&m->b, "output_width", between(m, 1, 3));
	build_int(&m->b, "sampling_ratio", between(m, 1, 2));
	if (chance(m, 0.5))
		build_string(&m->b, "coordinate_transformation_mode", "output_half_pixel");
	if (chance(m, 0.5))
		build_float(&m->b, "spatial_scale", 0.5);
	return done(m);
}

const struct sampler sampler_roi_align = {"RoiAlign", TM(DT_FLOAT), make_roi_align, 0, 0};

/* Corners are whole pixels. */
static struct wire *make_max_roi_pool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, as_rank(m, in[0], 4), 512);
	int64_t count = between(m, 1, 3), pooled[2] = {between(m, 1, 3), between(m, 1, 3)};
	struct tensor *t;

	(void)n;
	t = m->b.rc ? NULL : tensor_new(DT_FLOAT, 2, (int64_t[]){count, 5}, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) /* the image, x and y of two corners */
		t->f[i] = i % 5 == 0 ? (double)between(m, 0, x->type.dims[0] - 1)
				     : (double)between(m, i % 5 < 3 ? 0 : 2, i % 5 < 3 ? 2 : 6);
	begin(m, "MaxRoiPool", (struct wire *[]){x, constant(m, t, 0)}, 2, 1);
	build_ints(&m->b, "pooled_shape", pooled, 2);
	return set_bound(m, done(m), bound_of(m, x));
}

const struct sampler sampler_max_roi_pool = {"MaxRoiPool", TM(DT_FLOAT), make_max_roi_pool, 0, 0};

static struct wire *make_affine_grid(struct maker *m, struct wire *const *in, int n)
{
	int solid = chance(m, 0.4); /* three axes */
	int64_t size[5] = {between(m, 1, 2), 1, between(m, 1, 4), between(m, 1, 4), between(m, 1, 3)};
	struct wire *theta = calm(m, match(m, in[0], 3, (int64_t[]){size[0], 2 + solid, 3 + solid}), 10);

	(void)n;
	begin(m, "AffineGrid", (struct wire *[]){theta, const_ints(m, 4 + (size_t)solid, size)}, 2, 1);
	for (int i = 2; i < 4 + solid; i++) /* one place has no two corners */
		if (size[i] < 2)
			return set_bound(m, done(m), 40);
	build_int(&m->b, "align_corners", between(m, 0, 1));
	return set_bound(m, done(m), 40);
}

const struct sampler sampler_affine_grid = {"AffineGrid over two or three axes", TM(DT_FLOAT), make_affine_grid, 0, 0};

/* Offsets are parts of a pixel, away from where the neighbours change. */
static struct wire *make_deform_conv(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, calm(m, as_rank(m, in[0], 4), 100), 256), *all[5] = {NULL};
	int64_t kernel[2] = {between(m, 1, 2), between(m, 1, 2)}, strides[2] = {between(m, 1, 2), between(m, 1, 2)};
	int64_t pads[4] = {between(m, 0, 1), between(m, 0, 1), between(m, 0, 1), between(m, 0, 1)}, out[2], filters;
	int mask = chance(m, 0.4), bias = chance(m, 0.5);
	enum fill kept = m->fill;

	(void)n;
	for (int i = 0; i < 2 && !m->b.rc; i++) {
		kernel[i] = x->type.dims[2 + i] < kernel[i] ? 1 : kernel[i];
		out[i] = (x->type.dims[2 + i] + pads[i] + pads[2 + i] - kernel[i]) / strides[i] + 1;
	}
	if (m->b.rc)
		return NULL;
	filters = between(m, 1, 3);
	all[0] = x;
	all[1] = weights(m, DT_FLOAT, 4, (int64_t[]){filters, x->type.dims[1], kernel[0], kernel[1]});
	m->fill = FILL_RANDOM; /* parts of a pixel are no integers */
	all[2] = const_random(m, DT_FLOAT, 4, (int64_t[]){x->type.dims[0], 2 * kernel[0] * kernel[1], out[0], out[1]},
			      0.125, 0.375);
	m->fill = kept;
	all[3] = bias ? weights(m, DT_FLOAT, 1, &filters) : NULL;
	all[4] = mask ? const_random(m, DT_FLOAT, 4,
				     (int64_t[]){x->type.dims[0], kernel[0] * kernel[1], out[0], out[1]}, 0, 1)
		      : NULL;
	begin(m, "DeformConv", all, mask ? 5 : bias ? 4 : 3, 1);
	build_ints(&m->b, "strides", strides, 2);
	build_ints(&m->b, "pads", pads, 4);
	return set_bound(m, done(m), 2 * bound_of(m, x) * (double)(x->type.dims[1] * kernel[0] * kernel[1]) + 2);
}

const struct sampler sampler_deform_conv = {"DeformConv over two axes", TM(DT_FLOAT), make_deform_conv, 0, 0};

/* MaxPool with indices, and back to where the largest elements were. */
static struct wire *make_unpool(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_rank(m, in[0], 4), *y, *indices;
	int64_t window[2] = {2, 2}, dims[4];

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[2] = (dims[2] + 1) / 2 * 2;
	dims[3] = (dims[3] + 1) / 2 * 2;
	x = match(m, x, 4, dims);
	begin(m, "MaxPool", &x, 1, 2);
	build_ints(&m->b, "kernel_shape", window, 2);
	build_ints(&m->b, "strides", window, 2);
	y = done(m);
	if (m->b.rc)
		return NULL;
	indices = m->b.last->out[1];
	begin(m, "MaxUnpool", (struct wire *[]){y, indices}, 2, 1);
	build_ints(&m->b, "kernel_shape", window, 2);
	build_ints(&m->b, "strides", window, 2);
	return done(m);
}

const struct sampler sampler_unpool = {"MaxPool and MaxUnpool", TM(DT_FLOAT), make_unpool, 0, 0};

static struct wire *make_crop_pad(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, ranked(m, in[0]), MAX_COUNT / 8);
	int64_t shape[MAX_RANK];

	(void)n;
	for (int i = 0; !m->b.rc && i < x->type.rank; i++)
		shape[i] = x->type.dims[i] + between(m, x->type.dims[i] > 2 ? -2 : 0, 2);
	return m->b.rc ? NULL : op2(m, "CenterCropPad", x, const_ints(m, (size_t)x->type.rank, shape));
}

const struct sampler sampler_crop_pad = {"CenterCropPad", MOVED, make_crop_pad, 0, 0};

/* Columns of blocks back to a picture: the input is reshaped to what the block and the picture ask for. */
static struct wire *make_col2im(struct maker *m, struct wire *const *in, int n)
{
	int64_t image[2] = {between(m, 2, 5), between(m, 2, 5)}, block[2] = {between(m, 1, 2), between(m, 1, 2)};
	int64_t blocks = (image[0] - block[0] + 1) * (image[1] - block[1] + 1), channels = between(m, 1, 3);
	struct wire *x = calm(m, as_rank(m, in[0], 3), LARGE);

	(void)n;
	x = m->b.rc ? NULL : match(m, x, 3, (int64_t[]){1, channels * block[0] * block[1], blocks});
	if (m->b.rc)
		return NULL;
	begin(m, "Col2Im", (struct wire *[]){x, const_ints(m, 2, image), const_ints(m, 2, block)}, 3, 1);
	return set_bound(m, done(m), 4 * bound_of(m, x));
}

const struct sampler sampler_col2im = {"Col2Im", TM(DT_FLOAT), make_col2im, 0, 0};

/* ---- matrices, ranges, sizes ------------------------------------------------------------------------------------- */

static struct wire *make_eye_like(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_rank(m, in[0], 2);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "EyeLike", &x, 1, 1);
	if (chance(m, 0.5))
		build_int(&m->b, "k", between(m, -2, 2));
	if (chance(m, 0.4))
		build_int(&m->b, "dtype", ONE_OF(m, DT_FLOAT, DT_INT64, DT_INT32));
	return set_bound(m, done(m), 1);
}

const struct sampler sampler_eye_like = {"EyeLike", MOVED, make_eye_like, 0, 0};

static struct wire *make_det(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, as_rank(m, in[0], 3), 4);
	int64_t side = between(m, 1, 3), dims[3] = {0, side, side};

	(void)n;
	if (m->b.rc)
		return NULL;
	dims[0] = x->type.dims[0] < 4 ? x->type.dims[0] : 4;
	x = match(m, x, 3, dims);
	return set_bound(m, m->b.rc ? NULL : op1(m, "Det", x), 6 * pow(bound_of(m, x), (double)side) + 1);
}

const struct sampler sampler_det = {"Det", TM(DT_FLOAT), make_det, 0, 0};

static struct wire *make_size(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return set_bound(m, op1(m, "Size", in[0]), MAX_COUNT);
}

const struct sampler sampler_size = {"Size", MOVED | T_BOOL, make_size, 0, 0};

/* A range of constants, added to the input along its last axis. */
static struct wire *make_range(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	struct wire *x = calm(m, ranked(m, in[0]), LARGE), *range;
	double step = chance(m, 0.5) ? 1 : -2, start = (double)between(m, -3, 3);

	(void)n;
	if (m->b.rc)
		return NULL;
	range = const_scalar(m, t, start + step * (double)x->type.dims[x->type.rank - 1]);
	begin(m, "Range", (struct wire *[]){const_scalar(m, t, start), range, const_scalar(m, t, step)}, 3, 1);
	range = done(m);
	return m->b.rc ? NULL : set_bound(m, op2(m, "Add", x, range), bound_of(m, x) + 64);
}

const struct sampler sampler_range = {"Range, and a sum with it", MOVED, make_range, 0, 0};

static struct wire *make_constant_of_shape(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = calm(m, in[0], LARGE), *shape, *zeros;

	(void)n;
	shape = m->b.rc ? NULL : op1(m, "Shape", x);
	if (m->b.rc)
		return NULL;
	begin(m, "ConstantOfShape", &shape, 1, 1);
	m->b.last->out[0]->type = x->type;
	zeros = set_bound(m, done(m), 0);
	return m->b.rc ? NULL : set_bound(m, op2(m, "Add", x, zeros), bound_of(m, x));
}

const struct sampler sampler_constant_of_shape = {"Shape, ConstantOfShape, and a sum with it", TM(DT_FLOAT),
						  make_constant_of_shape, 0, 0};

static struct wire *make_dropout(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	begin(m, "Dropout", (struct wire *[]){in[0], const_scalar(m, DT_FLOAT, 0.5)}, chance(m, 0.5) ? 2 : 1, 1);
	return done(m);
}

const struct sampler sampler_dropout = {"Dropout, which does nothing in inference", TM(DT_FLOAT), make_dropout, 0, 0};

/* ---- losses ------------------------------------------------------------------------------------------------------ */

static struct wire *make_loss(struct maker *m, struct wire *const *in, int n)
{
	static const char *const reductions[] = {"none", "mean", "sum"};
	struct wire *x = calm(m, as_rank(m, in[0], chance(m, 0.5) ? 2 : 3), 16), *target, *weight = NULL;
	int64_t dims[2];
	int how = (int)between(m, 0, 2);

	(void)n;
	if (m->b.rc)
		return NULL;
	dims[0] = x->type.dims[0];
	dims[1] = x->type.dims[x->type.rank - 1];
	target = const_random(m, DT_INT64, x->type.rank - 1, dims, 0, (double)x->type.dims[1] - 1);
	if (chance(m, 0.4))
		weight = const_random(m, DT_FLOAT, 1, &x->type.dims[1], 1, 2);
	begin(m, m->op->onnx, (struct wire *[]){x, target, weight}, weight ? 3 : 2, 1);
	build_string(&m->b, "reduction", reductions[how]);
	if (m->wide && chance(m, 0.3) && how != 1) /* a mean over nothing is open */
		build_int(&m->b, "ignore_index", between(m, 0, x->type.dims[1] - 1));
	return set_bound(m, done(m), 64 * (double)count_of(x));
}

const struct sampler sampler_loss = {"a loss", TM(DT_FLOAT), make_loss, 0, 0};
