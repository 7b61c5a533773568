/* reduce.c - the driver of all Reduce* operators: axes, shapes, lines.
 *
 *     y[outer indices] = f(x[outer indices, all indices along the axes])
 *
 * Versions: the axes are an attribute up to 12 (ReduceSum) or 17 (others), then input 1, with noop_with_empty_axes.
 * Without axes everything is reduced, or, with noop_with_empty_axes, every element is a line of its own: the other
 * steps of the operator (squaring, logarithm …) still happen. */
#include "ops/reduce/reduce.h"

#include <math.h>

#include "ops/kit/dims.h"

/* Bit mask of the axes of an input of known rank; *known is 0 when they come from an input whose value is not known. */
static int axes_mask(struct call *c, const struct reduce_line *r, int rank, uint32_t *mask, int *known)
{
	int by_input = c->version >= r->axes_input_since, axis;
	const int64_t *list = NULL;
	enum ints_found found;
	size_t n = 0;
	int rc = !by_input && call_has(c, 1)
			 ? call_bad(c, "axes are an attribute before version %d, and no input", r->axes_input_since)
			 : call_ints(c, by_input ? NULL : "axes", by_input ? 1 : -1, &list, &n, &found);

	if (rc)
		return rc;
	*known = found != INTS_UNKNOWN;
	*mask = 0;
	for (size_t i = 0; i < n; i++) {
		rc = call_axis(c, list[i], rank, &axis);
		if (rc)
			return rc;
		*mask |= UINT32_C(1) << axis;
	}
	if (!n && !(by_input && attr_int(c->node, "noop_with_empty_axes")))
		*mask = dims_first(rank);
	return 0;
}

void reduce_out(struct call *c, enum dtype t, uint32_t axes, int keepdims)
{
	const struct type *x = &c->in_type[0];
	int64_t dims[TENSOR_MAX_RANK];
	int rank = 0;

	for (int i = 0; i < x->rank; i++) {
		if (!(axes >> i & 1))
			dims[rank++] = x->dims[i];
		else if (keepdims)
			dims[rank++] = 1;
	}
	call_out(c, 0, t, rank, dims);
}

/* Rank of the output when the values of the axes are not known; -1: open. */
static int rank_without_axes(struct call *c, const struct type *x, int keepdims)
{
	const struct type *axes = call_shape(c, 1);

	if (!x || keepdims)
		return x ? x->rank : -1;
	/* An empty list may mean all axes or none, so only a list that is known not to be empty tells. */
	if (axes && axes->rank == 1 && axes->dims[0] > 0 && axes->dims[0] <= x->rank)
		return x->rank - (int)axes->dims[0];
	return -1;
}

int reduce_infer(struct call *c, const struct reduce_line *r)
{
	const struct type *x = call_shape(c, 0);
	enum dtype t = c->in_type[0].dtype;
	int keepdims = attr_int(c->node, "keepdims") != 0;
	uint32_t mask;
	int known, rc;

	if (!x) {
		call_out_rank(c, 0, t, -1);
		return 0;
	}
	rc = axes_mask(c, r, x->rank, &mask, &known);
	if (rc)
		return rc;
	if (known)
		reduce_out(c, t, mask, keepdims);
	else
		call_out_rank(c, 0, t, rank_without_axes(c, x, keepdims));
	return 0;
}

/* A reduction of all lines of input 0 along the axes. */
struct reduce_all {
	struct call *c;
	const struct reduce_line *r;
	struct lines lines;
	double *scale; /* reduce_scale() */
};

static int reduce_lines(struct reduce_all *all, lines_each_fn *fn)
{
	const struct tensor *x = all->c->in[0];
	uint32_t mask;
	int known, rc = axes_mask(all->c, all->r, x->rank, &mask, &known);

	if (rc)
		return rc;
	lines_init(&all->lines, x->rank, x->dims, mask);
	return lines_each(all->c, &all->lines, 2, fn, all);
}

/* What `real` gives for integers, cut to an integer; what does not fit saturates (the specification leaves it open). */
static int64_t integer_by_real(const struct reduce_line *r, const int64_t *x, size_t n, enum dtype t, double *buf)
{
	double y;

	for (size_t i = 0; i < n; i++)
		buf[i] = t == DT_UINT64 ? (double)(uint64_t)x[i] : (double)x[i];
	y = r->real(buf, n);
	if (isnan(y))
		return 0;
	if (t == DT_UINT64)
		return y >= 0x1p64 ? -1 : y <= 0 ? 0 : (int64_t)(uint64_t)y;
	y = fmax(fmin(y, dtype_max(t)), dtype_lowest(t));
	return y >= 0x1p63 ? INT64_MAX : (int64_t)y;
}

static double real_of(const struct call *c, const struct reduce_line *r, const double *x, size_t n)
{
	if (c->range && r->held)
		return r->held(c, x, n);
	return c->range && r->sum ? r->rest(call_held(c, c->out_type[0].dtype, r->sum(x, n)), n) : r->real(x, n);
}

static void eval_line(void *arg, size_t k, double *buf)
{
	const struct reduce_all *all = arg;
	const struct reduce_line *r = all->r;
	const struct tensor *x = all->c->in[0];
	struct tensor *y = all->c->out[0];
	size_t length = all->lines.length;
	const void *line = lines_read(&all->lines, x->data, k, buf);

	if (dtype_is_float(x->dtype))
		y->f[k] = real_of(all->c, r, line, length);
	else if (r->integer)
		y->i[k] = r->integer(line, length, x->dtype);
	else
		y->i[k] = integer_by_real(r, line, length, x->dtype, buf + length);
}

int reduce_eval(struct call *c, const struct reduce_line *r)
{
	return reduce_lines(&(struct reduce_all){.c = c, .r = r}, eval_line);
}

static void grad_line(void *arg, size_t k, double *buf)
{
	const struct reduce_all *all = arg;
	const struct lines *l = &all->lines;
	double *dx = buf + l->length;

	all->r->grad(lines_read(l, all->c->in[0]->f, k, buf), l->length, all->c->out_grad[0]->f[k], dx);
	lines_add(l, all->c->in_grad[0]->f, k, dx);
}

int reduce_grad(struct call *c, const struct reduce_line *r)
{
	if (!c->out_grad[0] || !c->in_grad[0])
		return 0;
	return reduce_lines(&(struct reduce_all){.c = c, .r = r}, grad_line);
}

static void scale_line(void *arg, size_t k, double *buf)
{
	const struct reduce_all *all = arg;
	const struct lines *l = &all->lines;

	all->scale[k] = all->r->scale ? all->r->scale(lines_read(l, all->c->in[0]->f, k, buf), l->length) : 0;
}

int reduce_scale(struct call *c, const struct reduce_line *r, double *s)
{
	return reduce_lines(&(struct reduce_all){.c = c, .r = r, .scale = s}, scale_line);
}

size_t extremum_real(const double *x, size_t n, int sign, int last)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		if (isnan(x[best]) ? last && isnan(x[i])
				   : isnan(x[i]) || sign * x[i] > sign * x[best] || (last && x[i] == x[best]))
			best = i;
	}
	return best;
}

/* Negative, 0 or positive as a is below, equal to or above b. */
static int compare_int(int64_t a, int64_t b, enum dtype t)
{
	if (t == DT_UINT64)
		return ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
	return (a > b) - (a < b);
}

size_t extremum_int(const int64_t *x, size_t n, enum dtype t, int sign, int last)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		int order = sign * compare_int(x[i], x[best], t);

		if (order > 0 || (last && order == 0))
			best = i;
	}
	return best;
}
