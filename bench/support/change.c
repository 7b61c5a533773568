/* change.c - see change.h: attributes, constants, sizes and element types. */
#include "support/change.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"

#define HUGE_DIM (INT64_C(1) << 40)
#define MAX_ELEMENTS 20000 /* of a tensor that was made larger */
#define TRIES 20

#define ONE_OF(r, list) (list)[rng_below(r, sizeof(list) / sizeof *(list))]

static int chance(struct rng *r, double p)
{
	return rng_unit(r) < p;
}

struct node *change_any_node(const struct model *m, struct rng *r)
{
	uint64_t n = 0, at;

	for (size_t g = 0; g < m->graphs.n; g++)
		n += m->graphs.at[g]->nodes.n;
	if (!n)
		return NULL;
	at = rng_below(r, n);
	for (size_t g = 0;; at -= m->graphs.at[g++]->nodes.n)
		if (at < m->graphs.at[g]->nodes.n)
			return m->graphs.at[g]->nodes.at[at];
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Mostly one off, at times an end of all there is. */
static int64_t moved_int(struct rng *r, int64_t x)
{
	static const int64_t ends[] = {INT64_MIN, INT64_MAX, INT32_MAX, INT64_C(1) << 31, INT32_MIN, 100000};
	uint64_t u = (uint64_t)x;

	switch (rng_below(r, 9)) {
	case 0:
		return 0;
	case 1:
		return -1;
	case 2:
		return 1;
	case 3:
	case 4:
		return (int64_t)(u + 1);
	case 5:
		return (int64_t)(u - 1);
	case 6:
		return (int64_t)(0 - u);
	case 7:
		return (int64_t)(2 * u);
	default:
		return ONE_OF(r, ends);
	}
}

static double moved_float(struct rng *r, double x)
{
	const double all[] = {0,   1,        -1,        -x,  2 * x, x / 2, x + 1, 1e-3, 1000, dtype_smallest(DT_FLOAT),
			      NAN, INFINITY, -INFINITY, 3e38};

	return ONE_OF(r, all);
}

/* The numbers of `from`, over and over, under other dimensions: wide. */
struct tensor *change_resized(struct tensor *from, enum dtype t, int rank, const int64_t *dims, struct err *e)
{
	struct tensor *wide = tensor_widen(from, e), *y = wide ? tensor_zeros(t, rank, dims, e) : NULL;
	size_t size = dtype_wide_size(t);

	for (size_t i = 0; y && i < y->count && wide->count && dtype_wide(t) == dtype_wide(wide->dtype); i++)
		if (dtype_wide(t) == WIDE_STR)
			tensor_set_string(y, i, wide->s[i % wide->count].p, wide->s[i % wide->count].n, e);
		else
			memcpy((char *)y->data + i * size, (char *)wide->data + i % wide->count * size, size);
	tensor_unref(wide);
	if (y)
		tensor_round(y);
	return y;
}

/* Some elements, or all of them, are others: packed. */
static struct tensor *moved_tensor(struct rng *r, struct tensor *from, struct err *e)
{
	struct tensor *y = change_resized(from, from->dtype, from->rank, from->dims, e), *packed;
	size_t first = y && y->count ? rng_below(r, y->count) : 0, n = chance(r, 0.6) ? 1 : SIZE_MAX;

