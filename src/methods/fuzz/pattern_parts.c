/* pattern_parts.c - what parts of patterns draw: constants, weights and numbers that fit (see pattern.h).
 *
 * Weights are constants, and now and then an input of the model instead, which no fusion can compute with. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/pattern.h"

#define ANOTHER 0.1 /* c(): another number */
#define FED 0.08    /* weights: an input */
#define LARGE 100   /* what inputs are filled with at most */
#define WEIGHT 4.0  /* … and what is left of that */

static struct pattern_value of_wire(struct wire *w)
{
	return (struct pattern_value){.kind = w ? PATTERN_WIRE : PATTERN_NONE, .w = w};
}

static struct pattern_value of_int(int64_t x)
{
	return (struct pattern_value){.kind = PATTERN_NUMBER, .f = (double)x};
}

static struct pattern_value of_list(const int64_t *list, int n)
{
	struct pattern_value v = {.kind = PATTERN_LIST, .n = n < PATTERN_INTS ? n : PATTERN_INTS};

	memcpy(v.list, list, (size_t)v.n * sizeof *list);
	return v;
}

/* An argument that must be a wire with an axis at least; NULL when it is not. */
static struct wire *wire_of(struct pattern_run *q, const struct pattern_value *v)
{
	if (v->kind == PATTERN_WIRE && v->w->type.rank)
		return v->w;
	if (!q->m->b.rc)
		q->m->b.rc = err_set(q->m->b.err, ERR_INPUT, "a part is given no tensor with an axis");
	return NULL;
}

