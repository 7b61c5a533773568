/* functions_arrays.c - functions of meanings for libraries that compute as NumPy does: indices of Python, types that
 * two arrays have in common, orders of axes, zeros between elements (see functions.c). */
#include <string.h>

#include "ops/op.h"
#include "proof/terms.h"

#define FAR INT64_MAX

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* The type of the node made last, its attributes being set. */
static struct wire *inferred(struct meaning_maker *m, struct wire *w)
{
	struct arena scratch = ARENA_INIT;

	if (!m->b.rc)
		m->b.rc = ops_infer_node(w->producer, &scratch, m->b.err);
	arena_release(&scratch);
	return m->b.rc ? NULL : w;
}

static struct wire *ints(struct meaning_maker *m, const int64_t *x, size_t n)
{
	struct proof_term list = term_list(m, n);

	for (size_t i = 0; i < list.n; i++)
		list.items[i] = term_int(x[i]);
	return term_to_wire(m, &list, DT_INT64);
}

static struct wire *two(struct meaning_maker *m, const char *op, struct wire *x, struct wire *y)
{
	return inferred(m, term_node(m, op, (struct wire *[]){x, y}, 2, 0));
}

static struct wire *reshaped(struct meaning_maker *m, struct wire *x, const int64_t *dims, size_t n)
{
	struct wire *w = term_node(m, "Reshape", (struct wire *[]){x, ints(m, dims, n)}, 2, 0);

	if (!m->b.rc)
		build_int(&m->b, "allowzero", 1);
	return inferred(m, w);
}

static struct wire *transposed(struct meaning_maker *m, struct wire *x, const int64_t *perm, size_t n)
{
	struct wire *w = term_node(m, "Transpose", &x, 1, 0);

	if (!m->b.rc)
		build_ints(&m->b, "perm", perm, n);
	return inferred(m, w);
}

static struct wire *cast(struct meaning_maker *m, struct wire *x, enum dtype to)
{
	struct wire *w = term_node(m, "Cast", &x, 1, 0);

	if (!m->b.rc)
		build_int(&m->b, "to", to);
	return inferred(m, w);
}

