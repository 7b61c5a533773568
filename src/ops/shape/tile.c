/* tile.c - Expand and Tile: the same elements again and again. */
#include <inttypes.h>
#include <math.h>

#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/shape/samplers.h"

/* ---- Expand ------------------------------------------------------------------------------------------------------ */

/* One dimension of the output: `have` of the input, `want` of the shape given (known). */
static int expand_dim(struct call *c, int64_t have, int64_t want, int64_t *out)
{
	if (want < 0)
		return call_bad(c, "shape has a dimension of %" PRId64, want);
	if (dim_known(have) && have != 1 && want != 1 && have != want)
		return call_bad(c, "cannot expand a dimension of %" PRId64 " to %" PRId64, have, want);
	*out = want == 1 ? have : want;
	return 0;
}

static int expand_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK], n_dims;
	const int64_t *shape;
	size_t n;
	enum ints_found found;
	int rank, rc;

	if ((rc = call_ints(c, NULL, 1, &shape, &n, &found)))
		return rc;
	n_dims = found == INTS_GIVEN ? (int64_t)n : dims_list_length(c, 1);
	if (n_dims >= 0 && (rc = dims_check_rank(c, n_dims)))
		return rc;
	rank = in && n_dims >= 0 ? (n_dims > in->rank ? (int)n_dims : in->rank) : -1;
	if (!in || found != INTS_GIVEN) {
		call_out_rank(c, 0, c->in_type[0].dtype, rank);
		return 0;
	}
	for (int a = 0; a < rank; a++) {
		int from_in = a - (rank - in->rank), from_shape = a - (rank - (int)n);

		if ((rc = expand_dim(c, from_in >= 0 ? in->dims[from_in] : 1, from_shape >= 0 ? shape[from_shape] : 1,
				     &dims[a])))
			return rc;
	}
	call_out(c, 0, c->in_type[0].dtype, rank, dims);
	return 0;
}

static int expand_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	const struct type *out = &m->c->out_type[0];
	int64_t from[TENSOR_MAX_RANK], to[TENSOR_MAX_RANK];
	int shift = out->rank - x->rank;
	struct strided s;

	dims_strides(x->rank, x->dims, from);
	dims_strides(out->rank, out->dims, to);
	strided_init(&s, 0, 0);
	for (int a = 0; a < out->rank; a++) {
		int repeated = a < shift || x->dims[a - shift] == 1;

		strided_axis(&s, out->dims[a], to[a], repeated ? 0 : from[a - shift]);
	}
	return move_strided(m, 0, 0, &s);
}
MOVE_DEFINE(expand, MOVE_INPUT_0)

const struct op op_expand = {
	.samples = SAMPLES({.by = &sampler_expand}),
	.in = {{"input", T_ANY, 'T', 0}, {"shape", T_I64, 0, 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.infer = expand_infer,
	MOVE_FUNCTIONS(expand),
};

/* ---- Tile -------------------------------------------------------------------------------------------------------- */

/* A scalar input of version 1, which has the dtype of the data. */
static int tile_scalar(struct call *c, int i, int64_t *out)
{
	double x;

	if (c->in[i]->count != 1)
		return call_bad(c, "input %d is not a scalar", i);
	x = tensor_get(c->in[i], 0);
	if (!(fabs(x) < 0x1p40) || x != floor(x))
		return call_bad(c, "input %d is %g, wanted a whole number", i, x);
	*out = (int64_t)x;
	return 0;
}

/* Copies along each axis; *known is 0 when that cannot be told yet. */
static int tile_repeats(struct call *c, int rank, int64_t *repeats, int *known)
{
	const int64_t *list;
	int64_t times, where;
	enum ints_found found;
	size_t n;
	int axis, rc;

	if (c->version < 6) {
		for (int a = 0; a < rank; a++)
			repeats[a] = 1;
		if (!call_has(c, 2))
			return call_bad(c, "the axis is left out");
		*known = c->in[1] && c->in[2];
		if (!*known)
			return 0;
		if ((rc = tile_scalar(c, 1, &times)) || (rc = tile_scalar(c, 2, &where)) ||
		    (rc = call_axis(c, where, rank, &axis)))
			return rc;
		repeats[axis] = times;
		return times < 0 ? call_bad(c, "%" PRId64 " tiles", times) : 0;
	}
	rc = call_ints(c, NULL, 1, &list, &n, &found);
	*known = !rc && found == INTS_GIVEN;
	if (!*known)
		return rc;
	if (n != (size_t)rank)
		return call_bad(c, "%zu repeats for rank %d", n, rank);
	for (int a = 0; a < rank; a++) {
		repeats[a] = list[a];
		if (list[a] < 0)
			return call_bad(c, "%" PRId64 " repeats", list[a]);
	}
	return 0;
}

static int tile_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK], repeats[TENSOR_MAX_RANK];
	int known, rc;

	if (!in) {
		call_out_rank(c, 0, c->in_type[0].dtype, -1);
		return 0;
	}
	if ((rc = tile_repeats(c, in->rank, repeats, &known)))
		return rc;
	if (!known) {
		call_out_rank(c, 0, c->in_type[0].dtype, in->rank);
		return 0;
	}
	for (int a = 0; a < in->rank; a++)
		if ((rc = dim_mul(c, in->dims[a], repeats[a], &dims[a])))
			return rc;
	call_out(c, 0, c->in_type[0].dtype, in->rank, dims);
	return 0;
}

/* Each axis of the output as two: the copy and the place in it. */
static int tile_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	int64_t from[TENSOR_MAX_RANK], to[TENSOR_MAX_RANK], repeats[TENSOR_MAX_RANK];
	struct strided s;
	int known, rc;

	if ((rc = tile_repeats(m->c, x->rank, repeats, &known)))
		return rc;
	dims_strides(x->rank, x->dims, from);
	dims_strides(x->rank, m->c->out_type[0].dims, to);
	strided_init(&s, 0, 0);
	for (int a = 0; a < x->rank; a++) {
		strided_axis(&s, repeats[a], to[a] * x->dims[a], 0);
		strided_axis(&s, x->dims[a], to[a], from[a]);
	}
	return move_strided(m, 0, 0, &s);
}
MOVE_DEFINE(tile, MOVE_INPUT_0)

const struct op op_tile = {
	.samples = SAMPLES({.by = &sampler_tile}),
	.in = {{"input", T_ANY, 'T', 0}, {"repeats", T_ANY, 0, 0}, {"axis", T_ANY, 0, PORT_OPTIONAL}},
	.out = {{"output", T_ANY, 'T', 0}},
	.infer = tile_infer,
	MOVE_FUNCTIONS(tile),
};
