/* sample_move.c - operators that give elements other places: parts of a tensor, more of it. */
#include <math.h>
#include <string.h>

#include "ops/sample/maker.h"
#include "ops/shape/samplers.h"

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Begin and end of at least one element along an axis of d, going by `step`. */
static void draw_range(struct maker *m, int64_t d, int64_t step, int64_t *start, int64_t *end)
{
	int64_t a = make_between(m, 0, d - 1), b = make_between(m, a, d - 1); /* both included */

	*start = step > 0 ? a : b;
	*end = step > 0 ? b + 1 : a - 1;
	if (m->wide && m->opset >= MAKE_EMPTY_OPSET && make_chance(m, 0.03)) { /* nothing */
		*end = *start;
		return;
	}
	if (m->wide && *end == d && make_chance(m, 0.3))
		*end = INT64_MAX;
	else if (*end == -1) /* before the first; -1 alone would be the last */
		*end = make_chance(m, 0.5) ? -d - 1 : INT64_MIN + 1;
	else if (make_chance(m, 0.3) && *end<d && * end> 0)
		*end -= d;
	if (m->wide && *start == (step > 0 ? 0 : d - 1) && make_chance(m, 0.2)) /* from beyond, and cut */
		*start = step > 0 ? -d - 3 : d + 3;
	else if (make_chance(m, 0.3))
		*start -= d;
}

/* Of all lists of Slice: one that holds where they begin and end. */
static enum dtype draw_index_type(struct maker *m, size_t n, const int64_t *starts, const int64_t *ends)
{
	enum dtype t = make_index_type(m);

	for (size_t i = 0; i < n; i++)
		if (starts[i] != (int32_t)starts[i] || ends[i] != (int32_t)ends[i])
			return DT_INT64;
	return t;
}

static struct wire *slice(struct maker *m, struct wire *x, int steps)
{
	int64_t starts[MAKE_MAX_RANK], ends[MAKE_MAX_RANK], axes[MAKE_MAX_RANK], by[MAKE_MAX_RANK];
	struct wire *in[5];
	enum dtype t;
	size_t n = 0;

	for (int i = 0; i < x->type.rank; i++) {
		if (!make_chance(m, 0.5) || !x->type.dims[i])
			continue;
		axes[n] = make_either_end(m, i, x->type.rank);
		by[n] = steps ? MAKE_ONE_OF(m, 1, 2, 3, -1, -2) : 1;
		if (steps && m->wide && make_chance(m, 0.1))
			by[n] = MAKE_ONE_OF(m, 7, -7, INT32_MAX, -INT32_MAX);
		draw_range(m, x->type.dims[i], by[n], &starts[n], &ends[n]);
		n++;
	}
	if (!n)
		return x;
	in[0] = x;
	t = draw_index_type(m, n, starts, ends);
	in[1] = make_list(m, t, n, starts);
	in[2] = make_list(m, t, n, ends);
	in[3] = make_list(m, t, n, axes);
	in[4] = steps ? make_list(m, t, n, by) : NULL;
	make_begin(m, "Slice", in, steps ? 5 : 4, 1);
	return make_done(m);
}

static struct wire *sample_slice(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_ranked(m, in[0]);

	(void)n;
	return m->b.rc ? NULL : slice(m, x, 0);
}