static const struct type *known_type(struct meaning_maker *m, const struct proof_term *t)
{
	if (t->kind == TERM_WIRE && t->wire->type.rank >= 0)
		return &t->wire->type;
	term_bad(m, "a tensor of known shape is wanted");
	return NULL;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static enum dtype signed_of_size(size_t bytes)
{
	return bytes == 1 ? DT_INT8 : bytes == 2 ? DT_INT16 : bytes == 4 ? DT_INT32 : DT_INT64;
}

/* Integers; DT_UNDEFINED: there is none that holds both. */
static enum dtype common_int(enum dtype a, enum dtype b)
{
	size_t x = dtype_bits(a) / 8, y = dtype_bits(b) / 8;

	if (dtype_is_unsigned(a) == dtype_is_unsigned(b))
		return x >= y ? a : b;
	if (dtype_is_unsigned(b))
		return common_int(b, a);
	return y > x ? b : x < 8 ? signed_of_size(2 * x) : DT_UNDEFINED;
}

static enum dtype common_float(enum dtype a, enum dtype b)
{
	if (dtype_bits(a) == dtype_bits(b))
		return a == b ? a : dtype_bits(a) == 16 ? DT_FLOAT : DT_UNDEFINED;
	return dtype_bits(a) > dtype_bits(b) ? a : b;
}

/* What JAX's lattice gives: a floating-point type stays as it is beside an integer. */
static enum dtype common_jax(enum dtype a, enum dtype b)
{
	if (a == b || b == DT_BOOL)
		return a;
	if (a == DT_BOOL)
		return b;
	if (dtype_is_float(a) && dtype_is_float(b))
		return common_float(a, b);
	if (dtype_is_float(a) || dtype_is_float(b))
		return dtype_is_float(a) ? a : b;
	return common_int(a, b);
}

/* The floating-point type that holds all integers of a type, as NumPy sees it. */
static enum dtype float_for(enum dtype t)
{
	return dtype_bits(t) <= 8 ? DT_FLOAT16 : dtype_bits(t) <= 16 ? DT_FLOAT : DT_DOUBLE;
}

static enum dtype common_numpy(enum dtype a, enum dtype b)
{
	enum dtype t;

	if (dtype_is_float(a) != dtype_is_float(b) && a != DT_BOOL && b != DT_BOOL)
		return dtype_is_float(a) ? common_float(a, float_for(b)) : common_float(float_for(a), b);
	t = common_jax(a, b);
	return t == DT_UNDEFINED ? DT_DOUBLE : t;
}

/* `x` in the type that it has beside `other`; numbers take that of the tensor, unless it cannot hold a fraction. */
static struct proof_term beside(struct meaning_maker *m, const struct proof_term *a,
				enum dtype (*common)(enum dtype, enum dtype))
{
	enum dtype mine, other, to;

	if (a[0].kind != TERM_WIRE && a[1].kind != TERM_WIRE)
		return term_bad(m, "one of two must be a tensor");
	if (a[0].kind != TERM_WIRE) {
		other = a[1].wire->type.dtype;
		to = a[0].kind == TERM_FLOAT && !dtype_is_float(other) ? DT_DOUBLE : other;
		return term_wire(term_to_wire(m, &a[0], to));
	}
	mine = a[0].wire->type.dtype;
	other = a[1].kind == TERM_WIRE                             ? a[1].wire->type.dtype
		: a[1].kind == TERM_FLOAT && !dtype_is_float(mine) ? DT_DOUBLE
								   : mine;
	to = common(mine, other);
	if (to == DT_UNDEFINED)
		return term_bad(m, "%s and %s have no type in common", dtype_name(mine), dtype_name(other));
	return to == mine ? a[0] : term_wire(cast(m, a[0].wire, to));
}

static struct proof_term beside_jax(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	return beside(m, a, common_jax);
}

static struct proof_term beside_numpy(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	(void)n;
	return beside(m, a, common_numpy);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* column(list of lists, i) */
static struct proof_term column(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = term_list(m, a[0].kind == TERM_LIST ? a[0].n : 0);

	(void)n;
	for (size_t i = 0; i < list.n; i++) {
		if (a[0].items[i].kind != TERM_LIST || a[1].i < 0 || (size_t)a[1].i >= a[0].items[i].n)
			return term_bad(m, "column: row %zu has none", i);
		list.items[i] = a[0].items[i].items[a[1].i];
	}
	return list;
}

static int64_t place(const struct proof_term *t, int64_t rank)
{
	return t->i < 0 ? t->i + rank : t->i;
}

/* swapped(rank, a, b): the order of axes when two are exchanged. */
static struct proof_term swapped(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = term_list(m, a[0].i > 0 && a[0].i < 64 ? (size_t)a[0].i : 0);
	int64_t x = place(&a[1], a[0].i), y = place(&a[2], a[0].i);

	(void)n;
	for (int64_t i = 0; i < (int64_t)list.n; i++)
		list.items[i] = term_int(i == x ? y : i == y ? x : i);
	return list;
}

/* moved(rank, from, to): the order of axes when one is moved. */
static struct proof_term moved(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	struct proof_term list = term_list(m, a[0].i > 0 && a[0].i < 64 ? (size_t)a[0].i : 0);
	int64_t from = place(&a[1], a[0].i), to = place(&a[2], a[0].i), next = 0;

	(void)n;
	for (int64_t i = 0; i < (int64_t)list.n; i++) {
		next += next == from;
		list.items[i] = term_int(i == to ? from : next++);
	}
	return list;
}

/* ---- indices of Python ------------------------------------------------------------------------------------------- */

/* x[index]: one item for each axis, and None for new ones.  Items are numbers, [start, stop, step], tensors. */
struct numpy_index {
	int64_t starts[TENSOR_MAX_RANK], stops[TENSOR_MAX_RANK], steps[TENSOR_MAX_RANK], axes[TENSOR_MAX_RANK];
	struct wire *arrays[TENSOR_MAX_RANK];
	int keeps[TENSOR_MAX_RANK]; /* the axis is there after it */
	size_t first, n_arrays, n_axes;
	int reshapes; /* there are numbers or new axes */
};

static void take_number(struct numpy_index *x, size_t axis, int64_t i)
{
	x->starts[axis] = i;
	x->stops[axis] = i == -1 ? FAR : i + 1;
	x->steps[axis] = 1;
	x->keeps[axis] = 0;
	x->reshapes = 1;
}

static void take_slice(struct numpy_index *x, size_t axis, const struct proof_term *t)
{
	int64_t step = t->items[2].kind == TERM_NONE ? 1 : t->items[2].i;

	x->starts[axis] = t->items[0].kind != TERM_NONE ? t->items[0].i : step > 0 ? 0 : FAR;
	x->stops[axis] = t->items[1].kind != TERM_NONE ? t->items[1].i : step > 0 ? FAR : -FAR;
	x->steps[axis] = step;
	x->keeps[axis] = 1;
}

static int take_items(struct meaning_maker *m, const struct proof_term *list, struct numpy_index *x)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct proof_term *t = &list->items[i];
		size_t axis = x->n_axes;

		if (t->kind == TERM_NONE) {
			x->reshapes = 1;
			continue;
		}
		if (axis == TENSOR_MAX_RANK)
			break;
		x->axes[axis] = (int64_t)axis;
		if (t->kind == TERM_INT)
			take_number(x, axis, t->i);
		else if (t->kind == TERM_LIST && t->n == 3)
			take_slice(x, axis, t);
		else if (t->kind == TERM_WIRE) {
			take_slice(x, axis,
				   &(struct proof_term){.items = (struct proof_term[]){{0}, {0}, {0}}, .n = 3});
			x->first = x->n_arrays ? x->first : axis;
			x->arrays[x->n_arrays++] = t->wire;
			if (axis != x->first + x->n_arrays - 1)
				term_bad(m, "index: tensors at axes apart");
		} else {
			term_bad(m, "index: an item of no known kind");
		}
		x->n_axes++;
	}
	if (x->n_arrays && x->reshapes)
		term_bad(m, "index: tensors beside numbers or new axes");
	return m->b.rc;
}

