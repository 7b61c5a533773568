/* calculator.c - shapes, types and paddings that fit (see maker.h).
 *
 * Where inputs of an aggregation differ in element type, rank or sizes, Cast, Reshape, Slice and Pad go before it. */
#include <math.h>
#include <string.h>

#include "ops/sample/maker.h"

size_t make_count_of(const struct wire *w)
{
	size_t n = 1;

	for (int i = 0; w && i < w->type.rank; i++)
		n *= (size_t)w->type.dims[i];
	return n;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define GUARDED 9                 /* IsNaN and Where are there since */
#define CLIPS_OTHERS 12           /* the opset since which Clip takes integers, and libraries more than float32 */
#define EXACT ((double)(1 << 24)) /* integers up to here are numbers of float32 */
#define CLIPPED (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT32) | TM(DT_INT64))

static struct wire *plain_cast(struct maker *m, struct wire *w, enum dtype t);

/* Whether it is that operator's own nodes that are drawn. */
static int is_made(const struct maker *m, const char *op)
{
	return m->row && !strcmp(m->row->name, op);
}

struct wire *make_no_nan(struct maker *m, struct wire *w)
{
	if (m->b.rc || !m->special || !dtype_is_float(w->type.dtype))
		return w;
	if (make_narrow(m, w, (double)-INFINITY, (double)INFINITY))
		return w;
	if (m->opset < GUARDED) {
		m->unguarded = 1;
		return w;
	}
	make_begin(m, "Where", (struct wire *[]){make_op1(m, "IsNaN", w), make_scalar(m, w->type.dtype, 0), w}, 3, 1);
	return make_done(m);
}

struct wire *make_clip(struct maker *m, struct wire *w, double lo, double hi)
{
	enum dtype t = w ? w->type.dtype : DT_FLOAT;
	double bound = make_bound_of(m, w);

	if (m->b.rc || (lo <= -bound && hi >= bound && !(m->special && isfinite(lo))))
		return w;
	if (make_narrow(m, w, lo, hi))
		return make_set_bound(m, w, fmin(bound, fmax(fabs(lo), fabs(hi))));
	w = make_no_nan(m, w);
	if (m->b.rc)
		return NULL;
	if (t != DT_FLOAT && m->opset < CLIPS_OTHERS) /* as float32 where that holds all that is left */
		return plain_cast(m, make_clip(m, plain_cast(m, w, DT_FLOAT), fmax(lo, -EXACT), fmin(hi, EXACT)), t);
	make_begin(m, "Clip", (struct wire *[]){w, make_scalar(m, t, lo), make_scalar(m, t, hi)}, 3, 1);
	return make_set_bound(m, make_done(m), fmin(bound, fmax(fabs(lo), fabs(hi))));
}

/* In a special campaign infinities are let through. */
struct wire *make_calm(struct maker *m, struct wire *w, double limit)
{
	if (m->b.rc || make_bound_of(m, w) <= limit)
		return w;
	return CLIPPED & TM(w->type.dtype) ? make_clip(m, w, -limit, limit) : make_within(m, w, -limit, limit);
}

struct wire *make_room(struct maker *m, struct wire *w, double limit, double terms, int squared)
{
	double most;

	if (m->b.rc)
		return NULL;
	if (dtype_is_float(w->type.dtype))
		return m->any ? w : make_calm(m, w, limit);
	most = floor(make_largest(m, w->type.dtype) * (1 - 0x1p-40) / fmax(terms, 1));
	most = squared ? floor(sqrt(most)) : most;
	most = m->fill == FILL_ENDS ? most : fmin(most, limit);
	return make_within(m, w, -most, most);
}

struct wire *make_whole(struct maker *m, struct wire *w)
{
	if (m->b.rc || !w->producer || !dtype_is_float(w->type.dtype))
		return w;
	return make_op1(m, "Floor", make_op2(m, "Add", w, make_scalar(m, w->type.dtype, 0.5)));
}

/* What numbers of a type are clipped as that not every library clips. */
static enum dtype clipped_as(enum dtype t)
{
	return dtype_is_float(t) ? DT_FLOAT : t == DT_UINT32 || t == DT_UINT64 ? DT_INT64 : DT_INT32;
}

static struct wire *plain_cast(struct maker *m, struct wire *w, enum dtype t)
{
	struct wire *as;

	if (m->b.rc || w->type.dtype == t)
		return w;
	as = is_made(m, "Cast") ? NULL : make_input_as(m, w, t, w->type.rank, w->type.dims);
	if (as)
		return as;
	w = t == DT_BOOL ? make_whole(m, w) : w;
	make_begin_cast(m, w, t);
	w = make_done(m);
	return t == DT_BOOL ? make_set_bound(m, w, 1) : w;
}

struct wire *make_sum(struct maker *m, struct wire *a, struct wire *b)
{
	enum dtype t = m->b.rc ? DT_FLOAT : a->type.dtype, wide = clipped_as(t);

	if (m->b.rc || dtype_is_float(t) || make_takes(m, "Add", t))
		return make_op2(m, "Add", a, b);
	return plain_cast(m, make_op2(m, "Add", plain_cast(m, a, wide), plain_cast(m, b, wide)), t);
}

struct wire *make_within(struct maker *m, struct wire *w, double lo, double hi)
{
	enum dtype t = w ? w->type.dtype : DT_FLOAT;
	double bound = make_bound_of(m, w);

	if (m->b.rc || t == DT_BOOL || (lo <= -bound && hi >= bound))
		return w;
	lo = dtype_is_float(t) ? lo : dtype_is_unsigned(t) ? fmax(ceil(lo), 0) : ceil(lo);
	hi = dtype_is_float(t) ? hi : floor(hi);
	if (CLIPPED & TM(t) || make_narrow(m, w, lo, hi))
		return make_clip(m, w, lo, hi);
	w = plain_cast(m, w, clipped_as(t));
	return plain_cast(m, make_clip(m, w, lo, hi), t);
}

/* In a model of FILL_ENDS only what ONNX leaves open is clipped: floats that the integer type does not have.  Integers
 * lose their upper bits, floats become infinite. */
static struct wire *wide_cast(struct maker *m, struct wire *w, enum dtype t)
{
	enum dtype from = w->type.dtype;
	int whole = !dtype_is_float(t);
	double hi = whole ? make_largest(m, t) : 0,
	       most = whole ? fmax(-dtype_lowest(t), dtype_max(t)) : (double)INFINITY;

	if (dtype_is_float(from) && whole) {
		w = CLIPPED & TM(from) ? w : plain_cast(m, w, clipped_as(from));
		from = m->b.rc ? from : w->type.dtype;
		if (dtype_round(from, hi, 1) > hi)
			hi = dtype_round(from, hi * (1 - 2 * dtype_roundoff(from)), 1);
		w = make_clip(m, w, make_lowest(m, t), hi);
	}
	w = plain_cast(m, w, t);
	return make_set_bound(m, w, m->b.rc ? 0 : fmin(fmax(make_bound_of(m, w), 0), most));
}

/* What does not fit into the type is clipped first: ONNX leaves open what becomes of it. */
struct wire *make_cast(struct maker *m, struct wire *w, enum dtype t)
{
	double lo, hi;

	if (m->b.rc || w->type.dtype == t)
		return w;
	if (t == DT_BOOL || w->type.dtype == DT_BOOL)
		return plain_cast(m, w, t);
	if (m->fill == FILL_ENDS)
		return wide_cast(m, w, t);
	hi = fmin(dtype_max(t), dtype_is_float(t) ? 1000 : 100);
	lo = dtype_is_unsigned(t) ? 0 : -hi;
	if (make_bound_of(m, w) <= hi && lo < 0 && !m->special)
		return plain_cast(m, w, t);
	if (!(CLIPPED & TM(w->type.dtype)))
		w = plain_cast(m, w, clipped_as(w->type.dtype));
	return plain_cast(m, make_clip(m, w, lo, hi), t);
}

struct wire *make_less(struct maker *m, struct wire *a, double than)
{
	if (!m->b.rc && !make_takes(m, "Less", a->type.dtype))
		a = plain_cast(m, a, DT_DOUBLE);
	return m->b.rc ? NULL : make_op2(m, "Less", a, make_scalar(m, a->type.dtype, than));
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

struct wire *make_reshape(struct maker *m, struct wire *w, int rank, const int64_t *dims)
{
	struct wire *as;

	if (m->b.rc || (w->type.rank == rank && !memcmp(w->type.dims, dims, (size_t)rank * sizeof *dims)))
		return w;
	as = is_made(m, "Reshape") ? NULL : make_input_as(m, w, w->type.dtype, rank, dims);
	if (as)
		return as;
	make_begin(m, "Reshape", (struct wire *[]){w, make_ints(m, (size_t)rank, dims)}, 2, 1);
	if (!make_count_of(w)) /* else 0 stands for the size that was there */
		build_int(&m->b, "allowzero", 1);
	return make_done(m);
}

/* More axes of 1 in front, or the first axes as one. */
struct wire *make_rank(struct maker *m, struct wire *w, int rank)
{
	int64_t dims[TENSOR_MAX_RANK];
	int have = w ? w->type.rank : 0;

	if (m->b.rc || have == rank)
		return w;
	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		dims[i] = 1;
	if (!rank) /* one element is all that fits */
		return make_reshape(m, make_slice(m, make_some(m, w), dims), 0, dims);
	for (int i = 0; i < have; i++) {
		int to = i + rank - have;

		dims[to > 0 ? to : 0] *= w->type.dims[i];
	}
	return make_reshape(m, w, rank, dims);
}

struct wire *make_slice(struct maker *m, struct wire *w, const int64_t *sizes)
{
	int64_t starts[TENSOR_MAX_RANK], ends[TENSOR_MAX_RANK], axes[TENSOR_MAX_RANK], left[TENSOR_MAX_RANK];
	struct wire *as;
	size_t n = 0;

	for (int i = 0; !m->b.rc && i < w->type.rank; i++) {
		left[i] = sizes[i] < w->type.dims[i] ? sizes[i] : w->type.dims[i];
		if (sizes[i] >= w->type.dims[i])
			continue;
		starts[n] = make_between(m, 0, w->type.dims[i] - sizes[i]);
		ends[n] = starts[n] + sizes[i];
		axes[n++] = i;
	}
	if (m->b.rc || !n)
		return w;
	as = is_made(m, "Slice") ? NULL : make_input_as(m, w, w->type.dtype, w->type.rank, left);
	if (as)
		return as;
	make_begin(m, "Slice",
		   (struct wire *[]){w, make_ints(m, n, starts), make_ints(m, n, ends), make_ints(m, n, axes)}, 4, 1);
	return make_done(m);
}

static struct wire *pad_to(struct maker *m, struct wire *w, const int64_t *sizes)
{
	int64_t pads[2 * TENSOR_MAX_RANK] = {0}, wider[TENSOR_MAX_RANK];
	int rank = w ? w->type.rank : 0, any = 0;
	struct wire *as;

	for (int i = 0; !m->b.rc && i < rank; i++) {
		int64_t missing = sizes[i] - w->type.dims[i];

		wider[i] = missing > 0 ? sizes[i] : w->type.dims[i];
		if (missing <= 0)
			continue;
		pads[i] = make_between(m, 0, missing);
		pads[rank + i] = missing - pads[i];
		any = 1;
	}
	if (m->b.rc || !any)
		return w;
	as = is_made(m, "Pad") ? NULL : make_input_as(m, w, w->type.dtype, rank, wider);
	if (as)
		return as;
	if (TM(w->type.dtype) & (T_BOOL | TM(DT_INT16) | TM(DT_UINT16))) { /* not every library pads those */
		enum dtype t = w->type.dtype;

		return plain_cast(m, pad_to(m, plain_cast(m, w, DT_INT32), sizes), t);
	}
	if (!make_takes(m, "Pad", w->type.dtype))
		return plain_cast(m, pad_to(m, plain_cast(m, w, DT_DOUBLE), sizes), w->type.dtype);
	return make_op2(m, "Pad", w, make_ints(m, 2 * (size_t)rank, pads));
}

struct wire *make_some(struct maker *m, struct wire *w)
{
	int64_t dims[TENSOR_MAX_RANK];

	if (m->b.rc || make_count_of(w))
		return w;
	for (int i = 0; i < w->type.rank; i++)
		dims[i] = w->type.dims[i] ? w->type.dims[i] : make_between(m, 1, 2);
	return pad_to(m, w, dims);
}

struct wire *make_match(struct maker *m, struct wire *w, int rank, const int64_t *dims)
{
	w = make_rank(m, w, rank);
	w = make_slice(m, w, dims);
	return pad_to(m, w, dims);
}

struct wire *make_shrink(struct maker *m, struct wire *w, size_t count)
{
	int64_t dims[TENSOR_MAX_RANK];
	size_t n = make_count_of(w);

	if (m->b.rc)
		return NULL;
	if (w->type.rank > MAKE_MAX_RANK)
		w = make_rank(m, w, MAKE_MAX_RANK);
	if (m->b.rc || n <= count)
		return w;
	memcpy(dims, w->type.dims, sizeof dims);
	while (n > count) {
		int largest = 0;

		for (int i = 1; i < w->type.rank; i++)
			largest = dims[i] > dims[largest] ? i : largest;
		n = n / (size_t)dims[largest] * (size_t)((dims[largest] + 1) / 2);
		dims[largest] = (dims[largest] + 1) / 2;
	}
	return make_slice(m, w, dims);
}

/* Axes of 1, and axes that are not there, broadcast; some are left so. */
void make_match_two(struct maker *m, struct wire *const *in, struct wire *out[2])
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = m->b.rc ? 0 : in[0]->type.rank, broadcast = make_chance(m, 0.3);
	struct wire *b = in[1];

	out[0] = in[0];
	if (!m->b.rc && !(broadcast && (b->type.rank <= rank || m->wide)))
		b = make_rank(m, b, rank);
	for (int i = 0; !m->b.rc && i < b->type.rank; i++) {
		int at = rank - b->type.rank + i; /* before the first axis: b alone has it */
		int64_t size = at >= 0 ? in[0]->type.dims[at] : b->type.dims[i] < 2 ? b->type.dims[i] : 2;

		dims[i] = broadcast && (b->type.dims[i] == 1 || make_chance(m, 0.2)) ? 1 : size;
	}
	out[1] = m->b.rc ? NULL : make_match(m, b, b->type.rank, dims);
	if (!m->b.rc && broadcast && make_chance(m, 0.5)) {
		struct wire *first = out[0];

		out[0] = out[1];
		out[1] = first;
	}
}

int make_part_shape(struct maker *m, int rank, const int64_t *of, int64_t *dims)
{
	int kept = m->wide && make_chance(m, 0.4) ? (int)make_between(m, 0, rank) : rank;

	for (int i = 0; i < kept; i++)
		dims[i] = make_chance(m, 0.5) ? 1 : of[rank - kept + i];
	return kept;
}

#define NO_ROW 0.2 /* share of wide models */

int make_row_shape(struct maker *m, const struct wire *x, int64_t *dims)
{
	if (m->wide && make_chance(m, NO_ROW))
		return make_part_shape(m, x->type.rank, x->type.dims, dims);
	if (!x->type.rank) /* one number has no axis */
		return 0;
	dims[0] = x->type.dims[x->type.rank - 1];
	return 1;
}

void make_match_some(struct maker *m, struct wire *const *in, int n, struct wire *out[2])
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = m->b.rc ? 0 : in[0]->type.rank, kept = (int)make_between(m, 0, 2);

	if (n > 1) {
		make_match_two(m, in, out);
		return;
	}
	for (int i = 0; i < rank; i++)
		dims[i] = kept == 2 || (kept == 1 && i == rank - 1) ? in[0]->type.dims[i] : 1;
	rank = kept ? rank : 0;
	if (!m->b.rc && m->wide && make_chance(m, 0.4))
		rank = make_part_shape(m, in[0]->type.rank, in[0]->type.dims, dims);
	out[0] = in[0];
	out[1] = m->b.rc ? NULL : make_weights(m, in[0]->type.dtype, rank, dims);
}