const struct sampler sampler_slice = {
	.summary = "Slice",
	.types = MAKE_MOVED,
	.make = sample_slice,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_strided(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_ranked(m, in[0]);

	(void)n;
	return m->b.rc ? NULL : slice(m, x, m->opset >= 10);
}

const struct sampler sampler_strided = {
	.summary = "Slice with steps",
	.types = MAKE_MOVED,
	.make = sample_strided,
	.special = 1,
	.empty = 1,
};

#define MAX_PARTS 4

/* Sizes of some parts of d, in wide models of none as well; 0 parts: Split is to make n equal ones, the last smaller.
 */
static int draw_parts(struct maker *m, int64_t d, int64_t *parts, int *n)
{
	int64_t left = d, even = (d + *n - 1) / *n;

	if (m->wide && m->opset >= 18 && d > (*n - 1) * even && make_chance(m, 0.3))
		return 0;
	for (int i = 0; i < *n - 1; i++) {
		int none = m->wide && m->opset >= MAKE_EMPTY_OPSET && make_chance(m, 0.05);

		parts[i] = none ? 0 : make_between(m, 1, left - (*n - 1 - i));
		left -= parts[i];
	}
	parts[*n - 1] = left;
	return *n;
}

static struct wire *sample_split(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, parts[MAX_PARTS];
	struct wire *x = make_axis(m, in[0], &axis);
	int into = m->wide ? (int)make_between(m, 2, MAX_PARTS) : 2, given;

	(void)n;
	if (!x)
		return NULL;
	into = x->type.dims[axis] < into ? 2 : into;
	if (x->type.dims[axis] < 2)
		return x;
	given = draw_parts(m, x->type.dims[axis], parts, &into);
	make_begin(m, "Split", (struct wire *[]){x, given ? make_ints(m, (size_t)given, parts) : NULL}, given ? 2 : 1,
		   into);
	build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	if (!given)
		build_int(&m->b, "num_outputs", into);
	x = make_done(m);
	return x && make_chance(m, 0.5) ? m->b.last->out[make_between(m, 1, into - 1)] : x;
}

const struct sampler sampler_split = {
	.summary = "Split in two or more",
	.types = MAKE_MOVED,
	.make = sample_split,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_trilu(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? make_rank(m, in[0], 2) : in[0];
	int64_t far = m->wide ? 9 : 2; /* beyond the corners */

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "Trilu", (struct wire *[]){x, make_scalar(m, DT_INT64, (double)make_between(m, -far, far))}, 2,
		   1);
	build_int(&m->b, "upper", make_between(m, 0, 1));
	return make_done(m);
}

const struct sampler sampler_trilu = {
	.summary = "Trilu",
	.types = MAKE_MOVED,
	.make = sample_trilu,
};

/* ---- more of it -------------------------------------------------------------------------------------------------- */

static struct wire *sample_concat(struct maker *m, struct wire *const *in, int n)
{
	struct wire *all[MAKE_MANY];
	int64_t dims[TENSOR_MAX_RANK], axis;

	all[0] = make_ranked(m, in[0]);
	if (m->b.rc)
		return NULL;
	axis = make_between(m, 0, all[0]->type.rank - 1);
	memcpy(dims, all[0]->type.dims, sizeof dims);
	for (int i = 1; i < n && !m->b.rc; i++) {
		all[i] = make_rank(m, in[i], all[0]->type.rank);
		if (all[i])
			dims[axis] = all[i]->type.dims[axis];
		all[i] = make_match(m, all[i], all[0]->type.rank, dims);
	}
	n = make_many(m, all, n, MAKE_MAX_COUNT);
	make_begin(m, "Concat", all, n, 1);
	build_int(&m->b, "axis", make_either_end(m, axis, all[0]->type.rank));
	return make_done(m);
}

const struct sampler sampler_concat = {
	.summary = "Concat",
	.types = MAKE_MOVED,
	.make = sample_concat,
	.special = 1,
	.empty = 1,
};

enum drawn_pad { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP };

/* One end of an axis of d.  Reflection takes fewer elements than there are, wrapping goes round more than once; where
 * constants are added negative paddings cut off. */
static int64_t draw_padding(struct maker *m, enum drawn_pad mode, int64_t d)
{
	int64_t most = mode == PAD_REFLECT ? d - 1 : 3;

	if (make_chance(m, 0.5))
		return 0;
	if (m->wide && mode == PAD_CONSTANT && d > 4 && make_chance(m, 0.15))
		return -make_between(m, 1, (d - 1) / 2);
	if (m->wide && make_chance(m, 0.2)) /* all that there is, or beyond */
		return mode == PAD_REFLECT ? d - 1 : d + make_between(m, -1, mode == PAD_CONSTANT ? 1 : d);
	return make_between(m, 0, most < 3 ? most : 3);
}

/* The axes that Pad is told of, from either end and in any order: in wide models some of them. */
static int draw_padded(struct maker *m, int rank, int64_t *axes)
{
	size_t order[MAKE_MAX_RANK];
	int n = (int)make_between(m, 1, rank);

	for (int i = 0; i < rank; i++)
		order[i] = (size_t)i;
	rng_shuffle(&m->rng, order, (size_t)rank);
	for (int i = 0; i < n; i++)
		axes[i] = make_either_end(m, (int64_t)order[i], rank);
	return n;
}

static enum drawn_pad draw_pad_mode(struct maker *m)
{
	return m->wide && m->opset >= 19 && make_chance(m, 0.25) ? PAD_WRAP : (enum drawn_pad)make_between(m, 0, 2);
}

static struct wire *sample_pad(struct maker *m, struct wire *const *in, int n)
{
	static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
	struct wire *x = make_shrink(m, make_ranked(m, in[0]), m->wide ? MAKE_MAX_COUNT / 8 : MAKE_MAX_COUNT),
		    *all[4] = {x, NULL, NULL, NULL};
	int64_t pads[2 * MAKE_MAX_RANK], axes[MAKE_MAX_RANK];
	enum drawn_pad mode = draw_pad_mode(m);
	int rank = m->b.rc ? 0 : x->type.rank, some = m->wide && m->opset >= 18 && make_chance(m, 0.3), padded = rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	if (some)
		padded = draw_padded(m, rank, axes);
	for (int i = 0; i < 2 * padded; i++) {
		int64_t axis = some ? axes[i % padded] : i % padded;

		pads[i] = draw_padding(m, mode, x->type.dims[axis < 0 ? axis + rank : axis]);
	}
	all[1] = make_ints(m, 2 * (size_t)padded, pads);
	if (mode == PAD_CONSTANT && make_chance(m, 0.6))
		all[2] = make_scalar(m, x->type.dtype, (double)make_between(m, -3, 3));
	all[3] = some ? make_indices(m, (size_t)padded, axes) : NULL;
	make_begin(m, "Pad", all, some ? 4 : all[2] ? 3 : 2, 1);
	build_string(&m->b, "mode", modes[mode]);
	return make_set_bound(m, make_done(m), fmax(make_bound_of(m, x), 3));
}

const struct sampler sampler_pad = {
	.summary = "Pad",
	.types = MAKE_MOVED,
	.make = sample_pad,
	.special = 1,
};

static struct wire *sample_tile(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x =
		make_shrink(m, in[0], MAKE_MAX_COUNT / 8); /* a single number has no axis to repeat: no repeats */
	int64_t repeats[TENSOR_MAX_RANK];

	(void)n;
	for (int i = 0; !m->b.rc && i < x->type.rank; i++)
		repeats[i] = make_chance(m, 0.6) ? 1 : make_between(m, 1, 3);
	if (!m->b.rc && m->wide && x->type.rank && m->opset >= MAKE_EMPTY_OPSET && make_chance(m, 0.02))
		repeats[make_between(m, 0, x->type.rank - 1)] = 0;
	return m->b.rc ? NULL : make_op2(m, "Tile", x, make_ints(m, (size_t)x->type.rank, repeats));
}

const struct sampler sampler_tile = {
	.summary = "Tile",
	.types = MAKE_MOVED,
	.make = sample_tile,
	.special = 1,
	.empty = 1,
};

/* What an axis of 1 becomes. */
static int64_t expanded(struct maker *m)
{
	return m->wide && m->opset >= MAKE_EMPTY_OPSET && make_chance(m, 0.03) ? 0 : make_between(m, 1, 3);
}

static struct wire *sample_expand(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_ranked(m, in[0]), MAKE_MAX_COUNT / 8);
	int64_t dims[TENSOR_MAX_RANK];
	int more, rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	more = x->type.rank < MAKE_MAX_RANK && make_chance(m, 0.4);
	rank = x->type.rank + more;
	dims[0] = make_between(m, 1, 2);
	for (int i = 0; i < x->type.rank; i++)
		dims[more + i] = x->type.dims[i] == 1 ? expanded(m) : make_chance(m, 0.3) ? 1 : x->type.dims[i];
	more = m->wide && make_chance(m, 0.2) ? (int)make_between(m, 0, rank) : 0; /* axes in front that are not told */
	return make_op2(m, "Expand", x, make_ints(m, (size_t)(rank - more), dims + more));
}

