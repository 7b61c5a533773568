/* sample_linear.c - products of matrices, and determinants. */
#include <math.h>
#include <string.h>

#include "ops/linear/samplers.h"
#include "ops/sample/maker.h"

/* Each row has less than all elements: products of that many are added up. */
static struct wire *with_room(struct maker *m, struct wire *x)
{
	return m->b.rc ? NULL : make_room(m, x, 1000, (double)make_count_of(x), 1);
}

static struct wire *sample_matmul(struct maker *m, struct wire *const *in, int n)
{
	struct wire *a = with_room(m, in[0]->type.rank < 2 ? make_rank(m, in[0], 2) : in[0]), *b;
	int64_t dims[TENSOR_MAX_RANK], k;
	int rank;
	double bound;

	if (m->b.rc)
		return NULL;
	rank = a->type.rank;
	k = a->type.dims[rank - 1];
	memcpy(dims, a->type.dims, sizeof dims);
	for (int i = 0; i < rank - 2; i++)
		dims[i] = make_chance(m, 0.3) ? 1 : dims[i];
	dims[rank - 2] = k;
	dims[rank - 1] = make_between(m, 1, 8);
	if (n > 1)
		b = with_room(m, make_match(m, in[1], rank, dims));
	else
		b = make_chance(m, 0.5) ? make_weights(m, a->type.dtype, 2, dims + rank - 2)
					: make_weights(m, a->type.dtype, rank, dims);
	bound = make_bound_of(m, a) * make_bound_of(m, b) * (double)k;
	return make_set_bound(m, make_op2(m, "MatMul", a, b), bound);
}

const struct sampler sampler_matmul = {
	.summary = "MatMul",
	.types = MAKE_WORDS,
	.make = sample_matmul,
	.empty = 1,
};

static struct wire *sample_gemm(struct maker *m, struct wire *const *in, int n)
{
	static const double some[] = {0.5, 1, 2, -1};
	struct wire *a = with_room(m, make_rank(m, in[0], 2)), *b, *c = NULL;
	int whole = !dtype_is_float(in[0]->type.dtype); /* half of an integer is open */
	int ta = make_chance(m, 0.4), tb = make_chance(m, 0.4);
	int64_t k, rows, columns = make_between(m, 1, 8), shape[2];

	(void)n;
	if (m->b.rc)
		return NULL;
	k = a->type.dims[ta ? 0 : 1];
	rows = a->type.dims[ta ? 1 : 0];
	b = make_weights(m, a->type.dtype, 2, (int64_t[]){tb ? columns : k, tb ? k : columns});
	shape[0] = make_chance(m, 0.5) ? 1 : rows;
	shape[1] = make_chance(m, 0.3) ? 1 : columns;
	if (make_chance(m, 0.7) || m->opset < 11)
		c = make_chance(m, 0.5)              ? make_weights(m, a->type.dtype, 2, shape)
		    : m->wide && make_chance(m, 0.3) ? make_weights(m, a->type.dtype, 0, shape)
						     : make_weights(m, a->type.dtype, 1, shape + 1);
	make_begin(m, "Gemm", (struct wire *[]){a, b, c}, c ? 3 : 2, 1);
	build_int(&m->b, "transA", ta);
	build_int(&m->b, "transB", tb);
	if (make_chance(m, 0.5))
		build_float(&m->b, "alpha", some[make_between(m, whole, whole ? 2 : 3)]);
	if (make_chance(m, 0.5))
		build_float(&m->b, "beta", some[make_between(m, whole, whole ? 2 : 3)]);
	return make_set_bound(m, make_done(m), 4 * make_bound_of(m, a) * (double)k + 4);
}

const struct sampler sampler_gemm = {
	.summary = "Gemm",
	.types = MAKE_WORDS,
	.make = sample_gemm,
};

static struct wire *sample_det(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_calm(m, make_rank(m, in[0], 3), 4);
	int64_t side = make_between(m, 1, 3), dims[3] = {0, side, side};

	(void)n;
	if (m->b.rc)
		return NULL;
	dims[0] = x->type.dims[0] < 4 ? x->type.dims[0] : 4;
	x = make_match(m, x, 3, dims);
	if (m->fill == FILL_ENDS && !m->b.rc) /* of rows of far apart sizes nothing but roundings is left */
		x = make_op1(m, "Round", x);
	return make_set_bound(m, m->b.rc ? NULL : make_op1(m, "Det", x),
			      6 * pow(make_bound_of(m, x), (double)side) + 1);
}

const struct sampler sampler_det = {
	.summary = "Det",
	.types = T_F32,
	.make = sample_det,
};