/* Slices, then new axes and those that are gone. */
static struct wire *take_basic(struct meaning_maker *m, struct wire *w, const struct proof_term *list,
			       const struct numpy_index *x)
{
	int64_t dims[2 * TENSOR_MAX_RANK];
	size_t n = 0, axis = 0;

	if (x->n_axes)
		w = inferred(m,
			     term_node(m, "Slice",
				       (struct wire *[]){w, ints(m, x->starts, x->n_axes), ints(m, x->stops, x->n_axes),
							 ints(m, x->axes, x->n_axes), ints(m, x->steps, x->n_axes)},
				       5, 0));
	if (m->b.rc || !x->reshapes)
		return w;
	for (size_t i = 0; i < list->n && n < 2 * TENSOR_MAX_RANK; i++)
		if (list->items[i].kind == TERM_NONE)
			dims[n++] = 1;
		else if (x->keeps[axis++])
			dims[n++] = w->type.dims[axis - 1];
	return reshaped(m, w, dims, n);
}

/* The shape that tensors have together. */
static int common_shape(struct meaning_maker *m, struct wire *const *w, size_t n, int64_t *dims)
{
	int rank = 0;

	for (size_t i = 0; i < n; i++)
		rank = w[i]->type.rank > rank ? w[i]->type.rank : rank;
	for (int d = 0; d < rank; d++)
		dims[d] = 1;
	for (size_t i = 0; i < n; i++)
		for (int d = 0; d < w[i]->type.rank; d++) {
			int64_t size = w[i]->type.dims[d], *to = &dims[rank - w[i]->type.rank + d];

			if (size != 1 && *to != 1 && size != *to)
				term_bad(m, "index: tensors of shapes that do not fit");
			*to = size != 1 ? size : *to;
		}
	return rank;
}

