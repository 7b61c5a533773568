/* sample_index.c - operators with indices. */
#include <math.h>
#include <string.h>

#include "ops/index/samplers.h"
#include "ops/sample/maker.h"

/* Indices of an axis of d elements, some from the end. */
static struct wire *draw_indices(struct maker *m, int rank, const int64_t *dims, int64_t d)
{
	struct wire *w = make_random(m, make_chance(m, 0.7) ? DT_INT64 : DT_INT32, rank, dims,
				     make_chance(m, 0.3) && m->opset >= 11 ? (double)-d : 0, (double)(d - 1));

	return make_set_bound(m, w, 0);
}

static struct wire *sample_gather(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[3];
	struct wire *x = make_axis(m, in[0], &axis), *indices;
	int rank;

	(void)n;
	if (!x)
		return NULL;
	rank = (int)make_between(m, 0, x->type.rank < MAKE_MAX_RANK - 1 ? 2 + m->wide : 1);
	dims[0] = make_between(m, 1, 3);
	dims[1] = make_between(m, 1, 2);
	dims[2] = make_between(m, 1, 2);
	if (m->wide && rank && m->opset >= MAKE_EMPTY_OPSET && make_chance(m, 0.03))
		dims[rank - 1] = 0;
	indices = draw_indices(m, rank, dims, x->type.dims[axis]);
	make_begin(m, "Gather", (struct wire *[]){x, indices}, 2, 1);
	build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	return make_done(m);
}

const struct sampler sampler_gather = {
	.summary = "Gather",
	.types = MAKE_MOVED,
	.make = sample_gather,
	.special = 1,
};

static struct wire *sample_gather_elements(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[TENSOR_MAX_RANK];
	struct wire *x = make_axis(m, in[0], &axis);

	(void)n;
	if (!x)
		return NULL;
	for (int i = 0; i < x->type.rank; i++)
		dims[i] = make_between(m, 1, x->type.dims[i]);
	make_begin(m, "GatherElements", (struct wire *[]){x, draw_indices(m, x->type.rank, dims, x->type.dims[axis])},
		   2, 1);
	build_int(&m->b, "axis", axis);
	return make_done(m);
}

const struct sampler sampler_gather_elements = {
	.summary = "GatherElements",
	.types = MAKE_MOVED,
	.make = sample_gather_elements,
	.special = 1,
};

/* ScatterElements, or Scatter before it: one index along the axis, so that no element is written twice. */
static struct wire *sample_scatter_elements(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, dims[TENSOR_MAX_RANK];
	struct wire *x = make_axis(m, in[0], &axis), *indices, *updates;

	(void)n;
	if (!x)
		return NULL;
	for (int i = 0; i < x->type.rank; i++)
		dims[i] = i == axis ? 1 : make_between(m, 1, x->type.dims[i]);
	indices = draw_indices(m, x->type.rank, dims, x->type.dims[axis]);
	updates = make_weights(m, x->type.dtype, x->type.rank, dims);
	make_begin(m, m->row->name, (struct wire *[]){x, indices, updates}, 3, 1);
	build_int(&m->b, "axis", axis);
	return make_set_bound(m, make_done(m), make_bound_of(m, x) + 2);
}

const struct sampler sampler_scatter_elements = {
	.summary = "ScatterElements",
	.types = MAKE_MOVED,
	.make = sample_scatter_elements,
	.special = 1,
};

const struct sampler sampler_scatter = {
	.summary = "Scatter",
	.types = MAKE_MOVED,
	.until = 11,
	.make = sample_scatter_elements,
	.special = 1,
};

static struct wire *sample_top_k(struct maker *m, struct wire *const *in, int n)
{
	int64_t axis, k;
	struct wire *x = make_axis(m, in[0], &axis);

	(void)n;
	if (!x)
		return NULL;
	k = make_between(m, 1, x->type.dims[axis]);
	make_begin(m, "TopK", (struct wire *[]){x, make_ints(m, 1, &k)}, 2, 2);
	build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	build_int(&m->b, "largest", make_between(m, 0, 1));
	x = make_done(m);
	return x && make_chance(m, 0.2) ? make_set_bound(m, m->b.last->out[1], (double)make_count_of(x)) : x;
}

const struct sampler sampler_top_k = {
	.summary = "TopK",
	.types = MAKE_ALL,
	.make = sample_top_k,
	.special = 1,
};

/* Off and on, mostly floats. */
static struct wire *draw_hot_values(struct maker *m)
{
	enum dtype t = make_chance(m, 0.6) ? DT_FLOAT : make_type(m, T_INT | T_BOOL);

	return make_random(m, t, 1, (int64_t[]){2}, dtype_is_unsigned(t) ? 0 : -2, t == DT_BOOL ? 1 : 2);
}

static struct wire *sample_one_hot(struct maker *m, struct wire *const *in, int n)
{
	struct wire *flat =
		in[0]->type.rank >= MAKE_MAX_RANK ? make_rank(m, in[0], MAKE_MAX_RANK - 1) : make_ranked(m, in[0]);
	struct wire *x = make_shrink(m, m->opset < 11 ? make_within(m, flat, 0, INT32_MAX) : flat, 256);
	struct wire *depth =
		make_scalar(m, make_chance(m, 0.7) ? DT_INT64 : make_type(m, T_INT), (double)make_between(m, 1, 6));
	struct wire *values = draw_hot_values(m);