const struct sampler sampler_expand = {
	.summary = "Expand",
	.types = MAKE_MOVED,
	.make = sample_expand,
	.special = 1,
	.empty = 1,
};

static struct wire *sample_crop_pad(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_shrink(m, make_ranked(m, in[0]), MAKE_MAX_COUNT / 8);
	int64_t shape[MAKE_MAX_RANK];

	(void)n;
	for (int i = 0; !m->b.rc && i < x->type.rank; i++)
		shape[i] = x->type.dims[i] + make_between(m, x->type.dims[i] > 2 ? -2 : 0, 2);
	return m->b.rc ? NULL : make_op2(m, "CenterCropPad", x, make_indices(m, (size_t)x->type.rank, shape));
}

const struct sampler sampler_crop_pad = {
	.summary = "CenterCropPad",
	.types = MAKE_MOVED,
	.make = sample_crop_pad,
};

/* ---- other places ------------------------------------------------------------------------------------------------ */

static struct wire *sample_reverse_sequence(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? make_rank(m, in[0], 2) : in[0];
	int time = make_chance(m, 0.5);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(
		m, "ReverseSequence",
		(struct wire *[]){x, make_random(m, DT_INT64, 1, &x->type.dims[!time], 1, (double)x->type.dims[time])},
		2, 1);
	build_int(&m->b, "time_axis", time);
	build_int(&m->b, "batch_axis", !time);
	return make_done(m);
}

const struct sampler sampler_reverse_sequence = {
	.summary = "ReverseSequence",
	.types = MAKE_MOVED,
	.make = sample_reverse_sequence,
};

static struct wire *sample_depth_to_space(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_rank(m, in[0], 4);
	int64_t dims[4], block = make_between(m, 1, m->wide ? 3 : 2);

	(void)n;
	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	dims[1] = (dims[1] + block * block - 1) / (block * block) * block * block;
	x = make_match(m, x, 4, dims);
	make_begin(m, "DepthToSpace", &x, 1, 1);
	build_int(&m->b, "blocksize", block);
	if (make_chance(m, 0.5))
		build_string(&m->b, "mode", "CRD");
	return make_done(m);
}

const struct sampler sampler_depth_to_space = {
	.summary = "DepthToSpace",
	.types = MAKE_MOVED,
	.make = sample_depth_to_space,
};

static struct wire *sample_space_to_depth(struct maker *m, struct wire *const *in, int n)
{
	int64_t block = make_between(m, 1, m->wide ? 3 : 2);
	struct wire *x = make_divisible(m, make_rank(m, in[0], 4), block);

	(void)n;
	make_begin(m, "SpaceToDepth", &x, 1, 1);
	build_int(&m->b, "blocksize", block);
	return make_done(m);
}

const struct sampler sampler_space_to_depth = {
	.summary = "SpaceToDepth",
	.types = MAKE_MOVED,
	.make = sample_space_to_depth,
};
