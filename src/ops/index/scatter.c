/* scatter.c - Scatter, ScatterElements, ScatterND, TensorScatter: a copy of a tensor with some elements updated.
 *
 * Each operator first says where every element of `updates` goes; the rest is shared.  Updates happen in row-major
 * order, y[pos[k]] = f(y[pos[k]], u[k]), f one of: the second (none), +, *, max, min.  Where indices repeat without a
 * reduction the specification leaves the result open; here the last one stays. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ops/index/gather.h"
#include "ops/index/samplers.h"
#include "ops/kit/dims.h"
#include "ops/kit/domain.h"
#include "ops/kit/move.h"

enum scatter_reduction { REDUCE_NONE, REDUCE_ADD, REDUCE_MUL, REDUCE_MAX, REDUCE_MIN };

/* Where updates go. */
struct scatter {
	struct call *c;
	const struct tensor *data, *updates;
	int updates_in; /* the input they are */
	size_t *pos;    /* [updates->count] */
	enum scatter_reduction reduction;
};

typedef int positions_fn(struct scatter *s);

static int read_reduction(struct call *c, enum scatter_reduction *r)
{
	static const char *const names[] = {"none", "add", "mul", "max", "min"};
	int has = c->version >= 16 && attr_default(c->node, "reduction"); /* not in TensorScatter */
	const char *name = has ? attr_string(c->node, "reduction") : "none";
	enum wide w = dtype_wide(c->in_type[0].dtype);

	*r = REDUCE_NONE;
	for (int i = 0; i < 5; i++)
		if (!strcmp(name, names[i]))
			*r = (enum scatter_reduction)i;
	if (*r == REDUCE_NONE && strcmp(name, "none"))
		return call_bad(c, "reduction '%s' is not known", name);
	if (*r != REDUCE_NONE && (w == WIDE_STR || w == WIDE_C64))
		return call_unsupported(c, "reduction '%s' of %s", name, dtype_name(c->in_type[0].dtype));
	if (*r > REDUCE_MUL && c->version < 18) /* an exporter writes it, and libraries take it */
		return call_complain(c, "reduction '%s' came with opset 18", name);
	return 0;
}

static int scatter_begin(struct scatter *s, struct call *c, int updates_in, positions_fn *positions)
{
	int rc = read_reduction(c, &s->reduction);

	if (rc)
		return rc;
	s->c = c;
	s->data = c->in[0];
	s->updates = c->in[updates_in];
	s->updates_in = updates_in;
	s->pos = call_scratch(c, s->updates->count, sizeof *s->pos);
	return s->pos ? positions(s) : c->err->code;
}

/* ---- updating ---------------------------------------------------------------------------------------------------- */

static double reduce_f(enum scatter_reduction r, double y, double u)
{
	if (r == REDUCE_ADD)
		return y + u;
	if (r == REDUCE_MUL)
		return y * u;
	if (r == REDUCE_NONE)
		return u;
	if (isnan(y) || isnan(u))
		return NAN;
	return (r == REDUCE_MAX) == (u > y) ? u : y;
}

static int64_t reduce_i(enum scatter_reduction r, enum dtype t, int64_t y, int64_t u)
{
	int greater = t == DT_UINT64 ? (uint64_t)u > (uint64_t)y : u > y;

	if (r == REDUCE_NONE)
		return u;
	if (t == DT_BOOL && (r == REDUCE_ADD || r == REDUCE_MUL)) /* or, and: as numpy adds and multiplies truth */
		return r == REDUCE_ADD ? y | u : y & u;
	if (r == REDUCE_ADD)
		return (int64_t)((uint64_t)y + (uint64_t)u);
	if (r == REDUCE_MUL)
		return (int64_t)((uint64_t)y * (uint64_t)u);
	return (r == REDUCE_MAX) == greater ? u : y;
}

static int copy_data(struct mover *m)
{
	return move_run(m, 0, 0, 0, 0, m->c->in[0]->count);
}

