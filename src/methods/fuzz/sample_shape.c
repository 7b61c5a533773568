/* sample_shape.c - operators that give a tensor another shape, or its elements other places. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/maker.h"

#define MOVED (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT32) | TM(DT_INT64))
#define MOVED_TOO (MOVED | T_BOOL | TM(DT_UINT8) | TM(DT_INT8))

/* ---- reshape and its kin ----------------------------------------------------------------------------------------- */

/* Two axes become one, or one becomes two. */
static int regroup(struct maker *m, const struct type *t, int64_t *dims)
{
	int rank = t->rank, at = rank ? (int)between(m, 0, rank - 1) : 0;

	memcpy(dims, t->dims, (size_t)rank * sizeof *dims);
	if (rank > 1 && (chance(m, 0.5) || rank >= MAX_RANK)) {
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
	for (int64_t d = between(m, 1, dims[at]); d >= 1; d--)
		if (dims[at] % d == 0) {
			dims[at + 1] = dims[at] / d;
			dims[at] = d;
			break;
		}
	return rank + 1;
}

static struct wire *make_reshape(struct maker *m, struct wire *const *in, int n)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = regroup(m, &in[0]->type, dims);

	(void)n;
	if (chance(m, 0.3)) /* -1: what is left */
		dims[between(m, 0, rank - 1)] = -1;
	else if (rank <= in[0]->type.rank && dims[0] == in[0]->type.dims[0] && chance(m, 0.3))
		dims[0] = 0; /* as in the input */
	return op2(m, "Reshape", in[0], const_ints(m, (size_t)rank, dims));
}

const struct sampler sampler_reshape = {"Reshape", MOVED_TOO, make_reshape, 0, 1};

static struct wire *make_flatten(struct maker *m, struct wire *const *in, int n)
{
	(void)n;
	begin(m, "Flatten", in, 1, 1);
	build_int(&m->b, "axis", between(m, -in[0]->type.rank, in[0]->type.rank));
	return done(m);
}

const struct sampler sampler_flatten = {"Flatten", MOVED, make_flatten, 0, 1};

static struct wire *make_unsqueeze(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis = between(m, -in[0]->type.rank - 1, in[0]->type.rank);

	(void)n;
	return op2(m, "Unsqueeze", in[0], const_ints(m, 1, &axis));
}

const struct sampler sampler_unsqueeze = {"Unsqueeze", MOVED_TOO, make_unsqueeze, 0, 1};

/* Where there is no axis of 1 one is made: Slice of one. */
static struct wire *make_squeeze(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[TENSOR_MAX_RANK];
	struct wire *x = with_axis(m, in[0], &axis);

	(void)n;
	if (!x)
		return NULL;
	for (int i = 0; i < x->type.rank; i++)
		axis = x->type.dims[i] == 1 ? i : axis;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[axis] = 1;
	x = slice_to(m, x, dims);
	if (chance(m, 0.2))
		return op1(m, "Squeeze", x);
	axis = chance(m, 0.3) ? axis - in[0]->type.rank : axis;
	if (axis < 0 && in[0]->type.rank == 0)
		axis = 0;
	return m->b.rc ? NULL : op2(m, "Squeeze", x, const_ints(m, 1, &axis));
}

const struct sampler sampler_squeeze = {"Squeeze", MOVED_TOO, make_squeeze, 0, 1};

static struct wire *make_transpose(struct maker *m, struct wire *const *in, int n)
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
	begin(m, "Transpose", in, 1, 1);
	if (rank && !chance(m, 0.1))
		build_ints(&m->b, "perm", perm, (size_t)rank);
	return done(m);
}

const struct sampler sampler_transpose = {"Transpose", MOVED_TOO, make_transpose, 0, 1};

static struct wire *make_shape(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = ranked(m, in[0]); /* the shape of a single number has no element */

	(void)n;
	begin(m, "Shape", &x, 1, 1);
	return set_bound(m, done(m), MAX_COUNT);
}

