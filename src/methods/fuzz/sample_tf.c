/* sample_tf.c - operators of the paper, which are TensorFlow's, that ONNX makes of others. */
#include <string.h>

#include "methods/fuzz/samplers.h"

static struct wire *sample_relu6(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;

	(void)n;
	make_begin(m, "Clip", (struct wire *[]){in[0], make_scalar(m, t, 0), make_scalar(m, t, 6)}, 3, 1);
	return make_set_bound(m, make_done(m), 6);
}

const struct sampler sampler_relu6 = {
	.summary = "Relu6: Clip from 0 to 6",
	.types = MAKE_FLOATS,
	.make = sample_relu6,
};

static struct wire *sample_square(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0], 1000);
	double bound = make_bound_of(m, x);

	(void)n;
	return make_set_bound(m, make_op2(m, "Mul", x, x), bound * bound);
}

const struct sampler sampler_square = {
	.summary = "the square: Mul with itself",
	.types = MAKE_NUMBERS,
	.make = sample_square,
	.special = 1,
};

static struct wire *sample_rsqrt(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return make_op1(m, "Reciprocal", make_op1(m, "Sqrt", in[0]));
}

const struct sampler sampler_rsqrt = {
	.summary = "1 / √x",
	.types = MAKE_FLOATS,
	.make = sample_rsqrt,
};

/* One number a channel. */
static struct wire *sample_bias(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0], MAKE_LARGE), *bias;
	int64_t dims[3] = {1, 1, 1};
	int rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	x = x->type.rank < 2 ? make_rank(m, x, 2) : x;
	if (m->b.rc)
		return NULL;
	rank = x->type.rank - 1 < 3 ? x->type.rank - 1 : 3;
	dims[0] = x->type.dims[x->type.rank - rank];
	bias = make_weights(m, x->type.dtype, rank, dims);
	return make_set_bound(m, make_op2(m, "Add", x, bias), make_bound_of(m, x) + 2);
}

const struct sampler sampler_bias = {
	.summary = "BiasAdd: Add of one number a channel",
	.types = MAKE_FLOATS,
	.make = sample_bias,
	.special = 1,
};

static struct wire *sample_fill(struct maker *m, struct wire *const *in, int n)
{
	struct wire *shape;

	(void)n;
	shape = make_op1(m, "Shape", in[0]);
	if (m->b.rc)
		return NULL;
	make_begin(m, "Expand",
		   (struct wire *[]){make_scalar(m, in[0]->type.dtype, (double)make_between(m, 0, 3)), shape}, 2, 1);
	if (m->b.rc)
		return NULL;
	/* Shapes that are computed are not followed here, but this one is known. */
	m->b.last->out[0]->type = in[0]->type;
	return make_set_bound(m, make_done(m), 3);
}

const struct sampler sampler_fill = {
	.summary = "a tensor of one number, as large as another: Shape and Expand",
	.types = MAKE_NUMBERS,
	.since = 8,
	.make = sample_fill,
};

static struct wire *transpose6(struct maker *m, struct wire *x, const int64_t *perm)
{
	make_begin(m, "Transpose", &x, 1, 1);
	build_ints(&m->b, "perm", perm, 6);
	return make_done(m);
}

/* [N, C, H, W] → [N, C, H/b, b, W/b, b] → [b, b, N, C, H/b, W/b] → [b b N, C, H/b, W/b] */
static struct wire *sample_space_to_batch(struct maker *m, struct wire *const *in, int n)
{
	int64_t b = make_between(m, 1, 3);
	struct wire *x = make_divisible(m, make_rank(m, in[0], 4), b);
	const int64_t *d = m->b.rc ? NULL : x->type.dims;

	(void)n;
	if (!d)
		return NULL;
	x = make_op2(m, "Reshape", x, make_ints(m, 6, (int64_t[]){d[0], d[1], d[2] / b, b, d[3] / b, b}));
	x = transpose6(m, x, (int64_t[]){3, 5, 0, 1, 2, 4});
	return make_op2(m, "Reshape", x, make_ints(m, 4, (int64_t[]){b * b * d[0], d[1], d[2] / b, d[3] / b}));
}

const struct sampler sampler_space_to_batch = {
	.summary = "SpaceToBatch: Reshape, Transpose, Reshape",
	.types = T_F32,
	.make = sample_space_to_batch,
};

/* The way back; a batch that the block does not divide is padded first. */
static struct wire *sample_batch_to_space(struct maker *m, struct wire *const *in, int n)
{
	int64_t b = make_between(m, 1, 2), dims[4];
	struct wire *x = make_rank(m, in[0], 4);
	const int64_t *d;

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[0] = (dims[0] + b * b - 1) / (b * b) * b * b;
	x = make_match(m, x, 4, dims);
	if (m->b.rc)
		return NULL;
	d = dims;
	x = make_op2(m, "Reshape", x, make_ints(m, 6, (int64_t[]){b, b, d[0] / (b * b), d[1], d[2], d[3]}));
	x = transpose6(m, x, (int64_t[]){2, 3, 4, 0, 5, 1});
	return make_op2(m, "Reshape", x, make_ints(m, 4, (int64_t[]){d[0] / (b * b), d[1], d[2] * b, d[3] * b}));
}

const struct sampler sampler_batch_to_space = {
	.summary = "BatchToSpace: Reshape, Transpose, Reshape",
	.types = T_F32,
	.make = sample_batch_to_space,
};