/* The tensors beside each other, along a new last axis, as GatherND reads them. */
static struct wire *index_tuples(struct meaning_maker *m, const struct numpy_index *x, int *rank)
{
	int64_t dims[TENSOR_MAX_RANK + 1];
	struct wire *parts[TENSOR_MAX_RANK], *w;

	*rank = common_shape(m, x->arrays, x->n_arrays, dims);
	dims[*rank] = 1;
	for (size_t i = 0; i < x->n_arrays; i++) {
		w = two(m, "Expand", cast(m, x->arrays[i], DT_INT64), ints(m, dims, (size_t)*rank));
		parts[i] = reshaped(m, w, dims, (size_t)*rank + 1);
	}
	w = term_node(m, "Concat", parts, (int)x->n_arrays, 0);
	if (!m->b.rc)
		build_int(&m->b, "axis", *rank);
	return inferred(m, w);
}

/* The axes of the tensors go to the front, and what they select comes back to the place of the first. */
static struct wire *take_arrays(struct meaning_maker *m, struct wire *w, const struct numpy_index *x)
{
	int64_t perm[2 * TENSOR_MAX_RANK];
	size_t n = 0, left = x->n_axes - x->n_arrays;
	struct wire *tuples;
	int rank;

	for (size_t i = 0; i < x->n_arrays; i++)
		perm[n++] = (int64_t)(x->first + i);
	for (size_t i = 0; i < x->n_axes; i++)
		if (i < x->first || i >= x->first + x->n_arrays)
			perm[n++] = (int64_t)i;
	w = transposed(m, w, perm, n);
	tuples = index_tuples(m, x, &rank);
	w = two(m, "GatherND", w, tuples);
	n = 0;
	for (size_t i = 0; i < x->first; i++)
		perm[n++] = rank + (int64_t)i;
	for (int i = 0; i < rank; i++)
		perm[n++] = i;
	for (size_t i = x->first; i < left; i++)
		perm[n++] = rank + (int64_t)i;
	return transposed(m, w, perm, n);
}

/* index(x, items) */
static struct proof_term index_of(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	const struct type *t = known_type(m, &a[0]);
	struct numpy_index x = {.first = 0};
	struct wire *w;

	(void)n;
	if (!t || a[1].kind != TERM_LIST)
		return term_bad(m, "index: a tensor and a list are wanted");
	if (take_items(m, &a[1], &x))
		return a[0];
	if (x.n_axes != (size_t)t->rank)
		return term_bad(m, "index: %zu items for %d axes", x.n_axes, t->rank);
	w = take_basic(m, a[0].wire, &a[1], &x);
	return term_wire(x.n_arrays && !m->b.rc ? take_arrays(m, w, &x) : w);
}

/* update(x, items, y, reduction): x with y at x[items], by the positions of all elements. */
static struct proof_term update(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	static const int64_t flat = -1;
	const struct type *t = known_type(m, &a[0]);
	int64_t count = 1;
	struct proof_term all, at;
	struct wire *w, *y;

	(void)n;
	for (int i = 0; t && i < t->rank; i++)
		count *= t->dims[i];
	all = term_list(m, t ? (size_t)count : 0);
	for (size_t i = 0; i < all.n; i++)
		all.items[i] = term_int((int64_t)i);
	if (!t || m->b.rc)
		return a[0];
	at = term_wire(reshaped(m, term_to_wire(m, &all, DT_INT64), t->dims, (size_t)t->rank));
	at = index_of(m, (struct proof_term[]){at, a[1]}, 2);
	y = term_to_wire(m, &a[2], t->dtype);
	if (m->b.rc)
		return a[0];
	if (y->type.rank > at.wire->type.rank)
		return term_bad(m, "update: %d axes for a part of %d", y->type.rank, at.wire->type.rank);
	y = two(m, "Expand", y, ints(m, at.wire->type.dims, (size_t)at.wire->type.rank));
	w = term_node(m, "ScatterElements",
		      (struct wire *[]){reshaped(m, a[0].wire, &flat, 1), reshaped(m, at.wire, &flat, 1),
					reshaped(m, y, &flat, 1)},
		      3, 0);
	term_attribute(m, "reduction", &a[3]);
	w = inferred(m, w);
	return term_wire(reshaped(m, w, t->dims, (size_t)t->rank));
}