const struct sampler sampler_shape = {"Shape", MOVED_TOO, make_shape, 0, 0};

static struct wire *make_fill(struct maker *m, struct wire *const *in, int n)
{
	struct wire *shape;

	(void)n;
	shape = op1(m, "Shape", in[0]);
	if (m->b.rc)
		return NULL;
	begin(m, "Expand", (struct wire *[]){const_scalar(m, in[0]->type.dtype, (double)between(m, 0, 3)), shape}, 2,
	      1);
	if (m->b.rc)
		return NULL;
	/* Shapes that are computed are not followed here, but this one is known. */
	m->b.last->out[0]->type = in[0]->type;
	return set_bound(m, done(m), 3);
}

const struct sampler sampler_fill = {"a tensor of one number, as large as another: Shape and Expand", MOVED, make_fill,
				     0, 0};

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Begin and end of at least one element along an axis of d, going by `step`. */
static void draw_range(struct maker *m, int64_t d, int64_t step, int64_t *start, int64_t *end)
{
	int64_t a = between(m, 0, d - 1), b = between(m, a, d - 1); /* both included */

	*start = step > 0 ? a : b;
	*end = step > 0 ? b + 1 : a - 1;
	if (m->wide && *end == d && chance(m, 0.3))
		*end = INT64_MAX;
	else if (*end == -1) /* before the first; -1 alone would be the last */
		*end = chance(m, 0.5) ? -d - 1 : INT64_MIN + 1;
	else if (chance(m, 0.3) && *end<d && * end> 0)
		*end -= d;
	if (chance(m, 0.3))
		*start -= d;
}

static struct wire *slice(struct maker *m, struct wire *x, int steps)
{
	int64_t starts[MAX_RANK], ends[MAX_RANK], axes[MAX_RANK], by[MAX_RANK];
	struct wire *in[5];
	size_t n = 0;

	for (int i = 0; i < x->type.rank; i++) {
		if (!chance(m, 0.5) || !x->type.dims[i])
			continue;
		axes[n] = chance(m, 0.3) ? i - x->type.rank : i;
		by[n] = steps ? ONE_OF(m, 1, 2, 3, -1, -2) : 1;
		draw_range(m, x->type.dims[i], by[n], &starts[n], &ends[n]);
		n++;
	}
	if (!n)
		return x;
	in[0] = x;
	in[1] = const_ints(m, n, starts);
	in[2] = const_ints(m, n, ends);
	in[3] = const_ints(m, n, axes);
	in[4] = steps ? const_ints(m, n, by) : NULL;
	begin(m, "Slice", in, steps ? 5 : 4, 1);
	return done(m);
}

static struct wire *make_slice(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = ranked(m, in[0]);

	(void)n;
	return m->b.rc ? NULL : slice(m, x, 0);
}

const struct sampler sampler_slice = {"Slice", MOVED_TOO, make_slice, 0, 1};

static struct wire *make_strided(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = ranked(m, in[0]);

	(void)n;
	return m->b.rc ? NULL : slice(m, x, 1);
}

const struct sampler sampler_strided = {"Slice with steps", MOVED, make_strided, 0, 1};

static struct wire *make_split(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, parts[2];
	struct wire *x = with_axis(m, in[0], &axis);

	(void)n;
	if (!x)
		return NULL;
	if (x->type.dims[axis] < 2)
		return x;
	parts[0] = between(m, 1, x->type.dims[axis] - 1);
	parts[1] = x->type.dims[axis] - parts[0];
	begin(m, "Split", (struct wire *[]){x, const_ints(m, 2, parts)}, 2, 2);
	build_int(&m->b, "axis", either_end(m, axis, x->type.rank));
	x = done(m);
	return x && chance(m, 0.5) ? m->b.last->out[1] : x;
}

const struct sampler sampler_split = {"Split in two", MOVED, make_split, 0, 1};

