/* call.c - see call.h. */
#include "ops/call.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors and scratch ------------------------------------------------------------------------------------------ */

static int fail(struct call *c, int code, const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof text, fmt, ap);
	return err_set(c->err, code, "%s", text);
}

int call_bad(struct call *c, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = fail(c, ERR_INPUT, fmt, ap);
	va_end(ap);
	return rc;
}

int call_complain(struct call *c, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return model_complain(c->node->graph->model, c->err, "node '%s' (%s): %s", c->node->name, c->node->op_type,
			      text);
}

int call_unsupported(struct call *c, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = fail(c, ERR_UNSUPPORTED, fmt, ap);
	va_end(ap);
	return rc;
}

int call_nomem(struct call *c, size_t bytes)
{
	return err_nomem(c->err, "scratch memory", bytes);
}

void *call_scratch(struct call *c, size_t n, size_t size)
{
	size_t bytes = size && n > SIZE_MAX / size ? SIZE_MAX : n * size;
	void *p = tensor_memory_has(bytes) ? arena_array(c->tmp, n, size) : NULL;

	if (!p)
		call_nomem(c, bytes);
	return p;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

int call_has(const struct call *c, int i)
{
	return i < c->n_in && c->node->in[i] != NULL;
}

int call_wants(const struct call *c, int out)
{
	return out < c->n_out && c->node->out[out] != NULL;
}

const struct type *call_shape(const struct call *c, int i)
{
	return call_has(c, i) && c->in_type[i].kind == VALUE_TENSOR && c->in_type[i].rank >= 0 ? &c->in_type[i] : NULL;
}

int call_axis(struct call *c, int64_t axis, int rank, int *out)
{
	if (axis < -rank || axis >= rank)
		return call_bad(c, "axis %lld is outside of a tensor of rank %d", (long long)axis, rank);
	*out = (int)(axis < 0 ? axis + rank : axis);
	return 0;
}

int call_ints(struct call *c, const char *attr, int input, const int64_t **list, size_t *n, enum ints_found *found)
{
	const struct attr *a = attr ? node_attr(c->node, attr) : NULL;

	*found = INTS_ABSENT;
	if (input >= 0 && call_has(c, input)) {
		const struct tensor *t = c->in[input];

		if (!t) {
			*found = INTS_UNKNOWN;
			return 0;
		}
		if (t->rank > 1 || dtype_wide(t->dtype) != WIDE_I64)
			return call_bad(c, "input %d must be a list of integers", input);
		*list = t->i;
		*n = t->count;
		*found = INTS_GIVEN;
	} else if (a && a->type == ATTR_INTS) {
		*list = a->ints;
		*n = a->n;
		*found = INTS_GIVEN;
	} else if (a && a->type == ATTR_INT) {
		*list = &a->i;
		*n = 1;
		*found = INTS_GIVEN;
	}
	return 0;
}

/* ---- output types ------------------------------------------------------------------------------------------------ */

void call_out(struct call *c, int out, enum dtype t, int rank, const int64_t *dims)
{
	if (out < c->n_out)
		type_set(&c->out_type[out], t, rank, dims);
}

void call_out_like(struct call *c, int out, int in)
{
	if (out < c->n_out)
		c->out_type[out] = c->in_type[in];
}

void call_out_shape_of(struct call *c, int out, int in)
{
	if (out >= c->n_out)
		return;
	type_set(&c->out_type[out], c->out_type[out].dtype, c->in_type[in].rank, c->in_type[in].dims);
}

void call_out_rank(struct call *c, int out, enum dtype t, int rank)
{
	int64_t dims[TENSOR_MAX_RANK];

	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		dims[i] = DIM_UNKNOWN;
	call_out(c, out, t, rank, dims);
}

/* One dimension of a broadcast: 1 gives way, a known size wins over an unknown one, equal symbols stay. */
static int merge_dim(int64_t a, int64_t b, int64_t *out)
{
	if (a == 1 || a == b)
		*out = b;
	else if (b == 1)
		*out = a;
	else if (a >= 0 && b >= 0)
		return -1;
	else if (a >= 0 || b >= 0)
		*out = a >= 0 ? a : b;
	else
		*out = DIM_UNKNOWN;
	return 0;
}

int call_broadcast(struct call *c, int out, const int *inputs, int n)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = 0;

	for (int i = 0; i < n; i++) {
		const struct type *t = call_shape(c, inputs[i]);

		if (!t) {
			call_out_rank(c, out, c->out_type[out].dtype, -1);
			return 0;
		}
		if (t->rank > rank)
			rank = t->rank;
	}
	for (int d = 0; d < rank; d++)
		dims[d] = 1;
	for (int i = 0; i < n; i++) {
		const struct type *t = call_shape(c, inputs[i]);
		int shift = rank - t->rank;

		for (int d = 0; d < t->rank; d++)
			if (merge_dim(dims[shift + d], t->dims[d], &dims[shift + d]) < 0)
				return call_bad(
					c, "inputs do not broadcast: dimension %d is %lld in one and %lld in another",
					shift + d, (long long)dims[shift + d], (long long)t->dims[d]);
	}
	call_out(c, out, c->out_type[out].dtype, rank, dims);
	return 0;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

struct tensor *call_alloc(struct call *c, int out, enum dtype t, int rank, const int64_t *dims)
{
	struct tensor *y = tensor_new(t, rank, dims, c->err);

	if (y)
		c->out[out] = y;
	return y;
}

int call_alias(struct call *c, int out, int in, int rank, const int64_t *dims)
{
	struct tensor *y = tensor_view(c->in[in], rank, dims, c->err);

	if (!y)
		return c->err->code;
	c->out[out] = y;
	return 0;
}

/* ---- numbers on the way ------------------------------------------------------------------------------------------ */

double call_held(const struct call *c, enum dtype t, double x)
{
	double held;

	if (!c->range)
		return x;
	t = dtype_roundoff(t) > dtype_roundoff(DT_FLOAT) ? DT_FLOAT : t;
	held = dtype_round(t, x, 0);
	if (c->range != OP_RANGE_LOST)
		return held;
	if (!isfinite(held) && isfinite(x))
		return (double)NAN;
	return fabs(held) < dtype_smallest(t) ? 0 : held;
}

/* ---- arithmetic of shapes ---------------------------------------------------------------------------------------- */

int call_is_empty(const struct call *c)
{
	int any = 0;

	if (c->op->flags & OP_OWN_OUTPUTS)
		return 0;
	for (int i = 0; i < c->n_out; i++) {
		if (c->out[i] ? c->out[i]->count > 0 : call_wants(c, i))
			return 0;
		any |= c->out[i] != NULL;
	}
	return any;
}

int call_eval(struct call *c)
{
	return call_is_empty(c) ? 0 : c->op->eval(c);
}

#define WORK_NODE 1e4   /* to call a node at all */
#define WORK_ELEMENT 64 /* to read or write an element */

double call_elements(const struct type *t)
{
	double n = 1;

	if (!type_is_static(t))
		return 0;
	for (int i = 0; i < t->rank; i++)
		n *= (double)t->dims[i];
	return n;
}

/* Products that do not say: of [m,k] and [k,n] it is mkn, for the roots of all three sizes have each length once. */
static double guessed_work(const struct call *c)
{
	double first = 0, second = 0, out = c->n_out ? call_elements(&c->out_type[0]) : 0;

	for (int i = 0; i < c->n_in; i++) {
		double n = call_elements(&c->in_type[i]);

		second = fmax(second, fmin(first, n));
		first = fmax(first, n);
	}
	return sqrt(first) * sqrt(second) * sqrt(out);
}

double call_work(const struct call *c)
{
	double elements = 0, products = 0;

	for (int i = 0; i < c->n_in; i++)
		elements += call_elements(&c->in_type[i]);
	for (int i = 0; i < c->n_out; i++)
		elements += call_elements(&c->out_type[i]);
	if (c->op->work)
		products = c->op->work(c);
	else if (c->op->flags & OP_PRODUCTS)
		products = guessed_work(c);
	return WORK_NODE + WORK_ELEMENT * elements + products;
}

size_t dims_product(const int64_t *dims, int from, int to)
{
	size_t n = 1;

	for (int i = from; i < to; i++)
		n *= (size_t)dims[i];
	return n;
}

void dims_strides(int rank, const int64_t *dims, int64_t *strides)
{
	int64_t step = 1;

	for (int i = rank - 1; i >= 0; i--) {
		strides[i] = step;
		step *= dims[i];
	}
}

int same_infer(struct call *c)
{
	call_out_like(c, 0, 0);
	return 0;
}

int broadcast_infer(struct call *c)
{
	int *all = call_scratch(c, (size_t)c->n_in, sizeof *all);

	if (!all)
		return c->err->code;
	for (int i = 0; i < c->n_in; i++)
		all[i] = i;
	return call_broadcast(c, 0, all, c->n_in);
}
