/* index.c - elements chosen by indices or by rank, and enlarged images. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "backends/mxnet/mxnet.h"

/* Negative indices count from the end: `wrap` is right for those in range. */
static int run_gather(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int axis, rc;

	if (!x)
		return c->err->code;
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	return mx_give(c, 0, mx_op(c, c->row->native, 2, c->in, "axis=%d;mode=wrap", axis));
}

/* The library wants the parts of an index along the first axis, another axis behind it, and none negative. */
static int run_gather_nd(struct bind_call *c)
{
	const struct type *i = bind_type(c, 1), *out = mx_out_type(c, 0);
	int64_t order[TENSOR_MAX_RANK];
	const struct tensor *t;
	void *parts, *y;

	if (!i || !out || !(t = bind_known(c, 1)))
		return c->err->code;
	if (attr_int(c->node, "batch_dims"))
		return bind_unsupported(c, "batch_dims");
	for (size_t k = 0; k < t->count; k++)
		if (t->i[k] < 0)
			return bind_unsupported(c, "negative indices");
	order[0] = i->rank - 1;
	for (int k = 1; k < i->rank; k++)
		order[k] = k - 1;
	parts = i->rank == 1 ? mx_reshape(c, c->in[1], 2, (int64_t[]){i->dims[0], 1})
			     : mx_transpose(c, c->in[1], i->rank, order);
	y = mx_op2(c, c->row->native, c->in[0], parts);
	return mx_give(c, 0, i->rank == 1 ? mx_reshape(c, y, out->rank, out->dims) : y);
}

static int run_top_k(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t k;
	void *out[2];
	int axis, rc;

	if (!x)
		return c->err->code;
	if (c->version < 10) {
		k = attr_int(c->node, "k");
	} else {
		const struct tensor *t = bind_known(c, 1);

		if (!t || !t->count)
			return t ? err_set(c->err, ERR_INPUT, "K is empty") : c->err->code;
		k = t->i[0];
	}
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	if (k < 1 || k > x->dims[axis])
		return bind_unsupported(c, "K of %" PRId64, k);
	rc = mx_ops(c, &(struct mx_invocation){.op = c->row->native, .n_in = 1, .in = c->in}, out, 2,
		    "axis=%d;k=%" PRId64 ";ret_typ=both;is_ascend=%d;dtype=int64", axis, k,
		    !attr_int(c->node, "largest"));
	for (int i = 0; i < 2 && !rc; i++)
		if (call_wants(c->call, i))
			rc = mx_give(c, i, out[i]);
	return rc;
}

/* on where the index is, else off: off + (on - off) would round, so the library gets both.  Indices below 0 count from
 * the end; those out of range give a row of off. */
static int run_one_hot(struct bind_call *c)
{
	const struct type *i = bind_type(c, 0), *t;
	const struct tensor *values = bind_known(c, 2);
	int64_t order[TENSOR_MAX_RANK];
	double depth;
	void *index, *below, *y;
	int axis, rc;

	if (!i || !values || mx_number(c, 1, &depth) || mx_refuse_gradient(c, 2) || !(t = mx_out_type(c, 0)))
		return c->err->code;
	if (values->count != 2 || dtype_wide(values->dtype) == WIDE_STR || !mx_dtype_name(values->dtype))
		return bind_unsupported(c, "values of type %s", dtype_name(values->dtype));
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), t->rank, &axis)))
		return rc;
	index = mx_cast(c, c->in[0], DT_INT64);
	below = mx_cast(c, mx_scalar(c, "_npi_less_scalar", index, 0.0), DT_INT64);
	index = mx_op2(c, "elemwise_add", index, mx_scalar(c, "_mul_scalar", below, depth));
	y = mx_op(c, c->row->native, 1, &index, "depth=%.0f;on_value=%.17g;off_value=%.17g;dtype=%s", depth,
		  tensor_get(values, 1), tensor_get(values, 0), mx_dtype_name(values->dtype));
	for (int k = 0; k < t->rank; k++)
		order[k] = k < axis ? k : k == axis ? t->rank - 1 : k - 1;
	return mx_give(c, 0, mx_transpose(c, y, t->rank, order));
}

/* Lower triangle; the upper one is the lower of the transposed. */
static int run_trilu(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t order[TENSOR_MAX_RANK];
	int upper = attr_int(c->node, "upper") != 0;
	double k = 0;
	void *y = c->in[0];

	if (!x || (bind_has(c, 1) && mx_number(c, 1, &k)))
		return c->err->code;
	if (x->rank < 2)
		return bind_unsupported(c, "an input of rank %d", x->rank);
	k = fmin(fmax(k, -(double)x->dims[x->rank - 2]), (double)x->dims[x->rank - 1]); /* further out is as far */
	for (int i = 0; i < x->rank; i++)
		order[i] = i < x->rank - 2 ? i : i == x->rank - 2 ? x->rank - 1 : x->rank - 2;
	if (upper)
		y = mx_transpose(c, y, x->rank, order);
	y = mx_op(c, c->row->native, 1, &y, "k=%.0f", upper ? -k : k);
	return mx_give(c, 0, upper ? mx_transpose(c, y, x->rank, order) : y);
}

