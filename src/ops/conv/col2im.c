/* col2im.c - Col2Im: adds up overlapping blocks into an image.
 *
 *     input [N, C * block, L] → output [N, C, image…]
 *     out[n, c, place(b, l)] += in[n, c * |block| + b, l]
 *
 * b numbers the elements of a block, l the positions of the block over the padded image, both in row-major order;
 * elements over the padding are dropped. */
#include <string.h>

#include "ops/call.h"
#include "ops/conv/samplers.h"
#include "ops/kit/spatial.h"

enum { IN_COLUMNS, IN_IMAGE, IN_BLOCK };

/* Geometry from both shape inputs; *known: it can be told yet. */
static int geometry(struct call *c, struct spatial *s, int *known)
{
	const int64_t *image, *block;
	size_t n_image, n_block;
	enum ints_found found_image, found_block;
	int rc = call_ints(c, NULL, IN_IMAGE, &image, &n_image, &found_image);

	if (!rc)
		rc = call_ints(c, NULL, IN_BLOCK, &block, &n_block, &found_block);
	*known = !rc && found_image == INTS_GIVEN && found_block == INTS_GIVEN;
	if (!*known)
		return rc;
	if (n_image != n_block || n_image < 1 || n_image > SPATIAL_MAX)
		return call_bad(c, "image_shape has %zu numbers and block_shape %zu", n_image, n_block);
	for (size_t i = 0; i < n_image; i++)
		if (image[i] < 0 || block[i] < 1)
			return call_bad(c, "blocks of %lld in an image of %lld along axis %zu", (long long)block[i],
					(long long)image[i], i);
	return spatial_init(c, s, (int)n_image, image, block, 0);
}

/* Product of sizes that are known; 0 with an error set when it overflows. */
static int count_of(struct call *c, const int64_t *dims, int n, int64_t *out)
{
	size_t count;
	int rc = tensor_shape_count(n, dims, &count, c->err);

	*out = (int64_t)count;
	return rc;
}

static int col2im_infer(struct call *c)
{
	const struct type *x = call_shape(c, IN_COLUMNS);
	int64_t dims[TENSOR_MAX_RANK] = {x ? x->dims[0] : DIM_UNKNOWN, DIM_UNKNOWN}, block, positions;
	struct spatial s;
	int known, rc;

	if (x && x->rank != 3)
		return call_bad(c, "input has rank %d, wanted 3", x->rank);
	rc = geometry(c, &s, &known);
	if (rc)
		return rc;
	if (!known) {
		const struct type *image = call_shape(c, IN_IMAGE);
		int rank = image && image->rank == 1 && image->dims[0] >= 0 && image->dims[0] <= SPATIAL_MAX
				   ? (int)image->dims[0] + 2
				   : -1;

		call_out_rank(c, 0, c->in_type[IN_COLUMNS].dtype, rank);
		return 0;
	}
	rc = count_of(c, s.kernel, s.n, &block);
	if (!rc)
		rc = count_of(c, s.out, s.n, &positions);
	if (rc)
		return rc;
	if (x && x->dims[1] >= 0 && x->dims[1] % block)
		return call_bad(c, "%lld rows are not a multiple of a block's %lld elements", (long long)x->dims[1],
				(long long)block);
	if (x && x->dims[2] >= 0 && x->dims[2] != positions)
		return call_bad(c, "input has %lld blocks, the image has room for %lld", (long long)x->dims[2],
				(long long)positions);
	if (x && x->dims[1] >= 0)
		dims[1] = x->dims[1] / block;
	memcpy(dims + 2, s.in, (size_t)s.n * sizeof *dims);
	call_out(c, 0, c->in_type[IN_COLUMNS].dtype, s.n + 2, dims);
	return 0;
}

