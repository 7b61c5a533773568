/* around_moves.c - what is put around blocks and changes no value: axes, shapes, types, copies (see around.h). */
#include "methods/fuzz/around.h"

#define OFF 0.15 /* share of near misses: what comes after is not what undoes it */

/* ---- axes in another order --------------------------------------------------------------------------------------- */

static void draw_perm(struct maker *m, int rank, int64_t *perm)
{
	static const int64_t last[2][4] = {{0, 2, 3, 1}, {0, 3, 1, 2}}; /* channels to the end, and back */
	int64_t way = make_between(m, 0, 1);
	int known = rank == 4 && make_chance(m, 0.6);

	make_perm(m, rank, perm);
	for (int i = 0; i < rank && known; i++)
		perm[i] = last[way][i];
}

static int fits_transpose(struct maker *m, struct around_work *a, const struct wire *first)
{
	draw_perm(m, a->rank, a->perm);
	return first->type.rank > 1;
}

static struct wire *permuted(struct maker *m, struct wire *w, const int64_t *perm)
{
	double bound = make_bound_of(m, w);

	if (m->b.rc)
		return NULL;
	make_begin(m, "Transpose", &w, 1, 1);
	build_ints(&m->b, "perm", perm, (size_t)w->type.rank);
	return make_set_bound(m, make_done(m), bound);
}

/* Further inputs of the same rank mostly go the same way. */
static struct wire *before_transpose(struct maker *m, struct around_work *a, struct wire *w, int number)
{
	return m->b.rc || w->type.rank != a->rank || (number && make_chance(m, OFF)) ? w : permuted(m, w, a->perm);
}

static struct wire *after_transpose(struct maker *m, struct around_work *a, struct wire *w)
{
	int64_t perm[TENSOR_MAX_RANK];

	if (m->b.rc || w->type.rank < 2 || w->type.rank > MAKE_MAX_RANK)
		return w;
	if (w->type.rank != a->rank || make_chance(m, OFF))
		draw_perm(m, w->type.rank, perm);
	else
		for (int i = 0; i < a->rank; i++)
			perm[a->perm[i]] = i;
	return permuted(m, w, perm);
}

const struct around around_transpose = {.summary = "Transpose and its inverse",
					.block = "Transpose",
					.share = 0.08,
					.fits = fits_transpose,
					.before = before_transpose,
					.after = after_transpose};

/* ---- one axis more ----------------------------------------------------------------------------------------------- */

static int fits_axes(struct maker *m, struct around_work *a, const struct wire *first)
{
	a->axis = make_between(m, 0, a->rank);
	return first->type.rank < MAKE_MAX_RANK;
}

static struct wire *with_axis(struct maker *m, const char *op, struct wire *w, int64_t axis)
{
	return m->b.rc ? NULL : make_op2(m, op, w, make_ints(m, 1, &axis));
}

static struct wire *before_axes(struct maker *m, struct around_work *a, struct wire *w, int number)
{
	(void)number;
	return m->b.rc || w->type.rank != a->rank ? w : with_axis(m, "Unsqueeze", w, a->axis);
}

static struct wire *after_axes(struct maker *m, struct around_work *a, struct wire *w)
{
	if (m->b.rc || w->type.rank <= a->axis || w->type.dims[a->axis] != 1)
		return w;
	return with_axis(m, "Squeeze", w, a->axis);
}

const struct around around_axes = {.summary = "Unsqueeze and Squeeze",
				   .block = "Unsqueeze",
				   .share = 0.03,
				   .fits = fits_axes,
				   .before = before_axes,
				   .after = after_axes};

/* ---- another shape ----------------------------------------------------------------------------------------------- */

static int fits_flat(struct maker *m, struct around_work *a, const struct wire *first)
{
	a->axis = make_between(m, 1, 2);
	return first->type.rank > 1;
}

/* The last axes as one: as many as are left when there are `axis` of them. */
static struct wire *before_flat(struct maker *m, struct around_work *a, struct wire *w, int number)
{
	int64_t dims[2] = {0, -1};

	(void)number;
	if (m->b.rc || w->type.rank != a->rank)
		return w;
	return make_op2(m, "Reshape", w, make_ints(m, (size_t)a->axis, dims + 2 - a->axis));
}

static struct wire *after_flat(struct maker *m, struct around_work *a, struct wire *w)
{
	size_t count = 1;

	for (int i = 0; i < a->rank; i++)
		count *= (size_t)a->dims[i];
	if (m->b.rc || make_count_of(w) != count || make_chance(m, OFF))
		return w;
	return make_reshape(m, w, a->rank, a->dims);
}

const struct around around_flat = {.summary = "Reshape to fewer axes and back",
				   .block = "Reshape",
				   .share = 0.03,
				   .fits = fits_flat,
				   .before = before_flat,
				   .after = after_flat};

/* ---- another type ------------------------------------------------------------------------------------------------ */

/* float64 holds all of float32, so that nothing is lost on the way there. */
static int fits_cast(struct maker *m, struct around_work *a, const struct wire *first)
{
	return first->type.dtype == DT_FLOAT && (a->op->at[m->opset] & T_F64) && !m->special;
}

static struct wire *before_cast(struct maker *m, struct around_work *a, struct wire *w, int number)
{
	(void)a, (void)number;
	return m->b.rc || w->type.dtype != DT_FLOAT ? w : make_cast(m, w, DT_DOUBLE);
}

static struct wire *after_cast(struct maker *m, struct around_work *a, struct wire *w)
{
	(void)a;
	return m->b.rc || w->type.dtype != DT_DOUBLE ? w : make_cast(m, w, DT_FLOAT);
}

const struct around around_cast = {.summary = "Cast to float64 and back",
				   .block = "Cast",
				   .share = 0.02,
				   .fits = fits_cast,
				   .before = before_cast,
				   .after = after_cast};

/* ---- nothing ----------------------------------------------------------------------------------------------------- */

static int fits_idle(struct maker *m, struct around_work *a, const struct wire *first)
{
	(void)m, (void)a, (void)first;
	return 1;
}

static struct wire *idle(struct maker *m, struct wire *w)
{
	if (m->b.rc || make_chance(m, 0.3))
		return w;
	return make_op1(m, w->type.dtype == DT_FLOAT && make_chance(m, 0.4) ? "Dropout" : "Identity", w);
}

static struct wire *before_idle(struct maker *m, struct around_work *a, struct wire *w, int number)
{
	(void)a, (void)number;
	return idle(m, w);
}

static struct wire *after_idle(struct maker *m, struct around_work *a, struct wire *w)
{
	(void)a;
	return idle(m, w);
}

const struct around around_idle = {.summary = "Identity, and Dropout that is not training",
				   .block = "Dropout",
				   .share = 0.03,
				   .fits = fits_idle,
				   .before = before_idle,
				   .after = after_idle};