static struct wire *make_trilu(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? as_rank(m, in[0], 2) : in[0];

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "Trilu", (struct wire *[]){x, const_scalar(m, DT_INT64, (double)between(m, -2, 2))}, 2, 1);
	build_int(&m->b, "upper", between(m, 0, 1));
	return done(m);
}

const struct sampler sampler_trilu = {"Trilu", MOVED, make_trilu, 0, 0};

/* ---- more of it -------------------------------------------------------------------------------------------------- */

static struct wire *make_concat(struct maker *m, struct wire *const *in, int n)
{
	struct wire *all[FUZZ_MAX_DEGREE];
	int64_t dims[TENSOR_MAX_RANK], axis;

	all[0] = ranked(m, in[0]);
	if (m->b.rc)
		return NULL;
	axis = between(m, 0, all[0]->type.rank - 1);
	memcpy(dims, all[0]->type.dims, sizeof dims);
	for (int i = 1; i < n && !m->b.rc; i++) {
		all[i] = as_rank(m, in[i], all[0]->type.rank);
		if (all[i])
			dims[axis] = all[i]->type.dims[axis];
		all[i] = match(m, all[i], all[0]->type.rank, dims);
	}
	begin(m, "Concat", all, n, 1);
	build_int(&m->b, "axis", either_end(m, axis, all[0]->type.rank));
	return done(m);
}

const struct sampler sampler_concat = {"Concat", MOVED, make_concat, 0, 1};

/* Reflection takes fewer elements than there are; negative paddings cut off. */
static struct wire *make_pad(struct maker *m, struct wire *const *in, int n)
{
	static const char *const modes[] = {"constant", "reflect", "edge"};
	struct wire *x = ranked(m, in[0]), *value = NULL;
	int64_t pads[2 * MAX_RANK];
	int mode = (int)between(m, 0, 2), rank = m->b.rc ? 0 : x->type.rank;

	(void)n;
	for (int i = 0; i < 2 * rank; i++) {
		int64_t most = mode == 1 ? x->type.dims[i % rank] - 1 : 3;

		pads[i] = chance(m, 0.5) ? 0 : between(m, 0, most < 3 ? most : 3);
		if (m->wide && mode == 0 && x->type.dims[i % rank] > 4 && chance(m, 0.15))
			pads[i] = -1;
	}
	if (m->b.rc)
		return NULL;
	if (mode == 0 && chance(m, 0.6))
		value = const_scalar(m, x->type.dtype, (double)between(m, -3, 3));
	begin(m, "Pad", (struct wire *[]){x, const_ints(m, 2 * (size_t)rank, pads), value}, value ? 3 : 2, 1);
	build_string(&m->b, "mode", modes[mode]);
	return set_bound(m, done(m), fmax(bound_of(m, x), 3));
}

const struct sampler sampler_pad = {"Pad", MOVED, make_pad, 0, 1};

static struct wire *make_tile(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, in[0], MAX_COUNT / 8); /* a single number has no axis to repeat: no repeats */
	int64_t repeats[TENSOR_MAX_RANK];

	(void)n;
	for (int i = 0; !m->b.rc && i < x->type.rank; i++)
		repeats[i] = chance(m, 0.6) ? 1 : between(m, 1, 3);
	return m->b.rc ? NULL : op2(m, "Tile", x, const_ints(m, (size_t)x->type.rank, repeats));
}

const struct sampler sampler_tile = {"Tile", MOVED, make_tile, 0, 1};

static struct wire *make_expand(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = shrink(m, ranked(m, in[0]), MAX_COUNT / 8);
	int64_t dims[TENSOR_MAX_RANK];
	int more, rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	more = x->type.rank < MAX_RANK && chance(m, 0.4);
	rank = x->type.rank + more;
	dims[0] = between(m, 1, 2);
	for (int i = 0; i < x->type.rank; i++)
		dims[more + i] = x->type.dims[i] == 1 ? between(m, 1, 3) : chance(m, 0.3) ? 1 : x->type.dims[i];
	return op2(m, "Expand", x, const_ints(m, (size_t)rank, dims));
}

