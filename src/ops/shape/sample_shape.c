/* sample_shape.c - operators that give a tensor another shape, or make one of a shape. */
#include <math.h>
#include <string.h>

#include "ops/sample/maker.h"
#include "ops/shape/samplers.h"

/* Two axes become one, or one becomes two. */
static int regroup(struct maker *m, const struct type *t, int64_t *dims)
{
	int rank = t->rank, at = rank ? (int)make_between(m, 0, rank - 1) : 0;

	memcpy(dims, t->dims, (size_t)rank * sizeof *dims);
	if (rank > 1 && (make_chance(m, 0.5) || rank >= MAKE_MAX_RANK)) {
		at = at ? at - 1 : 0;
		dims[at] *= dims[at + 1];
		memmove(dims + at + 1, dims + at + 2, (size_t)(rank - at - 2) * sizeof *dims);
		return rank - 1;
	}
	if (!rank) {
		dims[0] = 1;
		return 1;
	}
	memmove(dims + at + 1, dims + at, (size_t)(rank - at) * sizeof *dims);
	for (int64_t d = make_between(m, 1, dims[at]); d >= 1; d--)
		if (dims[at] % d == 0) {
			dims[at + 1] = dims[at] / d;
			dims[at] = d;
			break;
		}
	return rank + 1;
}

static struct wire *sample_reshape(struct maker *m, struct wire *const *in, int n)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = regroup(m, &in[0]->type, dims);
	int literal = !make_count_of(in[0]) || (m->wide && m->opset >= MAKE_EMPTY_OPSET && make_chance(m, 0.2));

	(void)n;
	if (make_count_of(in[0]) && make_chance(m, 0.3)) /* -1: what is left, of which nothing tells where nothing is */
		dims[make_between(m, 0, rank - 1)] = -1;
	else if (!literal && rank <= in[0]->type.rank && dims[0] == in[0]->type.dims[0] && make_chance(m, 0.3))
		dims[0] = 0; /* as in the input */
	make_begin(m, "Reshape", (struct wire *[]){in[0], make_ints(m, (size_t)rank, dims)}, 2, 1);
	if (literal) /* 0 means none */
		build_int(&m->b, "allowzero", 1);
	return make_done(m);
}