static int64_t size_of(const struct wire *w, int64_t axis)
{
	axis += axis < 0 ? w->type.rank : 0;
	return axis >= 0 && axis < w->type.rank ? w->type.dims[axis] : 1;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* Of rank 0, of ones up to the rank of what it goes with, or as large as that. */
static struct wire *broadcasting(struct pattern_run *q, double x)
{
	const struct wire *like = q->like;
	int64_t dims[TENSOR_MAX_RANK];
	int rank = make_chance(q->m, 0.5) ? 0 : (int)make_between(q->m, 0, like->type.rank);
	int full = make_chance(q->m, 0.1);

	rank = full ? like->type.rank : rank;
	for (int i = 0; i < rank; i++)
		dims[i] = full ? like->type.dims[i] : 1;
	return rank ? make_filled(q->m, like->type.dtype, rank, dims, x) : make_scalar(q->m, like->type.dtype, x);
}

static struct pattern_value part_number(struct pattern_run *q, const struct pattern_value *args)
{
	return of_wire(broadcasting(q, args[0].f));
}

/* The same number, or one that a careless comparison takes for it, or another one; never of the other sign. */
static struct pattern_value part_near(struct pattern_run *q, const struct pattern_value *args)
{
	double x = args[0].f,
	       others[3] = {x != 0 ? x * (1 + 0x1p-9) : 0x1p-9, x != 0 ? 2 * x : 1, x != 0 ? x / 2 : 0.5};

	return of_wire(broadcasting(q, make_chance(q->m, ANOTHER) ? others[make_between(q->m, 0, 2)] : x));
}

/* The number in a shape that makes what it goes with larger: one axis more, or another size where there is 1. */
static struct pattern_value part_wider(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *like = q->like;
	int64_t dims[TENSOR_MAX_RANK + 1];
	int rank = like->type.rank, full = make_chance(q->m, 0.5), grown = 0;

	for (int i = 0; i < rank; i++) {
		int grow = like->type.dims[i] == 1 && make_chance(q->m, 0.5);

		dims[i + 1] = grow ? make_between(q->m, 2, 3) : full ? like->type.dims[i] : 1;
		grown |= grow;
	}
	dims[0] = make_between(q->m, 2, 3);
	if (!grown && rank == MAKE_MAX_RANK) /* there is no room for it */
		return of_wire(broadcasting(q, args[0].f));
	return of_wire(make_filled(q->m, like->type.dtype, rank + !grown, dims + grown, args[0].f));
}

static struct pattern_value part_index(struct pattern_run *q, const struct pattern_value *args)
{
	return of_wire(make_scalar(q->m, DT_INT64, args[0].f));
}

/* One number of a type, [1]: what an attribute that is a tensor takes. */
static struct pattern_value part_tensor(struct pattern_run *q, const struct pattern_value *args)
{
	return of_wire(make_filled(q->m, pattern_type(q, &args[0]), 1, (int64_t[]){1}, args[1].f));
}

/* As many zeros of a type as the axis has places. */
static struct pattern_value part_zeros(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t size = x ? size_of(x, (int64_t)args[1].f) : 1;

	return x ? of_wire(make_filled(q->m, pattern_type(q, &args[2]), 1, &size, 0)) : args[0];
}

/* All places of the first axis as indices of ScatterND, [n, 1]: in their order, or from the last one on. */
static struct pattern_value part_places(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *w = wire_of(q, &args[0]);
	int64_t n = w ? size_of(w, 0) : 0;
	struct tensor *t = w ? tensor_new(DT_INT64, 2, (int64_t[]){n, 1}, q->m->b.err) : NULL;

	for (int64_t i = 0; t && i < n; i++)
		t->i[i] = args[1].f < 0 ? n - 1 - i : i;
	return w ? of_wire(make_const(q->m, t, 0)) : args[0];
}

/* A scale, and zero points, of rank 0. */
static struct pattern_value part_float(struct pattern_run *q, const struct pattern_value *args)
{
	return of_wire(make_scalar(q->m, DT_FLOAT, args[0].f));
}

static struct pattern_value part_unsigned(struct pattern_run *q, const struct pattern_value *args)
{
	return of_wire(make_scalar(q->m, DT_UINT8, args[0].f));
}

static struct pattern_value part_signed(struct pattern_run *q, const struct pattern_value *args)
{
	return of_wire(make_scalar(q->m, DT_INT8, args[0].f));
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

static struct pattern_value weights(struct pattern_run *q, enum dtype t, int rank, const int64_t *dims)
{
	struct maker *m = q->m;

	if (m->special || !dtype_is_float(t) || !make_chance(m, FED))
		return of_wire(make_weights(m, t, rank, dims));
	return of_wire(make_calm(m, make_set_bound(m, make_body_input(m, t, rank, dims), LARGE), WEIGHT));
}

static struct pattern_value part_row(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t dims[TENSOR_MAX_RANK];
	int rank = x ? make_row_shape(q->m, x, dims) : 0;

	return x ? weights(q, x->type.dtype, rank, dims) : args[0];
}

static struct pattern_value part_full(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);

	return x ? weights(q, x->type.dtype, x->type.rank, x->type.dims) : args[0];
}

static struct pattern_value part_vector(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t size = x ? size_of(x, (int64_t)args[1].f) : 1;

	return x ? weights(q, x->type.dtype, 1, &size) : args[0];
}

static struct pattern_value part_positive(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t size = x ? size_of(x, (int64_t)args[1].f) : 1;

	return x ? of_wire(make_random(q->m, x->type.dtype, 1, &size, q->m->fill == FILL_EXACT ? 1 : 0.5, 2)) : args[0];
}

/* One number for each channel: [C, 1, 1], or [1, C, 1, 1]. */
static struct pattern_value part_column(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t dims[TENSOR_MAX_RANK];
	int rank = x ? x->type.rank : 0, first = make_chance(q->m, 0.4) ? 0 : 1;

	for (int i = 0; i < rank; i++)
		dims[i] = i == 1 ? x->type.dims[1] : 1;
	return rank > 1 ? weights(q, x->type.dtype, rank - first, dims + first) : part_row(q, args);
}

/* [last axis, a few], of which libraries multiply by. */
static struct pattern_value part_matrix(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t dims[2] = {x ? size_of(x, -1) : 1, make_between(q->m, 1, 6)};

	return x ? weights(q, x->type.dtype, 2, dims) : args[0];
}

static struct pattern_value part_square(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t dims[2] = {x ? size_of(x, -1) : 1, x ? size_of(x, -1) : 1};

	return x ? weights(q, x->type.dtype, 2, dims) : args[0];
}

/* The same of bytes with a sign. */
static struct pattern_value part_bytes(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t dims[2] = {x ? size_of(x, -1) : 1, make_between(q->m, 1, 6)};

	return of_wire(x ? make_random(q->m, DT_INT8, 2, dims, -100, 100) : NULL);
}

/* [a few, C, h, w] for a convolution, no larger than the picture. */
static struct pattern_value filter(struct pattern_run *q, const struct pattern_value *x, int64_t out, int64_t in,
				   int64_t most)
{
	const struct wire *w = wire_of(q, x);
	int64_t dims[TENSOR_MAX_RANK] = {out, in};

	for (int i = 2; w && i < w->type.rank; i++)
		dims[i] = make_between(q->m, 1, w->type.dims[i] < most ? w->type.dims[i] : most);
	return w ? weights(q, w->type.dtype, w->type.rank, dims) : *x;
}

static struct pattern_value part_filter(struct pattern_run *q, const struct pattern_value *args)
{
	return filter(q, &args[0], make_between(q->m, 1, 4), size_of(args[0].w, 1), 3);
}

static struct pattern_value part_pointwise(struct pattern_run *q, const struct pattern_value *args)
{
	return filter(q, &args[0], make_between(q->m, 1, 4), size_of(args[0].w, 1), 1);
}

static struct pattern_value part_depthwise(struct pattern_run *q, const struct pattern_value *args)
{
	return filter(q, &args[0], size_of(args[0].w, 1), 1, 3);
}

/* The same of bytes with a sign. */
static struct pattern_value part_bytefilter(struct pattern_run *q, const struct pattern_value *args)
{
	struct pattern_value v = part_filter(q, args);
	const struct type *t = v.kind == PATTERN_WIRE && !q->m->b.rc ? &v.w->type : NULL;

	return t ? of_wire(make_random(q->m, DT_INT8, t->rank, t->dims, -100, 100)) : v;
}

/* … of as many pictures as it reads. */
static struct pattern_value part_same(struct pattern_run *q, const struct pattern_value *args)
{
	return filter(q, &args[0], size_of(args[0].w, 1), size_of(args[0].w, 1), 3);
}

static struct pattern_value part_deconv(struct pattern_run *q, const struct pattern_value *args)
{
	return filter(q, &args[0], size_of(args[0].w, 1), make_between(q->m, 1, 4), 3);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static struct pattern_value part_axis(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);

	return of_int(x ? make_either_end(q->m, make_between(q->m, 0, x->type.rank - 1), x->type.rank) : 0);
}

static struct pattern_value part_draw(struct pattern_run *q, const struct pattern_value *args)
{
	return of_int(make_between(q->m, (int64_t)args[0].f, (int64_t)args[1].f));
}

static struct pattern_value part_size(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);

	return of_int(x ? size_of(x, (int64_t)args[1].f) : 0);
}