const struct sampler sampler_expand = {"Expand", MOVED, make_expand, 0, 1};

/* ---- space, depth and batch -------------------------------------------------------------------------------------- */

static struct wire *make_depth_to_space(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = as_rank(m, in[0], 4);
	int64_t dims[4], block = between(m, 1, 2);

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[1] = (dims[1] + block * block - 1) / (block * block) * block * block;
	x = match(m, x, 4, dims);
	begin(m, "DepthToSpace", &x, 1, 1);
	build_int(&m->b, "blocksize", block);
	if (chance(m, 0.5))
		build_string(&m->b, "mode", "CRD");
	return done(m);
}

const struct sampler sampler_depth_to_space = {"DepthToSpace", TM(DT_FLOAT), make_depth_to_space, 0, 0};

/* Heights and widths that the block divides. */
static struct wire *divisible(struct maker *m, struct wire *x, int64_t block)
{
	int64_t dims[4];

	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	for (int i = 2; i < 4; i++)
		dims[i] = (dims[i] + block - 1) / block * block;
	return match(m, x, 4, dims);
}

static struct wire *make_space_to_depth(struct maker *m, struct wire *const *in, int n)
{
	int64_t block = between(m, 1, 2);
	struct wire *x = divisible(m, as_rank(m, in[0], 4), block);

	(void)n;
	begin(m, "SpaceToDepth", &x, 1, 1);
	build_int(&m->b, "blocksize", block);
	return done(m);
}

const struct sampler sampler_space_to_depth = {"SpaceToDepth", TM(DT_FLOAT), make_space_to_depth, 0, 0};

static struct wire *transpose6(struct maker *m, struct wire *x, const int64_t *perm)
{
	begin(m, "Transpose", &x, 1, 1);
	build_ints(&m->b, "perm", perm, 6);
	return done(m);
}

/* [N, C, H, W] → [N, C, H/b, b, W/b, b] → [b, b, N, C, H/b, W/b] → [b b N, C, H/b, W/b] */
static struct wire *make_space_to_batch(struct maker *m, struct wire *const *in, int n)
{
	int64_t b = between(m, 1, 3);
	struct wire *x = divisible(m, as_rank(m, in[0], 4), b);
	const int64_t *d = m->b.rc ? NULL : x->type.dims;

	(void)n;
	if (!d)
		return NULL;
	x = op2(m, "Reshape", x, const_ints(m, 6, (int64_t[]){d[0], d[1], d[2] / b, b, d[3] / b, b}));
	x = transpose6(m, x, (int64_t[]){3, 5, 0, 1, 2, 4});
	return op2(m, "Reshape", x, const_ints(m, 4, (int64_t[]){b * b * d[0], d[1], d[2] / b, d[3] / b}));
}

const struct sampler sampler_space_to_batch = {"SpaceToBatch: Reshape, Transpose, Reshape", TM(DT_FLOAT),
					       make_space_to_batch, 0, 0};

/* The way back; a batch that the block does not divide is padded first. */
static struct wire *make_batch_to_space(struct maker *m, struct wire *const *in, int n)
{
	int64_t b = between(m, 1, 2), dims[4];
	struct wire *x = as_rank(m, in[0], 4);
	const int64_t *d;

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[0] = (dims[0] + b * b - 1) / (b * b) * b * b;
	x = match(m, x, 4, dims);
	if (m->b.rc)
		return NULL;
	d = dims;
	x = op2(m, "Reshape", x, const_ints(m, 6, (int64_t[]){b, b, d[0] / (b * b), d[1], d[2], d[3]}));
	x = transpose6(m, x, (int64_t[]){2, 3, 4, 0, 5, 1});
	return op2(m, "Reshape", x, const_ints(m, 4, (int64_t[]){d[0] / (b * b), d[1], d[2] * b, d[3] * b}));
}

const struct sampler sampler_batch_to_space = {"BatchToSpace: Reshape, Transpose, Reshape", TM(DT_FLOAT),
					       make_batch_to_space, 0, 0};