/* pieces(x, at, axis): x cut at positions, or into `at` equal parts. */
static struct proof_term pieces(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	const struct type *t = known_type(m, &a[0]);
	int64_t axis = t ? place(&a[2], t->rank) : 0, size, parts, from = 0, to;
	struct proof_term list;

	(void)n;
	if (!t || axis < 0 || axis >= t->rank || (a[1].kind != TERM_LIST && a[1].i < 1))
		return term_bad(m, "pieces: a tensor, positions and one of its axes are wanted");
	size = t->dims[axis];
	parts = a[1].kind == TERM_LIST ? (int64_t)a[1].n + 1 : a[1].i;
	list = term_list(m, (size_t)parts);
	for (int64_t i = 0; i < (int64_t)list.n && !m->b.rc; i++) {
		to = a[1].kind != TERM_LIST ? size / parts * (i + 1) : i + 1 < parts ? a[1].items[i].i : size;
		list.items[i] = term_wire(inferred(m, term_node(m, "Slice",
								(struct wire *[]){a[0].wire, ints(m, &from, 1),
										  ints(m, &to, 1), ints(m, &axis, 1)},
								4, 0)));
		from = to;
	}
	return list;
}

/* ---- zeros between elements -------------------------------------------------------------------------------------- */

/* dilated(x, factors): f - 1 zeros between neighbours, for each of the last axes. */
static struct proof_term dilated(struct meaning_maker *m, const struct proof_term *a, size_t n)
{
	const struct type *t = known_type(m, &a[0]);
	int rank = t ? t->rank : 0, first = rank - (int)(a[1].kind == TERM_LIST ? a[1].n : 0);
	struct wire *w = a[0].wire;
	int64_t dims[TENSOR_MAX_RANK + 1], pads[2 * (TENSOR_MAX_RANK + 1)];

	(void)n;
	if (!t || first < 0)
		return term_bad(m, "dilated: a tensor and a factor for each of its last axes are wanted");
	for (int axis = first; axis < rank && !m->b.rc; axis++) {
		int64_t f = a[1].items[axis - first].i, size = w->type.dims[axis], zero = 0, whole = (size - 1) * f + 1;
		const int64_t at = axis;

		if (f == 1 || !size)
			continue;
		memcpy(dims, w->type.dims, sizeof *dims * (size_t)rank);
		memmove(dims + axis + 2, dims + axis + 1, sizeof *dims * (size_t)(rank - axis - 1));
		dims[axis + 1] = 1;
		memset(pads, 0, sizeof pads);
		pads[rank + 1 + axis + 1] = f - 1;
		w = two(m, "Pad", reshaped(m, w, dims, (size_t)rank + 1), ints(m, pads, 2 * ((size_t)rank + 1)));
		memmove(dims + axis + 1, dims + axis + 2, sizeof *dims * (size_t)(rank - axis - 1));
		dims[axis] = size * f;
		w = reshaped(m, w, dims, (size_t)rank);
		w = inferred(m, term_node(m, "Slice",
					  (struct wire *[]){w, ints(m, &zero, 1), ints(m, &whole, 1), ints(m, &at, 1)},
					  4, 0));
	}
	return term_wire(w);
}

static const struct {
	const char *name;
	size_t arguments;
	term_function *function;
} functions[] = {
	{"beside_jax", 2, beside_jax}, {"beside_numpy", 2, beside_numpy},
	{"column", 2, column},         {"swapped", 3, swapped},
	{"moved", 3, moved},           {"index", 2, index_of},
	{"update", 4, update},         {"pieces", 3, pieces},
	{"dilated", 2, dilated},
};

term_function *term_find_array(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name) && n == functions[i].arguments)
			return functions[i].function;
	return NULL;
}