static struct wire *cast_open(struct maker *m, struct wire *open, enum dtype t)
{
	make_begin_cast(m, open, t);
	return make_done_open(m);
}

struct wire *make_sum_open(struct maker *m, struct wire *open, int64_t axis, double bound)
{
	struct wire *sum;

	if (m->b.rc)
		return NULL;
	if (make_chance(m, 0.3))
		build_output(&m->b, open);
	if (!((MAKE_WORDS | T_FLOAT) & TM(open->type.dtype))) /* bytes and bools are not added up */
		open = cast_open(m, open, DT_INT32);
	make_begin(m, "ReduceSum", (struct wire *[]){open, make_ints(m, 1, &axis)}, 2, 1);
	build_int(&m->b, "keepdims", 0);
	sum = make_done(m);
	return make_set_bound(m, sum, bound);
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

struct wire *make_ranked(struct maker *m, struct wire *x)
{
	return m->b.rc || x->type.rank ? x : make_rank(m, x, 1);
}

struct wire *make_axis(struct maker *m, struct wire *x, int64_t *axis)
{
	x = make_ranked(m, x);
	*axis = m->b.rc ? 0 : make_between(m, 0, x->type.rank - 1);
	return m->b.rc ? NULL : x;
}

int64_t make_any_axis(struct maker *m, int rank)
{
	int64_t axis = make_between(m, 0, rank - 1);

	return make_chance(m, 0.4) ? axis - rank : axis;
}

void make_perm(struct maker *m, int rank, int64_t *perm)
{
	for (int i = 0; i < rank; i++) {
		int64_t at = make_between(m, 0, i);

		perm[i] = perm[at];
		perm[at] = i;
	}
}

int64_t make_either_end(struct maker *m, int64_t axis, int rank)
{
	return make_chance(m, 0.3) && m->opset >= 11 ? axis - rank : axis; /* Scan's counted from the front before */
}

struct wire *make_divisible(struct maker *m, struct wire *x, int64_t block)
{
	int64_t dims[4];

	if (m->b.rc)
		return NULL;
	memcpy(dims, x->type.dims, sizeof dims);
	for (int i = 2; i < 4; i++)
		dims[i] = (dims[i] + block - 1) / block * block;
	return make_match(m, x, 4, dims);
}
