/* calculator.c - shapes, types and paddings that fit (see maker.h).
 *
 * Where inputs of an aggregation differ in element type, rank or sizes, Cast, Reshape, Slice and Pad go before it. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/maker.h"

size_t count_of(const struct wire *w)
{
	size_t n = 1;

	for (int i = 0; w && i < w->type.rank; i++)
		n *= (size_t)w->type.dims[i];
	return n;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

#define CLIPPED (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT32) | TM(DT_INT64))

struct wire *no_nan(struct maker *m, struct wire *w)
{
	if (m->b.rc || !m->special || !dtype_is_float(w->type.dtype))
		return w;
	begin(m, "Where", (struct wire *[]){op1(m, "IsNaN", w), const_scalar(m, w->type.dtype, 0), w}, 3, 1);
	return done(m);
}

struct wire *clip(struct maker *m, struct wire *w, double lo, double hi)
{
	enum dtype t = w ? w->type.dtype : DT_FLOAT;
	double bound = bound_of(m, w);

	if (m->b.rc || (lo <= -bound && hi >= bound && !(m->special && isfinite(lo))))
		return w;
	w = no_nan(m, w);
	if (m->b.rc)
		return NULL;
	begin(m, "Clip", (struct wire *[]){w, const_scalar(m, t, lo), const_scalar(m, t, hi)}, 3, 1);
	return set_bound(m, done(m), fmin(bound, fmax(fabs(lo), fabs(hi))));
}

/* In a special campaign infinities are let through. */
struct wire *calm(struct maker *m, struct wire *w, double limit)
{
	return !m->b.rc && bound_of(m, w) <= limit ? w : clip(m, w, -limit, limit);
}

struct wire *settled(struct maker *m, struct wire *w)
{
	if (m->b.rc || !w->producer || !dtype_is_float(w->type.dtype))
		return w;
	return op1(m, "Floor", op2(m, "Add", w, const_scalar(m, w->type.dtype, 0.5)));
}

static struct wire *plain_cast(struct maker *m, struct wire *w, enum dtype t)
{
	if (m->b.rc || w->type.dtype == t)
		return w;
	w = t == DT_BOOL ? settled(m, w) : w;
	begin(m, "Cast", &w, 1, 1);
	build_int(&m->b, "to", t);
	w = done(m);
	return t == DT_BOOL ? set_bound(m, w, 1) : w;
}

/* What does not fit into the type is clipped first: ONNX leaves open what becomes of it. */
struct wire *cast(struct maker *m, struct wire *w, enum dtype t)
{
	double lo, hi;

	if (m->b.rc || w->type.dtype == t)
		return w;
	if (t == DT_BOOL || w->type.dtype == DT_BOOL)
		return plain_cast(m, w, t);
	hi = fmin(dtype_max(t), dtype_is_float(t) ? 1000 : 100);
	lo = dtype_is_unsigned(t) ? 0 : -hi;
	if (bound_of(m, w) <= hi && lo < 0 && !m->special)
		return plain_cast(m, w, t);
	if (!(CLIPPED & TM(w->type.dtype)))
		w = plain_cast(m, w, dtype_is_float(w->type.dtype) ? DT_FLOAT : DT_INT32);
	return plain_cast(m, clip(m, w, lo, hi), t);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

struct wire *reshape(struct maker *m, struct wire *w, int rank, const int64_t *dims)
{
	if (m->b.rc || (w->type.rank == rank && !memcmp(w->type.dims, dims, (size_t)rank * sizeof *dims)))
		return w;
	return op2(m, "Reshape", w, const_ints(m, (size_t)rank, dims));
}

/* More axes of 1 in front, or the first axes as one. */
struct wire *as_rank(struct maker *m, struct wire *w, int rank)
{
	int64_t dims[TENSOR_MAX_RANK];
	int have = w ? w->type.rank : 0;

	if (m->b.rc || have == rank)
		return w;
	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		dims[i] = 1;
	if (!rank) /* one element is all that fits */
		return reshape(m, slice_to(m, w, dims), 0, dims);
	for (int i = 0; i < have; i++) {
		int to = i + rank - have;

		dims[to > 0 ? to : 0] *= w->type.dims[i];
	}
	return reshape(m, w, rank, dims);
}

struct wire *slice_to(struct maker *m, struct wire *w, const int64_t *sizes)
{
	int64_t starts[TENSOR_MAX_RANK], ends[TENSOR_MAX_RANK], axes[TENSOR_MAX_RANK];
	size_t n = 0;

	for (int i = 0; !m->b.rc && i < w->type.rank; i++) {
		if (sizes[i] >= w->type.dims[i])
			continue;
		starts[n] = between(m, 0, w->type.dims[i] - sizes[i]);
		ends[n] = starts[n] + sizes[i];
		axes[n++] = i;
	}
	if (m->b.rc || !n)
		return w;
	begin(m, "Slice",
	      (struct wire *[]){w, const_ints(m, n, starts), const_ints(m, n, ends), const_ints(m, n, axes)}, 4, 1);
	return done(m);
}

static struct wire *pad_to(struct maker *m, struct wire *w, const int64_t *sizes)
{
	int64_t pads[2 * TENSOR_MAX_RANK] = {0};
	int rank = w ? w->type.rank : 0, any = 0;

