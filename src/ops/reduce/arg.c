/* arg.c - ArgMax and ArgMin: the index of the extremum along one axis; ties go to the first, or from version 12 on with
 * select_last_index to the last.
 *
 *     y[outer, inner] = argmax_k x[outer, k, inner] */
#include "ops/kit/domain.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/samplers.h"

static int arg_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int axis, rc, keepdims = attr_int(c->node, "keepdims") != 0;

	if (!x) {
		call_out_rank(c, 0, DT_INT64, -1);
		return 0;
	}
	rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);
	if (rc)
		return rc;
	if (x->dims[axis] == 0)
		return call_bad(c, "axis %d is empty, it has no extremum", axis);
	reduce_out(c, DT_INT64, UINT32_C(1) << axis, keepdims);
	return 0;
}

static int arg_eval(struct call *c, int sign)
{
	const struct tensor *x = c->in[0];
	int last = c->version >= 12 && attr_int(c->node, "select_last_index") != 0;
	struct lines l;
	void *buf;
	int axis, rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);

	if (rc)
		return rc;
	lines_init(&l, x->rank, x->dims, UINT32_C(1) << axis);
	buf = call_scratch(c, l.length, sizeof(double));
	if (!buf)
		return ERR_MEMORY;
	for (size_t k = 0; k < c->out[0]->count; k++) {
		const void *line = lines_read(&l, x->data, k, buf);

		c->out[0]->i[k] =
			(int64_t)(dtype_is_float(x->dtype) ? extremum_real(line, l.length, sign, last)
							   : extremum_int(line, l.length, x->dtype, sign, last));
	}
	return 0;
}

static int arg_max_eval(struct call *c)
{
	return arg_eval(c, 1);
}

static int arg_min_eval(struct call *c)
{
	return arg_eval(c, -1);
}

static const struct op_attr arg_attrs[] = {
	OP_INT("axis", 0),
	OP_INT("keepdims", 1),
	OP_INT("select_last_index", 0),
	{0},
};

const struct op op_arg_max = {
	.samples = SAMPLES({.by = &sampler_arg, .ordered = 1}),
	.rules = RULES(DOMAIN_NAN),
	.in = {{"data", T_NUM, 'T', 0}},
	.out = {{"reduced", T_I64, 0, 0}},
	.attrs = arg_attrs,
	.infer = arg_infer,
	.eval = arg_max_eval,
};

const struct op op_arg_min = {
	.samples = SAMPLES({.by = &sampler_arg, .ordered = 1}),
	.rules = RULES(DOMAIN_NAN),
	.in = {{"data", T_NUM, 'T', 0}},
	.out = {{"reduced", T_I64, 0, 0}},
	.attrs = arg_attrs,
	.infer = arg_infer,
	.eval = arg_min_eval,
};