	for (size_t i = first; y && i < y->count && i - first < n; i++)
		if (dtype_wide(y->dtype) == WIDE_F64)
			y->f[i] = moved_float(r, y->f[i]);
		else if (dtype_wide(y->dtype) == WIDE_I64)
			y->i[i] = moved_int(r, y->i[i]);
		else if (dtype_wide(y->dtype) == WIDE_STR)
			tensor_set_string(y, i, "\xff\0%s", 4, e);
	packed = y ? tensor_pack(y, e) : NULL;
	tensor_unref(y);
	return packed;
}

static int change_constant(struct model *m, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		struct graph *g = m->graphs.at[rng_below(r, m->graphs.n)];
		struct wire *w = g->wires.n ? g->wires.at[rng_below(r, g->wires.n)] : NULL;
		struct err e = ERR_INIT;
		struct tensor *t = w && w->init && w->init->count < MAX_ELEMENTS ? moved_tensor(r, w->init, &e) : NULL;

		if (t)
			return !graph_set_init(w, t, &e);
	}
	return 0;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static const char *const words[] = {"",           "NOTSET",  "SAME_UPPER", "SAME_LOWER", "VALID",  "constant",
				    "reflect",    "edge",    "wrap",       "nearest",    "linear", "cubic",
				    "bilinear",   "floor",   "forward",    "reverse",    "none",   "sum",
				    "mean",       "add",     "mul",        "max",        "min",    "tanh",
				    "asymmetric", "bicubic", "DCR",        "\xc3\xa9"};

static int change_list(struct node *n, const struct attr *a, struct rng *r)
{
	size_t count = a->n, at = count ? rng_below(r, count) : 0;
	int64_t *ints = mem_array(count + 1, sizeof *ints);
	double *floats = mem_array(count + 1, sizeof *floats);
	struct err e = ERR_INIT;
	int rc = -1;

	for (size_t i = 0; i < count && ints && floats; i++) {
		ints[i] = a->type == ATTR_INTS ? a->ints[i] : 0;
		floats[i] = a->type == ATTR_FLOATS ? a->floats[i] : 0;
	}
	if (ints && floats) {
		ints[at] = moved_int(r, count ? ints[at] : 0);
		floats[at] = moved_float(r, count ? floats[at] : 0);
		count = chance(r, 0.1) ? count + 1 : count && chance(r, 0.1) ? count - 1 : count;
		rc = a->type == ATTR_INTS ? node_set_ints(n, a->name, ints, count, &e)
					  : node_set_floats(n, a->name, floats, count, &e);
	}
	mem_free(ints);
	mem_free(floats);
	return !rc;
}

static int change_one_attribute(struct node *n, const struct attr *a, struct rng *r)
{
	struct err e = ERR_INIT;
	struct tensor *t;

	if (a->type != ATTR_GRAPH && chance(r, 0.1)) {
		node_remove_attr(n, a->name);
		return 1;
	}
	switch (a->type) {
	case ATTR_INT:
		return !node_set_int(n, a->name, moved_int(r, a->i), &e);
	case ATTR_FLOAT:
		return !node_set_float(n, a->name, (double)(float)moved_float(r, a->f), &e);
	case ATTR_STRING:
		return !node_set_string(n, a->name, ONE_OF(r, words), &e);
	case ATTR_INTS:
	case ATTR_FLOATS:
		return change_list(n, a, r);
	case ATTR_TENSOR:
		t = moved_tensor(r, a->t, &e);
		return t && !node_set_tensor(n, a->name, t, &e);
	default:
		return 0;
	}
}

static int change_attribute(struct model *m, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		struct node *n = change_any_node(m, r);

		if (n && n->n_attrs && change_one_attribute(n, &n->attrs[rng_below(r, (uint64_t)n->n_attrs)], r))
			return 1;
	}
	return 0;
}