	for (int i = 0; !m->b.rc && i < rank; i++) {
		int64_t missing = sizes[i] - w->type.dims[i];

		if (missing <= 0)
			continue;
		pads[i] = between(m, 0, missing);
		pads[rank + i] = missing - pads[i];
		any = 1;
	}
	if (m->b.rc || !any)
		return w;
	if (w->type.dtype == DT_BOOL) /* not every library pads those */
		return plain_cast(m, pad_to(m, plain_cast(m, w, DT_INT32), sizes), DT_BOOL);
	return op2(m, "Pad", w, const_ints(m, 2 * (size_t)rank, pads));
}

struct wire *match(struct maker *m, struct wire *w, int rank, const int64_t *dims)
{
	w = as_rank(m, w, rank);
	w = slice_to(m, w, dims);
	return pad_to(m, w, dims);
}

struct wire *shrink(struct maker *m, struct wire *w, size_t count)
{
	int64_t dims[TENSOR_MAX_RANK];
	size_t n = count_of(w);

	if (m->b.rc)
		return NULL;
	if (w->type.rank > MAX_RANK)
		w = as_rank(m, w, MAX_RANK);
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
	return slice_to(m, w, dims);
}

/* Axes of 1, and axes that are not there, broadcast; some are left so. */
void match_two(struct maker *m, struct wire *const *in, struct wire *out[2])
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = m->b.rc ? 0 : in[0]->type.rank, broadcast = chance(m, 0.3);
	struct wire *b = in[1];

	out[0] = in[0];
	if (!m->b.rc && !(broadcast && b->type.rank <= rank))
		b = as_rank(m, b, rank);
	for (int i = 0; !m->b.rc && i < b->type.rank; i++) {
		int64_t size = in[0]->type.dims[rank - b->type.rank + i];

		dims[i] = broadcast && (b->type.dims[i] == 1 || chance(m, 0.2)) ? 1 : size;
	}
	out[1] = m->b.rc ? NULL : match(m, b, b->type.rank, dims);
	if (!m->b.rc && broadcast && chance(m, 0.5)) {
		struct wire *first = out[0];

		out[0] = out[1];
		out[1] = first;
	}
}

void match_some(struct maker *m, struct wire *const *in, int n, struct wire *out[2])
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = m->b.rc ? 0 : in[0]->type.rank, kept = (int)between(m, 0, 2);

	if (n > 1) {
		match_two(m, in, out);
		return;
	}
	for (int i = 0; i < rank; i++)
		dims[i] = kept == 2 || (kept == 1 && i == rank - 1) ? in[0]->type.dims[i] : 1;
	out[0] = in[0];
	out[1] = m->b.rc ? NULL : weights(m, in[0]->type.dtype, kept ? rank : 0, dims);
}

struct wire *settle(struct maker *m, struct wire *open, int64_t axis, double bound)
{
	struct wire *sum;

	if (m->b.rc)
		return NULL;
	if (chance(m, 0.3))
		build_output(&m->b, open);
	begin(m, "ReduceSum", (struct wire *[]){open, const_ints(m, 1, &axis)}, 2, 1);
	build_int(&m->b, "keepdims", 0);
	sum = done(m);
	return set_bound(m, sum, bound);
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

struct wire *ranked(struct maker *m, struct wire *x)
{
	return m->b.rc || x->type.rank ? x : as_rank(m, x, 1);
}

struct wire *with_axis(struct maker *m, struct wire *x, int64_t *axis)
{
	x = ranked(m, x);
	*axis = m->b.rc ? 0 : between(m, 0, x->type.rank - 1);
	return m->b.rc ? NULL : x;
}

int64_t either_end(struct maker *m, int64_t axis, int rank)
{
	return chance(m, 0.3) ? axis - rank : axis;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* Equations 9 to 13: as many positions out as in, paddings between 0 and the filter's size, at both ends not always
 * the same; n positions in and (n + p - d (f - 1) - 1) / s + 1 out.  With parameters mutated, any padding for which a
 * window fits. */
void window_draw(struct maker *m, int64_t n, int dilates, struct window *w)
{
	int64_t reach, pads;

	w->filter = between(m, 1, m->wide ? 5 : 3);
	w->stride = chance(m, 0.6) ? 1 : between(m, 1, 3);
	w->dilation = dilates && chance(m, 0.3) ? between(m, 1, 3) : 1;
	if (m->wide && chance(m, 0.1))
		w->filter = n + 1 < 8 ? n + 1 : 8;
	reach = w->dilation * (w->filter - 1) + 1;
	pads = (n - 1) * w->stride + reach - n;
	if (m->wide && chance(m, 0.5)) {
		w->before = between(m, 0, w->filter - 1);
		w->after = between(m, 0, w->filter - 1);
		pads = w->before + w->after;
	} else {
		if (pads > 2 * (w->filter - 1)) {
			w->stride = 1;
			pads = reach - 1;
		}
		if (pads > 2 * (w->filter - 1)) {
			w->dilation = 1;
			reach = w->filter;
			pads = reach - 1;
		}
		w->before = pads / 2 + (m->wide && pads % 2 && chance(m, 0.5));
		w->after = pads - w->before;
	}
	if (n + pads < reach) { /* no window fits */
		w->dilation = 1;
		w->filter = n + pads < w->filter ? n : w->filter;
		w->before = w->before < w->filter ? w->before : w->filter - 1;
		w->after = w->after < w->filter ? w->after : w->filter - 1;
	}
}