/* table[b * L + l] = offset in the image, or -1 over the padding. */
static int64_t *place_table(struct call *c, const struct spatial *s, size_t block, size_t positions)
{
	int64_t *table = call_scratch(c, block * positions, sizeof *table);

	for (size_t i = 0; table && i < block * positions; i++) {
		int64_t b = (int64_t)(i / positions), l = (int64_t)(i % positions), step = 1, at = 0;

		for (int a = s->n - 1; a >= 0; a--) {
			int64_t x = l % s->out[a] * s->stride[a] - s->pad_begin[a] + b % s->kernel[a] * s->dilation[a];

			if (x < 0 || x >= s->in[a])
				at = -1;
			else if (at >= 0)
				at += x * step;
			step *= s->in[a];
			b /= s->kernel[a];
			l /= s->out[a];
		}
		table[i] = at;
	}
	return table;
}

struct fold {
	size_t planes, each, image; /* planes of `each` column elements and of `image` image elements */
	int64_t *place;
	size_t block;
};

static int prepare(struct call *c, struct fold *f)
{
	const struct tensor *x = c->in[IN_COLUMNS];
	struct spatial s;
	int known, rc = geometry(c, &s, &known);

	if (rc)
		return rc;
	if (!known)
		return call_bad(c, "shapes of image and block are not known");
	f->block = dims_product(s.kernel, 0, s.n);
	f->each = f->block * (size_t)x->dims[2];
	f->image = dims_product(s.in, 0, s.n);
	f->planes = (size_t)(x->dims[0] * (x->dims[1] / (int64_t)f->block));
	f->place = place_table(c, &s, f->block, (size_t)x->dims[2]);
	return f->place ? 0 : ERR_MEMORY;
}

static int col2im_eval(struct call *c)
{
	const struct tensor *x = c->in[IN_COLUMNS];
	struct tensor *y = c->out[0];
	struct fold f;
	int rc = prepare(c, &f);

	if (rc)
		return rc;
	memset(y->data, 0, y->count * sizeof(double));
	for (size_t p = 0; p < f.planes; p++) {
		for (size_t i = 0; i < f.each; i++) {
			size_t to = p * f.image + (size_t)f.place[i];

			if (f.place[i] < 0)
				continue;
			if (dtype_is_float(x->dtype))
				y->f[to] += x->f[p * f.each + i];
			else
				y->i[to] = (int64_t)((uint64_t)y->i[to] + (uint64_t)x->i[p * f.each + i]);
		}
	}
	return 0;
}

static int col2im_grad(struct call *c)
{
	struct fold f;
	int rc = prepare(c, &f);

	if (rc)
		return rc;
	if (!c->in_grad[IN_COLUMNS] || !c->out_grad[0])
		return 0;
	for (size_t p = 0; p < f.planes; p++)
		for (size_t i = 0; i < f.each; i++)
			if (f.place[i] >= 0)
				c->in_grad[IN_COLUMNS]->f[p * f.each + i] +=
					c->out_grad[0]->f[p * f.image + (size_t)f.place[i]];
	return 0;
}

static int col2im_scale(struct call *c, int out, double *s)
{
	struct fold f;
	int rc = prepare(c, &f);

	if (rc)
		return rc;
	memset(s, 0, c->out[out]->count * sizeof *s);
	for (size_t p = 0; p < f.planes; p++) {
		for (size_t i = 0; i < f.each; i++) {
			double v = c->in[IN_COLUMNS]->f[p * f.each + i];

			if (f.place[i] >= 0)
				s[p * f.image + (size_t)f.place[i]] += v < 0 ? -v : v;
		}
	}
	for (size_t i = 0; i < c->out[out]->count; i++)
		s[i] *= noise_growth((double)f.block);
	return 0;
}

static const struct op_attr col2im_attrs[] = {OP_INTS("dilations", 1), OP_INTS("pads", 0), OP_INTS("strides", 1), {0}};

const struct op op_col2im = {
	.samples = SAMPLES({.by = &sampler_col2im}),
	.in = {{"input", T_NUM, 'T', 0}, {"image_shape", T_I64, 0, 0}, {"block_shape", T_I64, 0, 0}},
	.out = {{"output", T_NUM, 'T', 0}},
	.attrs = col2im_attrs,
	.infer = col2im_infer,
	.eval = col2im_eval,
	.grad = col2im_grad,
	.scale = col2im_scale,
};