/* ---- images enlarged by whole numbers ---------------------------------------------------------------------------- */

/* Before version 11, and in Upsample, nothing says how places are mapped; everyone takes x / scale. */
static const char *mapping_of(const struct bind_call *c)
{
	return c->version < 11 ? "asymmetric" : attr_string(c->node, "coordinate_transformation_mode");
}

/* Nearest neighbour with whole scales repeats each element, whichever of these ways of counting is meant. */
static int repeats_elements(struct bind_call *c)
{
	const char *where = mapping_of(c), *which = c->version < 11 ? "floor" : attr_string(c->node, "nearest_mode");

	if (strcmp(attr_string(c->node, "mode"), "nearest"))
		return 0;
	if (!strcmp(where, "asymmetric"))
		return !strcmp(which, "floor");
	return !strcmp(where, "half_pixel") &&
	       (!strcmp(which, "round_prefer_floor") || !strcmp(which, "round_prefer_ceil"));
}

/* True when scales, where they are given, lead to the output's size exactly. */
static int scales_fit(struct bind_call *c, const struct type *x, const struct type *t)
{
	int input = c->version < 11 ? 1 : 2;
	const struct tensor *scales = bind_has(c, input) ? c->known[input] : NULL;
	size_t n = scales ? scales->count : 0;

	if (!n)
		return 1;
	if (n != (size_t)x->rank || dtype_wide(scales->dtype) != WIDE_F64)
		return 0;
	for (int i = 0; i < x->rank; i++)
		if (scales->f[i] * (double)x->dims[i] != (double)t->dims[i])
			return 0;
	return 1;
}

/* Between pixels: the library's own, for images, the corners on the corners or, from 1.7 on, pixels as squares. */
static int run_linear_resize(struct bind_call *c, const struct type *x, const struct type *t)
{
	const char *where = mapping_of(c);
	int corners = !strcmp(where, "align_corners"), old = !strncmp(((struct mx *)c->ctx)->version, "1.6", 3);

	if ((!corners && (strcmp(where, "half_pixel") || old)) || attr_int(c->node, "antialias") || x->rank != 4 ||
	    t->dims[0] != x->dims[0] || t->dims[1] != x->dims[1] || !scales_fit(c, x, t) ||
	    mx_only(c, TM(DT_FLOAT) | TM(DT_DOUBLE)))
		return bind_unsupported(c, "linear other than of images with align_corners or half_pixel and scales "
					   "that fit");
	return mx_give(c, 0,
		       mx_op(c, "_contrib_BilinearResize2D", 1, c->in, "height=%" PRId64 ";width=%" PRId64 "%s",
			     t->dims[2], t->dims[3], corners ? "" : ";align_corners=False"));
}

static int run_resize(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0), *t;
	void *y = c->in[0];

	for (int i = 1; i < c->n_in; i++)
		if (bind_has(c, i) && !bind_known(c, i))
			return c->err->code;
	if (!x || !(t = mx_out_type(c, 0)))
		return c->err->code;
	/* with a policy the scale is not that of the sizes */
	if (c->version >= 18 && strcmp(attr_string(c->node, "keep_aspect_ratio_policy"), "stretch"))
		return bind_unsupported(c, "keep_aspect_ratio_policy");
	if (!strcmp(attr_string(c->node, "mode"), "linear"))
		return run_linear_resize(c, x, t);
	if (!repeats_elements(c))
		return bind_unsupported(c, "mode '%s' with '%s'", attr_string(c->node, "mode"), mapping_of(c));
	for (int i = 0; i < x->rank; i++)
		if (!x->dims[i] || t->dims[i] % x->dims[i])
			return bind_unsupported(c, "a scale that is not whole");
	if (c->version >= 11 && bind_has(c, 2) && c->known[2]->count)
		for (size_t i = 0; i < c->known[2]->count; i++)
			if (c->known[2]->f[i] != floor(c->known[2]->f[i]))
				return bind_unsupported(c, "a scale that is not whole");
	if (x->rank == 4 && t->dims[0] == x->dims[0] && t->dims[1] == x->dims[1] &&
	    t->dims[2] / x->dims[2] == t->dims[3] / x->dims[3] && dtype_is_float(x->dtype))
		return mx_give(c, 0,
			       mx_op(c, c->row->native, 1, &y, "scale=%" PRId64 ";sample_type=nearest;num_args=1",
				     t->dims[2] / x->dims[2]));
	for (int i = 0; i < x->rank; i++)
		if (t->dims[i] != x->dims[i])
			y = mx_op(c, "repeat", 1, &y, "repeats=%" PRId64 ";axis=%d", t->dims[i] / x->dims[i], i);
	return mx_give(c, 0, y == c->in[0] ? mx_op1(c, "_copy", y) : y);
}

const struct binding mx_rows_index[] = {
	{"Gather", run_gather, "take"},
	{"GatherND", run_gather_nd, "gather_nd"},
	{"TopK", run_top_k, "topk"},
	{"OneHot", run_one_hot, "one_hot"},
	{"Trilu", run_trilu, "_npi_tril"},
	{"Resize", run_resize, "UpSampling"},
	{"Upsample", run_resize, "UpSampling"},
	{0},
};