const struct sampler sampler_reshape = {
	.summary = "Reshape",
	.types = MAKE_MOVED,
	.make = sample_reshape,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_flatten(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	make_begin(m, "Flatten", in, 1, 1);
	build_int(&m->b, "axis", make_between(m, -in[0]->type.rank, in[0]->type.rank));
	return make_done(m);
}

const struct sampler sampler_flatten = {
	.summary = "Flatten",
	.types = MAKE_MOVED,
	.make = sample_flatten,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_unsqueeze(struct maker *m, struct wire *const *in, int n)
{
	int rank = in[0]->type.rank, more = m->wide && rank + 2 <= MAKE_MAX_RANK && make_chance(m, 0.3) ? 2 : 1;
	int64_t axes[2] = {make_between(m, 0, rank + more - 1), 0};

	(void)n;
	axes[1] = (axes[0] + make_between(m, 1, rank + 1)) % (rank + 2); /* another one, in any order */
	for (int i = 0; i < more; i++)
		axes[i] -= m->opset >= 11 && make_chance(m, 0.5) ? rank + more : 0; /* counted from the front before */
	return make_op2(m, "Unsqueeze", in[0], make_ints(m, (size_t)more, axes));
}

const struct sampler sampler_unsqueeze = {
	.summary = "Unsqueeze",
	.types = MAKE_MOVED,
	.make = sample_unsqueeze,
	.special = 1,
	.empty = 1,
};

/* Where there is no axis of 1 one is made: Slice of one. */
static struct wire *sample_squeeze(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[TENSOR_MAX_RANK];
	struct wire *x = make_axis(m, in[0], &axis);

	(void)n;
	if (!x)
		return NULL;
	for (int i = 0; i < x->type.rank; i++)
		axis = x->type.dims[i] == 1 ? i : axis;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[axis] = 1;
	x = make_slice(m, x, dims);
	if (make_chance(m, 0.2))
		return make_op1(m, "Squeeze", x);
	axis = make_chance(m, 0.3) ? axis - in[0]->type.rank : axis;
	if (axis < 0 && in[0]->type.rank == 0)
		axis = 0;
	return m->b.rc ? NULL : make_op2(m, "Squeeze", x, make_ints(m, 1, &axis));
}

const struct sampler sampler_squeeze = {
	.summary = "Squeeze",
	.types = MAKE_MOVED,
	.make = sample_squeeze,
	.special = 1,
};

static struct wire *sample_transpose(struct maker *m, struct wire *const *in, int n)
{
	size_t order[TENSOR_MAX_RANK];
	int64_t perm[TENSOR_MAX_RANK];
	int rank = in[0]->type.rank;

	(void)n;
	for (int i = 0; i < rank; i++)
		order[i] = (size_t)i;
	if (rank)
		rng_shuffle(&m->rng, order, (size_t)rank);
	for (int i = 0; i < rank; i++)
		perm[i] = (int64_t)order[i];
	make_begin(m, "Transpose", in, 1, 1);
	if (rank && !make_chance(m, 0.1))
		build_ints(&m->b, "perm", perm, (size_t)rank);
	return make_done(m);
}

const struct sampler sampler_transpose = {
	.summary = "Transpose",
	.types = MAKE_MOVED,
	.make = sample_transpose,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_shape(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_ranked(m, in[0]); /* the shape of a single number has no element */

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "Shape", &x, 1, 1);
	if (m->wide && m->opset >= 15 &&
	    make_chance(m, 0.4)) { /* a part that has a size at least; the end may lie beyond */
		int64_t rank = x->type.rank, start = make_between(m, 0, rank - 1),
			end = make_between(m, start + 1, rank + 1);

		build_int(&m->b, "start", make_chance(m, 0.5) ? start : start - rank);
		if (make_chance(m, 0.7))
			build_int(&m->b, "end", end < rank && make_chance(m, 0.5) ? end - rank : end);
	}
	return make_set_bound(m, make_done(m), MAKE_MAX_COUNT);
}

const struct sampler sampler_shape = {
	.summary = "Shape",
	.types = MAKE_MOVED,
	.make = sample_shape,
	.empty = 1,
};

static struct wire *sample_size(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	return make_set_bound(m, make_op1(m, "Size", in[0]), MAKE_MAX_COUNT);
}

const struct sampler sampler_size = {
	.summary = "Size",
	.types = MAKE_MOVED,
	.make = sample_size,
	.empty = 1,
};

/* ---- tensors made of shapes and numbers -------------------------------------------------------------------------- */

static struct wire *sample_eye_like(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_rank(m, in[0], 2);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "EyeLike", &x, 1, 1);
	if (make_chance(m, 0.5))
		build_int(&m->b, "k", make_between(m, m->wide ? -9 : -2, m->wide ? 9 : 2));
	if (make_chance(m, 0.4))
		build_int(&m->b, "dtype", MAKE_ONE_OF(m, DT_FLOAT, DT_INT64, DT_INT32, DT_DOUBLE, DT_UINT8, DT_BOOL));
	return make_set_bound(m, make_done(m), 1);
}

const struct sampler sampler_eye_like = {
	.summary = "EyeLike",
	.types = MAKE_MOVED,
	.make = sample_eye_like,
};

/* A range of constants, added to the input along its last axis. */
static struct wire *sample_range(struct maker *m, struct wire *const *in, int n)
{
	enum dtype t = in[0]->type.dtype;
	struct wire *x = make_room(m, make_ranked(m, in[0]), MAKE_LARGE, 2, 0), *range;
	double step = make_chance(m, 0.5) ? 1 : -2, start = (double)make_between(m, -3, 3);

	(void)n;
	if (m->b.rc)
		return NULL;
	range = make_scalar(m, t, start + step * (double)x->type.dims[x->type.rank - 1]);
	make_begin(m, "Range", (struct wire *[]){make_scalar(m, t, start), range, make_scalar(m, t, step)}, 3, 1);
	range = make_done(m);
	return m->b.rc ? NULL : make_set_bound(m, make_sum(m, x, range), make_bound_of(m, x) + 64);
}

const struct sampler sampler_range = {
	.summary = "Range, and a sum with it",
	.types = MAKE_NUMBERS | TM(DT_INT16),
	.make = sample_range,
};

static struct wire *sample_constant_of_shape(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, in[0], MAKE_LARGE), *shape, *zeros;

	(void)n;
	shape = m->b.rc ? NULL : make_op1(m, "Shape", x);
	if (m->b.rc)
		return NULL;
	make_begin(m, "ConstantOfShape", &shape, 1, 1);
	m->b.last->out[0]->type = x->type;
	zeros = make_set_bound(m, make_done(m), 0);
	return m->b.rc ? NULL : make_set_bound(m, make_sum(m, x, zeros), make_bound_of(m, x));
}

const struct sampler sampler_constant_of_shape = {
	.summary = "Shape, ConstantOfShape, and a sum with it",
	.types = T_F32,
	.make = sample_constant_of_shape,
};