static struct pattern_value part_rank(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);

	return of_int(x ? x->type.rank : 0);
}

static struct pattern_value part_shape(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);

	return x ? of_list(x->type.dims, x->type.rank) : args[0];
}

/* … with another size in the place of an axis's. */
static struct pattern_value part_with(struct pattern_run *q, const struct pattern_value *args)
{
	struct pattern_value v = part_shape(q, args);
	int axis = (int)args[1].f;

	axis += axis < 0 ? v.n : 0;
	if (v.kind == PATTERN_LIST && axis >= 0 && axis < v.n)
		v.list[axis] = (int64_t)args[2].f;
	return v;
}

static struct pattern_value part_perm(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t perm[TENSOR_MAX_RANK];
	int rank = x ? x->type.rank : 0;

	make_perm(q->m, rank, perm);
	return of_list(perm, rank);
}

static struct pattern_value part_inverse(struct pattern_run *q, const struct pattern_value *args)
{
	struct pattern_value v = args[0];

	(void)q;
	for (int i = 0; i < v.n; i++)
		v.list[args[0].list[i] >= 0 && args[0].list[i] < v.n ? args[0].list[i] : i] = i;
	return v;
}

/* The permutation that swaps the last two axes. */
static struct pattern_value part_swap(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t perm[TENSOR_MAX_RANK];
	int rank = x ? x->type.rank : 0;

	for (int i = 0; i < rank; i++)
		perm[i] = rank < 2 || i < rank - 2 ? i : 2 * rank - 3 - i;
	return of_list(perm, rank);
}

/* Paddings of the axes from args[1] on. */
static struct pattern_value part_pads(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t pads[2 * TENSOR_MAX_RANK] = {0};
	int rank = x ? x->type.rank : 0;

	for (int i = (int)args[1].f; i < rank; i++) {
		pads[i] = make_between(q->m, 0, 2);
		pads[rank + i] = make_chance(q->m, 0.5) ? pads[i] : make_between(q->m, 0, 2);
	}
	return of_list(pads, 2 * rank);
}

/* The same, one of them negative: an element is cut away. */
static struct pattern_value part_crops(struct pattern_run *q, const struct pattern_value *args)
{
	struct pattern_value v = part_pads(q, args);
	int rank = v.n / 2, first = (int)args[1].f;

	if (v.kind == PATTERN_LIST && first < rank)
		v.list[make_between(q->m, first, rank - 1) + (make_chance(q->m, 0.5) ? rank : 0)] = -1;
	return v;
}

/* The size of an axis as two parts. */
static struct pattern_value part_halves(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);
	int64_t size = x ? size_of(x, (int64_t)args[1].f) : 2, first = make_between(q->m, 1, size - 1);

	return of_list((int64_t[]){first, size - first}, 2);
}

static struct pattern_value part_half(struct pattern_run *q, const struct pattern_value *args)
{
	const struct wire *x = wire_of(q, &args[0]);

	return of_int(x ? size_of(x, (int64_t)args[1].f) / 2 : 1);
}

static struct pattern_value part_at(struct pattern_run *q, const struct pattern_value *args)
{
	int i = (int)args[1].f;