/* Strings and complex numbers, which know no reduction. */
static int scatter_other(const struct scatter *s)
{
	struct tensor *y = s->c->out[0];
	int rc = 0;

	for (size_t k = 0; k < s->updates->count && !rc; k++)
		if (dtype_wide(y->dtype) == WIDE_STR)
			rc = tensor_set_string(y, s->pos[k], s->updates->s[k].p, s->updates->s[k].n, s->c->err);
		else
			memcpy(y->f + 2 * s->pos[k], s->updates->f + 2 * k, 2 * sizeof *y->f);
	return rc;
}

static int scatter_eval(struct call *c, int updates_in, positions_fn *positions)
{
	struct tensor *y = c->out[0];
	struct scatter s;
	int rc;

	if ((rc = scatter_begin(&s, c, updates_in, positions)) || (rc = move_eval(c, copy_data)))
		return rc;
	if (dtype_wide(y->dtype) == WIDE_F64)
		for (size_t k = 0; k < s.updates->count; k++)
			y->f[s.pos[k]] = reduce_f(s.reduction, y->f[s.pos[k]], s.updates->f[k]);
	else if (dtype_wide(y->dtype) == WIDE_I64)
		for (size_t k = 0; k < s.updates->count; k++)
			y->i[s.pos[k]] = reduce_i(s.reduction, y->dtype, y->i[s.pos[k]], s.updates->i[k]);
	else
		rc = scatter_other(&s);
	return rc;
}

/* The updates run backwards: g[p] is the gradient with respect to y[p] as it was after update k.  before[k] is
 * y[pos[k]] as it was before it. */
static int scatter_grad(struct call *c, int updates_in, positions_fn *positions)
{
	size_t n_data = c->in[0]->count, n;
	double *g, *before, *y;
	struct scatter s;
	int rc;

	if (!c->out_grad[0])
		return 0;
	if ((rc = scatter_begin(&s, c, updates_in, positions)))
		return rc;
	n = s.updates->count;
	if (!(g = call_scratch(c, n_data, sizeof *g)) || !(y = call_scratch(c, n_data, sizeof *y)) ||
	    !(before = call_scratch(c, n, sizeof *before)))
		return c->err->code;
	memcpy(g, c->out_grad[0]->f, n_data * sizeof *g);
	memcpy(y, s.data->f, n_data * sizeof *y);
	for (size_t k = 0; k < n; k++) {
		before[k] = y[s.pos[k]];
		y[s.pos[k]] = reduce_f(s.reduction, before[k], s.updates->f[k]);
	}
	for (size_t k = n; k-- > 0;) {
		double u = s.updates->f[k], *gy = &g[s.pos[k]], gu = *gy;
		int takes = s.reduction == REDUCE_NONE || reduce_f(s.reduction, before[k], u) != before[k];

		if (s.reduction == REDUCE_MUL) {
			gu = *gy * before[k];
			*gy *= u;
		} else if (s.reduction != REDUCE_ADD) {
			gu = takes ? *gy : 0;
			*gy = takes ? 0 : *gy;
		}
		if (c->in_grad[updates_in])
			c->in_grad[updates_in]->f[k] += gu;
	}
	for (size_t i = 0; c->in_grad[0] && i < n_data; i++)
		c->in_grad[0]->f[i] += g[i];
	return 0;
}

/* Sums: Σ|terms| times the growth with their number; products: |y| for each factor; else nothing is rounded. */
static int scatter_scale(struct call *c, int updates_in, positions_fn *positions, double *scale)
{
	size_t n_data = c->in[0]->count;
	struct scatter s;
	double *terms;
	int rc;

	if ((rc = scatter_begin(&s, c, updates_in, positions)))
		return rc;
	if (!(terms = call_scratch(c, n_data, sizeof *terms)))
		return c->err->code;
	memset(scale, 0, n_data * sizeof *scale);
	if (s.reduction != REDUCE_ADD && s.reduction != REDUCE_MUL)
		return 0;
	for (size_t k = 0; k < s.updates->count; k++) {
		size_t p = s.pos[k];

		if (terms[p]++ == 0)
			scale[p] = fabs(s.data->f[p]);
		scale[p] = reduce_f(s.reduction, scale[p], fabs(s.updates->f[k]));
	}
	for (size_t p = 0; p < n_data; p++)
		scale[p] *= s.reduction == REDUCE_ADD ? noise_growth(terms[p] + 1) : terms[p];
	return 0;
}

