/* make.c - tensors made from nothing: filled, counted, diagonal. */
#include <math.h>

#include "backends/mxnet/mxnet.h"

static int run_constant_of_shape(struct bind_call *c)
{
	const struct attr *a = node_attr(c->node, "value");
	const struct type *t;
	double value = a && a->type == ATTR_TENSOR && a->t->count ? tensor_get(a->t, 0) : 0.0;

	if (!bind_known(c, 0) || !(t = mx_out_type(c, 0)))
		return c->err->code;
	if (fabs(value) > 0x1p53)
		return bind_unsupported(c, "a value above 2^53");
	return mx_give(c, 0, mx_full(c, t->dtype, t->rank, t->dims, value));
}

/* start + i · step */
static int run_range(struct bind_call *c)
{
	double start, limit, step;
	const struct type *t;

	if (mx_number(c, 0, &start) || mx_number(c, 1, &limit) || mx_number(c, 2, &step) || !(t = mx_out_type(c, 0)))
		return c->err->code;
	if (!mx_dtype_name(t->dtype) || fabs(start) > 0x1p53 || fabs(limit) > 0x1p53)
		return bind_unsupported(c, "numbers above 2^53, or of type %s", dtype_name(t->dtype));
	if (!t->dims[0])
		return mx_give(c, 0, mx_full(c, t->dtype, 1, t->dims, 0.0));
	return mx_give(c, 0,
		       mx_op(c, c->row->native, 0, NULL, "start=%.17g;stop=%.17g;step=%.17g;dtype=%s", start, limit,
			     step, mx_dtype_name(t->dtype)));
}

static int run_eye_like(struct bind_call *c)
{
	const struct type *t = mx_out_type(c, 0);

	if (!t)
		return c->err->code;
	if (!mx_dtype_name(t->dtype) || t->dtype == DT_BOOL)
		return bind_unsupported(c, "element type %s", dtype_name(t->dtype));
	return mx_give(c, 0,
		       mx_op(c, c->row->native, 0, NULL, "N=%lld;M=%lld;k=%lld;dtype=%s", (long long)t->dims[0],
			     (long long)t->dims[1], (long long)attr_int(c->node, "k"), mx_dtype_name(t->dtype)));
}

const struct binding mx_rows_make[] = {
	{"ConstantOfShape", run_constant_of_shape, NULL},
	{"Range", run_range, "_arange"},
	{"EyeLike", run_eye_like, "_eye"},
	{0},
};