	(void)q;
	return of_int(i >= 0 && i < args[0].n ? args[0].list[i] : 0);
}

/* ---- wires ------------------------------------------------------------------------------------------------------- */

/* The axis of at least n elements, and a multiple of n of them. */
static struct pattern_value part_wide(struct pattern_run *q, const struct pattern_value *args)
{
	struct wire *x = wire_of(q, &args[0]);
	int64_t dims[TENSOR_MAX_RANK], axis = (int64_t)args[1].f, n = (int64_t)args[2].f;

	if (!x)
		return args[0];
	axis += axis < 0 ? x->type.rank : 0;
	memcpy(dims, x->type.dims, sizeof dims);
	if (axis >= 0 && axis < x->type.rank && n > 0)
		dims[axis] = (dims[axis] + n - 1) / n * n;
	return of_wire(make_match(q->m, x, x->type.rank, dims));
}

/* Axes behind the channels of at least three elements: windows fit. */
static struct pattern_value part_picture(struct pattern_run *q, const struct pattern_value *args)
{
	struct wire *x = wire_of(q, &args[0]);
	int64_t dims[TENSOR_MAX_RANK];

	if (!x)
		return args[0];
	memcpy(dims, x->type.dims, sizeof dims);
	for (int i = 2; i < x->type.rank; i++)
		dims[i] = dims[i] < 3 ? 3 : dims[i];
	return of_wire(make_match(q->m, x, x->type.rank, dims));
}

static struct pattern_value part_out(struct pattern_run *q, const struct pattern_value *args)
{
	const struct node *n = args[0].kind == PATTERN_WIRE ? args[0].w->producer : NULL;
	int i = (int)args[1].f;

	if (n && i >= 0 && i < n->n_out && n->out[i])
		return of_wire(n->out[i]);
	if (!q->m->b.rc)
		q->m->b.rc = err_set(q->m->b.err, ERR_INPUT, "there is no output %d", i);
	return args[0];
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct pattern_part parts[] = {
	{"n", 1, part_number},      /* a number that broadcasts */
	{"c", 1, part_near},        /* … or another one near by */
	{"wider", 1, part_wider},   /* … in a shape that makes the result larger */
	{"index", 1, part_index},   /* an int64 of rank 0 */
	{"f", 1, part_float},       /* a float32 of rank 0 */
	{"u", 1, part_unsigned},    /* a uint8 of rank 0 */
	{"i", 1, part_signed},      /* an int8 of rank 0 */
	{"tensor", 2, part_tensor}, /* a number of a type, as an attribute */
	{"zeros", 3, part_zeros},   /* … for each place of an axis, of a type */
	{"places", 2, part_places}, /* of the first axis, for ScatterND; -1: from the last on */
	{"row", 1, part_row},       /* weights [last axis], seldom another shape */
	{"column", 1, part_column}, /* … [C, 1, 1] */
	{"full", 1, part_full},     /* … of the same shape */
	{"vector", 2, part_vector}, /* … one for each place of an axis */
	{"positive", 2, part_positive} /* … that are not negative */,
	{"matrix", 1, part_matrix}, /* … [last axis, some] */
	{"bytes", 1, part_bytes},   /* … of int8 */
	{"square", 1, part_square}, /* … [last axis, last axis] */
	{"filter", 1, part_filter}, /* … of a convolution */
	{"pointwise", 1, part_pointwise},
	{"same", 1, part_same}, /* … of as many pictures as it reads */
	{"depthwise", 1, part_depthwise},
	{"bytefilter", 1, part_bytefilter}, /* … of int8 */
	{"deconv", 1, part_deconv},
	{"axis", 1, part_axis}, /* any, from either end */
	{"draw", 2, part_draw}, /* a whole number, both ends included */
	{"size", 2, part_size}, /* of an axis */
	{"rank", 1, part_rank},
	{"shape", 1, part_shape}, /* as a list */
	{"with", 3, part_with},   /* … with another size for an axis */
	{"perm", 1, part_perm},
	{"inverse", 1, part_inverse}, /* of a permutation */
	{"swap", 1, part_swap},
	{"pads", 2, part_pads},       /* of the axes from one on */
	{"crops", 2, part_crops},     /* … one of them negative */
	{"halves", 2, part_halves},   /* of an axis */
	{"half", 2, part_half},       /* … its size over 2, rounded down */
	{"at", 2, part_at},           /* an element of a list */
	{"wide", 3, part_wide},       /* a tensor whose axis a number divides */
	{"picture", 1, part_picture}, /* … that windows fit into */
	{"out", 2, part_out},         /* a further output */
};

const struct pattern_part *pattern_part_find(const char *name)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(parts[i].name, name))
			return &parts[i];
	return NULL;
}