/* The three functions of an operator from its <id>_positions. */
#define SCATTER_DEFINE(id, updates_in)                                  \
	static int id##_eval(struct call *c)                            \
	{                                                               \
		return scatter_eval(c, updates_in, id##_positions);     \
	}                                                               \
	static int id##_grad(struct call *c)                            \
	{                                                               \
		return scatter_grad(c, updates_in, id##_positions);     \
	}                                                               \
	static int id##_scale(struct call *c, int out, double *s)       \
	{                                                               \
		(void)out;                                              \
		return scatter_scale(c, updates_in, id##_positions, s); \
	}
#define SCATTER_FUNCTIONS(id) .eval = id##_eval, .grad = id##_grad, .scale = id##_scale

/* ---- what is left open ------------------------------------------------------------------------------------------- */

/* Where element k of the updates goes, as row-major numbers with indices that count from either end; NOWHERE where the
 * shapes do not fit.  Those, and what is out of range, are refused elsewhere, but calls of equiv may have them. */
#define NOWHERE SIZE_MAX
typedef size_t place_fn(const struct node *n, const struct tensor *data, const struct tensor *index, size_t k);

static size_t wrapped(double i, int64_t dim)
{
	return (size_t)(i < 0 ? i + (double)dim : i);
}

static size_t place_of_element(const struct node *n, const struct tensor *data, const struct tensor *index, size_t k)
{
	int64_t axis = attr_int(n, "axis");
	size_t at = 0, stride = 1, rest = k;

	if (index->rank != data->rank || k >= index->count)
		return NOWHERE;
	axis += axis < 0 ? data->rank : 0;
	for (int a = data->rank - 1; a >= 0; a--) {
		size_t i = rest % (size_t)index->dims[a];

		rest /= (size_t)index->dims[a];
		at += stride * (a == axis ? wrapped(tensor_get(index, k), data->dims[a]) : i);
		stride *= (size_t)data->dims[a];
	}
	return at;
}

static size_t place_of_row(const struct node *n, const struct tensor *data, const struct tensor *index, size_t k)
{
	size_t depth = index->rank > 0 ? (size_t)index->dims[index->rank - 1] : SIZE_MAX, run, at = 0;

	(void)n;
	run = depth <= (size_t)data->rank ? dims_product(data->dims, (int)depth, data->rank) : 0;
	if (!run || k / run * depth + depth > index->count)
		return NOWHERE;
	for (size_t a = 0; a < depth; a++)
		at = at * (size_t)data->dims[a] + wrapped(tensor_get(index, k / run * depth + a), data->dims[a]);
	return at * run + k % run;
}

static int repeats(const struct node *n, const struct tensor *const *in, place_fn *place)
{
	char *taken = in[0] && in[1] && in[2] ? mem_array(in[0]->count, 1) : NULL;
	int again = 0;

	for (size_t k = 0; taken && k < in[2]->count && !again; k++) {
		size_t at = place(n, in[0], in[1], k);

		again = at < in[0]->count && taken[at]++;
	}
	mem_free(taken);
	return again && !strcmp(attr_string(n, "reduction"), "none");
}

static int scatter_repeats(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	return repeats(n, in, r->port ? place_of_row : place_of_element);
}

static int scatter_orders_nan(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	return attr_string(n, "reduction")[0] == 'm' && strcmp(attr_string(n, "reduction"), "mul") != 0 &&
	       domain_has_nan(n, in, r);
}

/* rows: indices are rows of numbers, as those of ScatterND are. */
#define SCATTER_RULES(rows)                                                                          \
	RULES({.broken = scatter_repeats, .port = rows, .open = "two updates go to the same place"}, \
	      {.broken = scatter_orders_nan, .open = "NaN is among numbers that are ordered"})

/* ---- ScatterElements, Scatter ------------------------------------------------------------------------------------ */

static int scatter_elements_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *index = call_shape(c, 1), *u = call_shape(c, 2);
	enum scatter_reduction r;
	int axis, rc;

	if ((rc = read_reduction(c, &r)))
		return rc;
	if (index && u && index->rank != u->rank)
		return call_bad(c, "indices have rank %d, updates %d", index->rank, u->rank);
	for (int a = 0; index && u && a < u->rank; a++) {
		int64_t d = index->dims[a];

		if ((rc = dim_unify(c, &d, u->dims[a], "a dimension of updates")))
			return rc;
	}
	if (x && index && x->rank != index->rank)
		return call_bad(c, "data has rank %d, indices %d", x->rank, index->rank);
	if (x && (rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	for (int a = 0; x && index && a < x->rank; a++)
		if (a != axis && dim_known(x->dims[a]) && index->dims[a] > x->dims[a])
			return call_bad(c, "dimension %d is %" PRId64 " in indices but %" PRId64 " in data", a,
					index->dims[a], x->dims[a]);
	call_out_like(c, 0, 0);
	return 0;
}

static int scatter_elements_positions(struct scatter *s)
{
	int axis, rc = call_axis(s->c, attr_int(s->c->node, "axis"), s->data->rank, &axis);

	return rc ? rc : gather_element_positions(s->c, s->data, s->c->in[1], axis, s->pos);
}
SCATTER_DEFINE(scatter_elements, 2)

static const struct op_attr scatter_elements_attrs[] = {OP_INT("axis", 0), OP_STRING("reduction", "none"), {0}};

const struct op op_scatter_elements = {
	.samples = SAMPLES({.by = &sampler_scatter_elements}),
	.rules = SCATTER_RULES(0),
	.in = {{"data", T_ANY, 'T', 0}, {"indices", T_INDEX, 0, 0}, {"updates", T_ANY, 'T', 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = scatter_elements_attrs,
	.infer = scatter_elements_infer,
	SCATTER_FUNCTIONS(scatter_elements),
};

const struct op op_scatter = {
	.samples = SAMPLES({.by = &sampler_scatter}),
	.rules = SCATTER_RULES(0),
	.in = {{"data", T_ANY, 'T', 0}, {"indices", T_INDEX, 0, 0}, {"updates", T_ANY, 'T', 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = scatter_elements_attrs,
	.infer = scatter_elements_infer,
	SCATTER_FUNCTIONS(scatter_elements),
};

/* ---- ScatterND --------------------------------------------------------------------------------------------------- */

/* updates: indices' dims but the last, then data's dims behind the axes that the indices name. */
static int scatter_nd_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *index = call_shape(c, 1), *u = call_shape(c, 2);
	enum scatter_reduction r;
	int rc, q, depth;

	if ((rc = read_reduction(c, &r)))
		return rc;
	call_out_like(c, 0, 0);
	if (!x || !index || !u || (index->rank && !dim_known(index->dims[index->rank - 1])))
		return 0;
	if (x->rank < 1 || index->rank < 1 || index->dims[index->rank - 1] < 1 ||
	    index->dims[index->rank - 1] > x->rank)
		return call_bad(c, "indices of rank %d do not name axes of data of rank %d", index->rank, x->rank);
	q = index->rank - 1;
	depth = (int)index->dims[q];
	if (u->rank != q + x->rank - depth)
		return call_bad(c, "updates have rank %d, wanted %d", u->rank, q + x->rank - depth);
	for (int a = 0; a < u->rank; a++) {
		int64_t d = a < q ? index->dims[a] : x->dims[a - q + depth];

		if ((rc = dim_unify(c, &d, u->dims[a], "a dimension of updates")))
			return rc;
	}
	return 0;
}

static int scatter_nd_positions(struct scatter *s)
{
	const struct tensor *index = s->c->in[1];
	int depth = (int)index->dims[index->rank - 1];
	size_t rows = index->count / (size_t)depth, run = dims_product(s->data->dims, depth, s->data->rank);

	for (size_t i = 0; i < rows; i++) {
		size_t at;
		int rc = gather_nd_position(s->c, s->data, 0, index->i + i * (size_t)depth, depth, &at);

		if (rc)
			return rc;
		for (size_t j = 0; j < run; j++)
			s->pos[i * run + j] = at + j;
	}
	return 0;
}
SCATTER_DEFINE(scatter_nd, 2)

static const struct op_attr scatter_nd_attrs[] = {OP_STRING("reduction", "none"), {0}};

const struct op op_scatter_nd = {
	.samples = SAMPLES({.by = &sampler_scatter_nd}),
	.rules = SCATTER_RULES(1),
	.in = {{"data", T_ANY, 'T', 0}, {"indices", T_I64, 0, 0}, {"updates", T_ANY, 'T', 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = scatter_nd_attrs,
	.infer = scatter_nd_infer,
	SCATTER_FUNCTIONS(scatter_nd),
};

/* ---- TensorScatter ----------------------------------------------------------------------------------------------- */

static int cache_axis(struct call *c, int rank, int *axis)
{
	int rc = call_axis(c, attr_int(c->node, "axis"), rank, axis);

	return !rc && *axis == 0 ? call_bad(c, "axis 0 is the batch, not the sequence") : rc;
}

static int cache_mode(struct call *c, int *circular)
{
	const char *mode = attr_string(c->node, "mode");

	*circular = !strcmp(mode, "circular");
	return *circular || !strcmp(mode, "linear") ? 0 : call_bad(c, "mode '%s' is not known", mode);
}

static int tensor_scatter_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0), *u = call_shape(c, 1), *at = call_shape(c, 2);
	int axis, circular, rc;

	if ((rc = cache_mode(c, &circular)))
		return rc;
	call_out_like(c, 0, 0);
	if (at && at->rank != 1)
		return call_bad(c, "write_indices have rank %d, wanted 1", at->rank);
	if (!x || !u)
		return 0;
	if (x->rank != u->rank)
		return call_bad(c, "the cache has rank %d, the update %d", x->rank, u->rank);
	if ((rc = cache_axis(c, x->rank, &axis)))
		return rc;
	for (int a = 0; a < x->rank; a++) {
		int64_t d = x->dims[a];

		if (a != axis && (rc = dim_unify(c, &d, u->dims[a], "a dimension of update")))
			return rc;
		if (a == axis && dim_known(d) && u->dims[a] > d)
			return call_bad(c, "an update of %" PRId64 " steps for a cache of %" PRId64, u->dims[a], d);
		if (a == 0 && at && (rc = dim_unify(c, &d, at->dims[0], "the length of write_indices")))
			return rc;
	}
	return 0;
}

/* present[prefix, w + t, rest] = update[prefix, t, rest], w = write_indices[batch] */
static int tensor_scatter_positions(struct scatter *s)
{
	const struct tensor *x = s->data, *u = s->updates;
	const int64_t *write = call_has(s->c, 2) ? s->c->in[2]->i : NULL;
	int axis, circular, rc;
	int64_t room, steps;
	size_t prefixes, rest, k = 0;

	if ((rc = cache_axis(s->c, x->rank, &axis)) || (rc = cache_mode(s->c, &circular)))
		return rc;
	room = x->dims[axis];
	steps = u->dims[axis];
	prefixes = dims_product(x->dims, 0, axis);
	rest = dims_product(x->dims, axis + 1, x->rank);
	for (size_t p = 0; p < prefixes && room; p++) {
		int64_t w = write ? write[p / (prefixes / (size_t)x->dims[0])] : 0;

		if (circular)
			w = (w % room + room) % room;
		else if (w < 0 || w > room - steps)
			return call_bad(s->c, "%" PRId64 " steps at %" PRId64 " leave a cache of %" PRId64, steps, w,
					room);
		for (int64_t t = 0; t < steps; t++)
			for (size_t r = 0; r < rest; r++)
				s->pos[k++] = (p * (size_t)room + (size_t)((w + t) % room)) * rest + r;
	}
	return 0;
}
SCATTER_DEFINE(tensor_scatter, 1)

static const struct op_attr tensor_scatter_attrs[] = {OP_INT("axis", -2), OP_STRING("mode", "linear"), {0}};

const struct op op_tensor_scatter = {
	.samples = SAMPLES({.by = &sampler_tensor_scatter}),
	.in = {{"past_cache", T_ANY, 'T', 0}, {"update", T_ANY, 'T', 0}, {"write_indices", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"present_cache", T_ANY, 'T', 0}},
	.attrs = tensor_scatter_attrs,
	.infer = tensor_scatter_infer,
	SCATTER_FUNCTIONS(tensor_scatter),
};