/* An attribute that the node leaves out, near its default. */
static int change_default(struct model *m, struct rng *r)
{
	struct err e = ERR_INIT;

	for (int i = 0; i < TRIES; i++) {
		struct node *n = change_any_node(m, r);
		const struct op_attr *attrs = n && n->op ? n->op->attrs : NULL, *a;
		size_t count = 0;

		while (attrs && attrs[count].name)
			count++;
		if (!count)
			continue;
		a = &attrs[rng_below(r, count)];
		if (node_has(n, a->name))
			continue;
		if (a->type == ATTR_INT)
			return !node_set_int(n, a->name, moved_int(r, (int64_t)a->number), &e);
		if (a->type == ATTR_FLOAT)
			return !node_set_float(n, a->name, (double)(float)moved_float(r, a->number), &e);
		if (a->type == ATTR_STRING)
			return !node_set_string(n, a->name, a->text ? a->text : ONE_OF(r, words), &e);
	}
	return 0;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Dimensions of a tensor that leads in, or NULL. */
static const int64_t *dims_of(const struct wire *w, int *rank)
{
	if (!w->init && !(w->is_input && type_is_static(&w->type)))
		return NULL;
	*rank = w->init ? w->init->rank : w->type.rank;
	return w->init ? w->init->dims : w->type.dims;
}

static int set_dims(struct wire *w, int rank, const int64_t *dims)
{
	struct err e = ERR_INIT;
	struct tensor *wide, *packed;
	size_t count;

	if (tensor_shape_count(rank, dims, &count, &e) || count > MAX_ELEMENTS)
		return 0;
	if (w->is_input)
		type_set(&w->type, w->type.dtype, rank, dims);
	if (!w->init)
		return 1;
	wide = change_resized(w->init, w->init->dtype, rank, dims, &e);
	packed = wide ? tensor_pack(wide, &e) : NULL;
	tensor_unref(wide);
	if (!packed)
		return 0;
	type_set(&w->type, packed->dtype, rank, dims);
	return !graph_set_init(w, packed, &e);
}

/* All dimensions of one size, so that they still fit together; vectors of integers hold sizes and axes. */
static int replace_size(struct graph *g, int64_t from, int64_t to)
{
	int made = 0;

	for (size_t i = 0; i < g->wires.n; i++) {
		struct wire *w = g->wires.at[i];
		int64_t dims[TENSOR_MAX_RANK];
		int rank = 0, any = 0;
		const int64_t *had = dims_of(w, &rank);

		if (had && rank == 1 && w->init && dtype_is_int(w->init->dtype))
			continue;
		for (int d = 0; d < rank; d++) {
			dims[d] = had[d] == from ? to : had[d];
			any |= had[d] == from;
		}
		made |= any && set_dims(w, rank, dims);
	}
	return made;
}

static struct wire *any_shaped(struct model *m, struct rng *r, int *rank, const int64_t **dims)
{
	struct graph *g = m->graph;

	for (int i = 0; i < TRIES && g->wires.n; i++) {
		struct wire *w = g->wires.at[rng_below(r, g->wires.n)];

		*dims = dims_of(w, rank);
		if (*dims && *rank > 0)
			return w;
	}
	return NULL;
}

static int change_size(struct model *m, struct rng *r)
{
	const int64_t *dims;
	int64_t from;
	int rank;

	if (!any_shaped(m, r, &rank, &dims))
		return 0;
	from = dims[rng_below(r, (uint64_t)rank)];
	if (from < 0 || from > INT32_MAX)
		return 0;
	{
		const int64_t to[] = {0, 1, from + 1, from + 1, from > 1 ? from - 1 : 1, 2 * from, 7};

		return replace_size(m->graph, from, ONE_OF(r, to));
	}
}

/* One tensor alone: a dimension more or less, a dimension of 0 or 1, one beyond all bounds beside one of 0. */
static int change_shape(struct model *m, struct rng *r)
{
	const int64_t *had;
	int64_t dims[TENSOR_MAX_RANK + 1];
	int rank, at;
	struct wire *w = any_shaped(m, r, &rank, &had);

	if (!w)
		return 0;
	memcpy(dims + 1, had, (size_t)rank * sizeof *dims);
	dims[0] = 1;
	at = 1 + (int)rng_below(r, (uint64_t)rank);
	switch (rng_below(r, 5)) {
	case 0:
		return rank < TENSOR_MAX_RANK && set_dims(w, rank + 1, dims);
	case 1:
		return set_dims(w, rank - 1, dims + 2);
	case 2:
		dims[at] = 0;
		dims[1 + (int)rng_below(r, (uint64_t)rank)] = HUGE_DIM;
		break;
	default:
		dims[at] = (int64_t)rng_below(r, 2);
		break;
	}
	return set_dims(w, rank, dims + 1);
}

/* What an input leaves open: a dimension, its name, all of them. */
static int change_declared(struct model *m, struct rng *r)
{
	struct graph *g = m->graph;
	struct wire *w = g->inputs.n ? g->inputs.at[rng_below(r, g->inputs.n)] : NULL;
	int64_t symbol = model_symbol(m, "N");

	if (!w || w->init || w->type.kind != VALUE_TENSOR || w->type.rank < 1)
		return 0;
	if (chance(r, 0.2))
		w->type.rank = -1;
	else
		w->type.dims[rng_below(r, (uint64_t)w->type.rank)] = chance(r, 0.5) ? symbol : DIM_UNKNOWN;
	return 1;
}

/* ---- element types ----------------------------------------------------------------------------------------------- */

static int retype(struct wire *w, enum dtype from, enum dtype to)
{
	struct err e = ERR_INIT;
	struct tensor *wide, *packed;

	if (w->init && w->init->dtype == from) {
		wide = change_resized(w->init, to, w->init->rank, w->init->dims, &e);
		packed = wide ? tensor_pack(wide, &e) : NULL;
		tensor_unref(wide);
		if (packed)
			type_set(&w->type, to, packed->rank, packed->dims);
		return packed && !graph_set_init(w, packed, &e);
	}
	if (w->producer || w->type.dtype != from)
		return 0;
	w->type.dtype = to;
	w->type.elem = NULL;
	return 1;
}

/* Numbers of types among attributes: `to` of Cast, say. */
static void retype_attributes(struct node *n, enum dtype from, enum dtype to)
{
	struct err e = ERR_INIT;

	for (int i = 0; i < n->n_attrs; i++) {
		struct attr *a = &n->attrs[i];
		struct tensor *wide, *packed;

		if (a->type == ATTR_INT && a->i == (int64_t)from && (!strcmp(a->name, "to") || strstr(a->name, "type")))
			a->i = to;
		if (a->type != ATTR_TENSOR || a->t->dtype != from)
			continue;
		wide = change_resized(a->t, to, a->t->rank, a->t->dims, &e);
		packed = wide ? tensor_pack(wide, &e) : NULL;
		tensor_unref(wide);
		if (packed)
			node_set_tensor(n, a->name, packed, &e);
	}
}

/* All tensors of a type at once, so that they still fit together. */
static int change_types(struct model *m, struct rng *r)
{
	static const enum dtype floats[] = {DT_FLOAT, DT_DOUBLE, DT_FLOAT16, DT_BFLOAT16},
				ints[] = {DT_INT32, DT_INT64, DT_INT8, DT_UINT8, DT_INT16, DT_UINT64, DT_BOOL};
	int integers = chance(r, 0.2), made = 0;
	enum dtype from = integers         ? ONE_OF(r, ints)
			  : chance(r, 0.7) ? DT_FLOAT
					   : ONE_OF(r, floats),
		   to = integers ? ONE_OF(r, ints) : ONE_OF(r, floats);

	if (from == to)
		return 0;
	for (size_t g = 0; g < m->graphs.n; g++) {
		struct graph *at = m->graphs.at[g];

		for (size_t i = 0; i < at->wires.n; i++)
			made |= retype(at->wires.at[i], from, to);
		for (size_t i = 0; i < at->nodes.n && made; i++)
			retype_attributes(at->nodes.at[i], from, to);
	}
	return made;
}

const struct change change_values[] = {
	{"attribute", change_attribute, 8}, {"default", change_default, 4},
	{"constant", change_constant, 6},   {"size", change_size, 6},
	{"shape", change_shape, 2},         {"declared", change_declared, 3},
	{"types", change_types, 4},         {.name = NULL},
};

/* ---- any --------------------------------------------------------------------------------------------------------- */

static const struct change *draw(struct rng *r)
{
	const struct change *const lists[] = {change_values, change_edges};
	uint64_t sum = 0, at;

	for (size_t i = 0; i < 2; i++)
		for (const struct change *c = lists[i]; c->name; c++)
			sum += c->weight;
	at = rng_below(r, sum);
	for (const struct change *c = lists[0];; c++) {
		if (!c->name)
			c = lists[1];
		if (at < c->weight)
			return c;
		at -= c->weight;
	}
}

const char *change_once(struct model *m, struct rng *r)
{
	for (int i = 0; i < TRIES; i++) {
		const struct change *c = draw(r);

		if (c->make(m, r))
			return c->name;
	}
	return NULL;
}

void change_forget_types(struct model *m)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->wires.n; i++)
			if (m->graphs.at[g]->wires.at[i]->producer)
				m->graphs.at[g]->wires.at[i]->type = (struct type)TYPE_INIT;
}
