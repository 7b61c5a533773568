/* sample_index.c - operators with indices. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/maker.h"

#define MOVED (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_INT32) | TM(DT_INT64))

/* Indices of an axis of d elements, some from the end. */
static struct wire *draw_indices(struct maker *m, int rank, const int64_t *dims, int64_t d)
{
	struct wire *w = const_random(m, chance(m, 0.7) ? DT_INT64 : DT_INT32, rank, dims,
				      chance(m, 0.3) ? (double)-d : 0, (double)(d - 1));

	return set_bound(m, w, 0);
}

static struct wire *make_gather(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[2];
	struct wire *x = with_axis(m, in[0], &axis), *indices;
	int rank;

	(void)n;
	if (!x)
		return NULL;
	rank = (int)between(m, 0, x->type.rank < MAX_RANK - 1 ? 2 : 1);
	dims[0] = between(m, 1, 3);
	dims[1] = between(m, 1, 2);
	indices = draw_indices(m, rank, dims, x->type.dims[axis]);
	begin(m, "Gather", (struct wire *[]){x, indices}, 2, 1);
	build_int(&m->b, "axis", either_end(m, axis, x->type.rank));
	return done(m);
}

const struct sampler sampler_gather = {"Gather", MOVED, make_gather, 0, 1};

static struct wire *make_gather_elements(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[TENSOR_MAX_RANK];
	struct wire *x = with_axis(m, in[0], &axis);

	(void)n;
	if (!x)
		return NULL;
	for (int i = 0; i < x->type.rank; i++)
		dims[i] = between(m, 1, x->type.dims[i]);
	begin(m, "GatherElements", (struct wire *[]){x, draw_indices(m, x->type.rank, dims, x->type.dims[axis])}, 2, 1);
	build_int(&m->b, "axis", axis);
	return done(m);
}

const struct sampler sampler_gather_elements = {"GatherElements", MOVED, make_gather_elements, 0, 1};

/* One index along the axis, so that no element is written twice. */
static struct wire *make_scatter_elements(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[TENSOR_MAX_RANK];
	struct wire *x = with_axis(m, in[0], &axis), *indices, *updates;

	(void)n;
	if (!x)
		return NULL;
	for (int i = 0; i < x->type.rank; i++)
		dims[i] = i == axis ? 1 : between(m, 1, x->type.dims[i]);
	indices = draw_indices(m, x->type.rank, dims, x->type.dims[axis]);
	updates = weights(m, x->type.dtype, x->type.rank, dims);
	begin(m, "ScatterElements", (struct wire *[]){x, indices, updates}, 3, 1);
	build_int(&m->b, "axis", axis);
	return set_bound(m, done(m), bound_of(m, x) + 2);
}

const struct sampler sampler_scatter_elements = {"ScatterElements", MOVED, make_scatter_elements, 0, 1};

static struct wire *make_top_k(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, k;
	struct wire *x = with_axis(m, in[0], &axis);

	(void)n;
	if (!x)
		return NULL;
	k = between(m, 1, x->type.dims[axis]);
	begin(m, "TopK", (struct wire *[]){x, const_ints(m, 1, &k)}, 2, 2);
	build_int(&m->b, "axis", either_end(m, axis, x->type.rank));
	build_int(&m->b, "largest", between(m, 0, 1));
	x = done(m);
	return x && chance(m, 0.2) ? set_bound(m, m->b.last->out[1], (double)count_of(x)) : x;
}

const struct sampler sampler_top_k = {"TopK", MOVED, make_top_k, 0, 0};

static struct wire *make_one_hot(struct maker *m, struct wire *const *in, int n)
{
	struct wire *flat = in[0]->type.rank >= MAX_RANK ? as_rank(m, in[0], MAX_RANK - 1) : ranked(m, in[0]);
	struct wire *x = shrink(m, flat, 256);
	struct wire *depth = const_scalar(m, DT_INT64, (double)between(m, 1, 6));
	struct wire *values = const_random(m, DT_FLOAT, 1, (int64_t[]){2}, -2, 2);

	(void)n;
	if (m->b.rc)
		return NULL;
	begin(m, "OneHot", (struct wire *[]){x, depth, values}, 3, 1);
	build_int(&m->b, "axis", between(m, -1, x->type.rank));
	return set_bound(m, done(m), 2);
}

const struct sampler sampler_one_hot = {"OneHot", TM(DT_INT64), make_one_hot, 0, 0};

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

#define FLOATS (TM(DT_FLOAT) | TM(DT_DOUBLE))

static struct wire *make_matmul(struct maker *m, struct wire *const *in, int n)
{
	struct wire *a = calm(m, in[0]->type.rank < 2 ? as_rank(m, in[0], 2) : in[0], 1000), *b;
	int64_t dims[TENSOR_MAX_RANK], k;
	int rank;
	double bound;

	if (m->b.rc)
		return NULL;
	rank = a->type.rank;
	k = a->type.dims[rank - 1];
	memcpy(dims, a->type.dims, sizeof dims);
	for (int i = 0; i < rank - 2; i++)
		dims[i] = chance(m, 0.3) ? 1 : dims[i];
	dims[rank - 2] = k;
	dims[rank - 1] = between(m, 1, 8);
	if (n > 1)
		b = calm(m, match(m, in[1], rank, dims), 1000);
	else
		b = chance(m, 0.5) ? weights(m, a->type.dtype, 2, dims + rank - 2)
				   : weights(m, a->type.dtype, rank, dims);
	bound = bound_of(m, a) * bound_of(m, b) * (double)k;
	return set_bound(m, op2(m, "MatMul", a, b), bound);
}

const struct sampler sampler_matmul = {"MatMul", FLOATS, make_matmul, 0, 0};

static struct wire *make_gemm(struct maker *m, struct wire *const *in, int n)
{
	static const double some[] = {0.5, 1, 2, -1};
	struct wire *a = calm(m, as_rank(m, in[0], 2), 1000), *b, *c = NULL;
	int ta = chance(m, 0.4), tb = chance(m, 0.4);
	int64_t k, rows, columns = between(m, 1, 8), shape[2];

	(void)n;
	if (m->b.rc)
		return NULL;
	k = a->type.dims[ta ? 0 : 1];
	rows = a->type.dims[ta ? 1 : 0];
	b = weights(m, a->type.dtype, 2, (int64_t[]){tb ? columns : k, tb ? k : columns});
	shape[0] = chance(m, 0.5) ? 1 : rows;
	shape[1] = chance(m, 0.3) ? 1 : columns;
	if (chance(m, 0.7))
		c = chance(m, 0.5) ? weights(m, a->type.dtype, 2, shape) : weights(m, a->type.dtype, 1, shape + 1);
	begin(m, "Gemm", (struct wire *[]){a, b, c}, c ? 3 : 2, 1);
	build_int(&m->b, "transA", ta);
	build_int(&m->b, "transB", tb);
	if (chance(m, 0.5))
		build_float(&m->b, "alpha", some[between(m, 0, 3)]);
	if (chance(m, 0.5))
		build_float(&m->b, "beta", some[between(m, 0, 3)]);
	return set_bound(m, done(m), 4 * bound_of(m, a) * (double)k + 4);
}

const struct sampler sampler_gemm = {"Gemm", FLOATS, make_gemm, 0, 0};