	(void)n;
	if (m->b.rc)
		return NULL;
	make_begin(m, "OneHot", (struct wire *[]){x, depth, values}, 3, 1);
	build_int(&m->b, "axis", make_between(m, -1, x->type.rank));
	return make_set_bound(m, make_done(m), 2);
}

const struct sampler sampler_one_hot = {
	.summary = "OneHot",
	.types = T_INT,
	.make = sample_one_hot,
};

/* ---- indices of several axes ------------------------------------------------------------------------------------- */

/* Rows of indices into the first `depth` axes of x from axis `from` on; `rows` of them, or all that differ. */
static struct wire *draw_rows(struct maker *m, const struct wire *x, int from, int depth, int rank, int64_t *dims)
{
	struct tensor *t;

	dims[rank - 1] = depth;
	t = m->b.rc ? NULL : tensor_new(DT_INT64, rank, dims, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) {
		int64_t size = x->type.dims[from + (int)(i % (size_t)depth)], at = make_between(m, 0, size - 1);

		t->i[i] = m->wide && make_chance(m, 0.2) ? at - size : at;
	}
	return make_const(m, t, 0);
}

static struct wire *sample_gather_nd(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = make_ranked(m, in[0]);
	int64_t dims[TENSOR_MAX_RANK];
	int batch, depth, rank;

	(void)n;
	if (m->b.rc)
		return NULL;
	batch = m->opset >= 12 && m->wide && x->type.rank > 1 && make_chance(m, 0.3);
	depth = (int)make_between(m, 1, x->type.rank - batch);
	rank = batch + (int)make_between(m, 1, 2);
	dims[0] = batch ? x->type.dims[0] : make_between(m, 1, 3);
	dims[1] = make_between(m, 1, 3);
	make_begin(m, "GatherND", (struct wire *[]){x, draw_rows(m, x, batch, depth, rank, dims)}, 2, 1);
	if (batch)
		build_int(&m->b, "batch_dims", batch);
	return make_done(m);
}

const struct sampler sampler_gather_nd = {
	.summary = "GatherND",
	.types = MAKE_MOVED,
	.make = sample_gather_nd,
	.special = 1,
};

/* Of NaN and a number there is no largest; bools have no sum. */
static int64_t draw_reduction(struct maker *m, const struct wire *x)
{
	if (x->type.dtype == DT_BOOL)
		return 0;
	return make_between(m, 0, m->special || m->opset < 18 ? 1 : 3);
}

/* A single row, so that no element is written twice. */
static struct wire *sample_scatter_nd(struct maker *m, struct wire *const *in, int n)
{
	static const char *const reductions[] = {"none", "add", "max", "min"};
	struct wire *x = make_ranked(m, in[0]), *rows, *updates;
	int64_t dims[2] = {1, 0}, shape[TENSOR_MAX_RANK] = {1};
	int depth;

	(void)n;
	x = m->b.rc ? NULL : make_room(m, x, MAKE_LARGE, 2, 0);
	if (m->b.rc)
		return NULL;
	depth = (int)make_between(m, 1, x->type.rank);
	rows = draw_rows(m, x, 0, depth, 2, dims);
	for (int i = depth; i < x->type.rank; i++)
		shape[1 + i - depth] = x->type.dims[i];
	updates = make_weights(m, x->type.dtype, 1 + x->type.rank - depth, shape);
	make_begin(m, "ScatterND", (struct wire *[]){x, rows, updates}, 3, 1);
	if (m->wide && make_chance(m, 0.4))
		build_string(&m->b, "reduction", reductions[draw_reduction(m, x)]);
	return make_set_bound(m, make_done(m), make_bound_of(m, x) + 2);
}

const struct sampler sampler_scatter_nd = {
	.summary = "ScatterND",
	.types = MAKE_MOVED,
	.make = sample_scatter_nd,
	.special = 1,
};

/* ---- a cache ----------------------------------------------------------------------------------------------------- */

static struct wire *sample_tensor_scatter(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? make_rank(m, in[0], 2) : in[0], *update, *places = NULL;
	int64_t dims[TENSOR_MAX_RANK], axis, length;
	int circular = make_chance(m, 0.4);

	(void)n;
	if (m->b.rc)
		return NULL;
	axis = make_between(m, 1, x->type.rank - 1);
	length = x->type.dims[axis];
	memcpy(dims, x->type.dims, sizeof dims);
	dims[axis] = make_between(m, 1, length);
	update = make_weights(m, x->type.dtype, x->type.rank, dims);
	if (make_chance(m, 0.7))
		places = make_random(m, DT_INT64, 1, dims, 0, (double)(circular ? length - 1 : length - dims[axis]));
	make_begin(m, "TensorScatter", (struct wire *[]){x, update, places}, places ? 3 : 2, 1);
	build_int(&m->b, "axis", make_either_end(m, axis, x->type.rank));
	if (circular || make_chance(m, 0.3))
		build_string(&m->b, "mode", circular ? "circular" : "linear");
	return make_set_bound(m, make_done(m), fmax(make_bound_of(m, x), 2));
}

const struct sampler sampler_tensor_scatter = {
	.summary = "TensorScatter",
	.types = MAKE_MOVED,
	.make = sample_tensor_scatter,
};
