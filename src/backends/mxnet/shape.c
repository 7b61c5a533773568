/* shape.c - operators that move elements: reshaping, cutting, joining, padding, repeating. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/mxnet/mxnet.h"

/* Reshape, Flatten, Squeeze, Unsqueeze: the same elements under the shape that inference found. */
static int run_reshape(struct bind_call *c)
{
	const struct type *t;

	if (bind_has(c, 1) && !bind_known(c, 1))
		return c->err->code;
	t = mx_out_type(c, 0);
	return t ? mx_give(c, 0, mx_reshape(c, c->in[0], t->rank, t->dims)) : c->err->code;
}

static int run_expand(struct bind_call *c)
{
	const struct type *t;
	void *y;

	if (!bind_known(c, 1) || !(t = mx_out_type(c, 0)))
		return c->err->code;
	y = mx_broadcast(c, c->in[0], t->rank, t->dims);
	return mx_give(c, 0, y == c->in[0] ? mx_op1(c, "_copy", y) : y);
}

static int run_transpose(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t order[TENSOR_MAX_RANK];
	const int64_t *perm;
	size_t n;

	if (!x)
		return c->err->code;
	perm = node_ints(c->node, "perm", &n);
	for (int i = 0; i < x->rank; i++)
		order[i] = perm ? (perm[i] < 0 ? perm[i] + x->rank : perm[i]) : x->rank - 1 - i;
	return mx_give(c, 0, mx_transpose(c, c->in[0], x->rank, order));
}

static int run_concat(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int axis, rc;

	if (!x)
		return c->err->code;
	rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis);
	return rc ? rc : mx_give(c, 0, mx_concat(c, c->n_in, c->in, axis));
}

/* The library's own has no empty parts. */
static int split_with_empty(struct bind_call *c, int axis, const int64_t *cuts)
{
	int rc = 0;

	for (int i = 0; i < c->n_out && !rc; i++) {
		const struct type *t = &c->call->out_type[i];

		if (call_wants(c->call, i))
			rc = mx_give(c, i,
				     t->dims[axis] ? mx_slice(c, c->in[0], axis, cuts[i], cuts[i + 1])
						   : mx_full(c, t->dtype, t->rank, t->dims, 0.0));
	}
	return rc;
}

/* Cuts where inference says that each output ends. */
static int run_split(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	int64_t *cuts = arena_array(c->tmp, (size_t)c->n_out + 1, sizeof *cuts);
	void **parts = arena_array(c->tmp, (size_t)c->n_out, sizeof *parts);
	int axis, empty = 0, rc;

	if (!x || (bind_has(c, 1) && !bind_known(c, 1)))
		return c->err->code;
	if (!cuts || !parts)
		return err_nomem(c->err, "a split", 0);
	if ((rc = call_axis(c->call, attr_int(c->node, "axis"), x->rank, &axis)))
		return rc;
	for (int i = 0; i < c->n_out; i++) {
		const struct type *t = mx_out_type(c, i);

		if (!t)
			return c->err->code;
		cuts[i + 1] = cuts[i] + t->dims[axis];
		empty = empty || !t->dims[axis];
	}
	if (empty)
		return split_with_empty(c, axis, cuts);
	if (c->n_out == 1)
		return mx_give(c, 0, mx_op1(c, "_copy", c->in[0]));
	rc = mx_ops(c, &(struct mx_invocation){.op = c->row->native, .n_in = 1, .in = c->in}, parts, c->n_out,
		    "indices=%s;axis=%d;squeeze_axis=0;sections=0", mx_tuple(c, cuts, (size_t)c->n_out), axis);
	for (int i = 0; i < c->n_out && !rc; i++)
		if (call_wants(c->call, i))
			rc = mx_give(c, i, parts[i]);
	return rc;
}

/* ---- Slice ------------------------------------------------------------------------------------------------------- */

struct mx_cut {
	int64_t begin, end, step;
};

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* Start, end and step of each axis of x, made absolute. */
static int read_cuts(struct bind_call *c, const struct type *x, struct mx_cut *cuts)
{
	const int64_t *starts, *ends, *axes = NULL, *steps = NULL;
	size_t n, n_ends, n_axes = 0, n_steps = 0;
	int old = c->version < 10, found, has_axes, has_steps = 0, rc, axis;

	rc = bind_ints(c, old ? "starts" : NULL, old ? -1 : 1, &starts, &n, &found);
	if (!rc)
		rc = bind_ints(c, old ? "ends" : NULL, old ? -1 : 2, &ends, &n_ends, &found);
	if (!rc)
		rc = bind_ints(c, old ? "axes" : NULL, old ? -1 : 3, &axes, &n_axes, &has_axes);
	if (!rc && !old)
		rc = bind_ints(c, NULL, 4, &steps, &n_steps, &has_steps);
	if (rc)
		return rc;
	if (n != n_ends || (has_axes && n_axes != n) || (has_steps && n_steps != n))
		return err_set(c->err, ERR_INPUT, "starts, ends, axes and steps differ in length");
	for (int i = 0; i < x->rank; i++)
		cuts[i] = (struct mx_cut){0, x->dims[i], 1};
	for (size_t i = 0; i < n; i++) {
		int64_t step = has_steps ? steps[i] : 1, begin = starts[i], end = ends[i], d;

		if ((rc = call_axis(c->call, has_axes ? axes[i] : (int64_t)i, x->rank, &axis)))
			return rc;
		d = x->dims[axis];
		step = clamp(step, -d - 1, d + 1); /* further than the whole axis is as far */
		begin += begin < 0 ? d : 0;
		end += end < 0 ? d : 0;
		cuts[axis] = (struct mx_cut){clamp(begin, 0, step > 0 ? d : d - 1),
					     clamp(end, step > 0 ? 0 : -1, step > 0 ? d : d - 1), step};
	}
	return 0;
}

static int run_slice(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0), *t;
	struct mx_cut cuts[TENSOR_MAX_RANK];
	char begin[600] = "(", end[600] = "(", step[600] = "(";
	size_t at[3] = {1, 1, 1};
	int rc = x ? read_cuts(c, x, cuts) : c->err->code;

	if (rc || !(t = mx_out_type(c, 0)))
		return c->err->code;
	for (int i = 0; i < t->rank; i++)
		if (!t->dims[i]) /* the library refuses to cut nothing out */
			return mx_give(c, 0, mx_full(c, t->dtype, t->rank, t->dims, 0.0));
	for (int i = 0; i < x->rank; i++) {
		at[0] += (size_t)snprintf(begin + at[0], sizeof begin - at[0], "%" PRId64 ",", cuts[i].begin);
		at[1] += (size_t)snprintf(end + at[1], sizeof end - at[1], cuts[i].end < 0 ? "None," : "%" PRId64 ",",
					  cuts[i].end);
		at[2] += (size_t)snprintf(step + at[2], sizeof step - at[2], "%" PRId64 ",", cuts[i].step);
	}
	return mx_give(c, 0, mx_op(c, c->row->native, 1, c->in, "begin=%s);end=%s);step=%s)", begin, end, step));
}

/* ---- Pad --------------------------------------------------------------------------------------------------------- */

/* Pads of all axes, begins then ends, from the attribute or the inputs. */
static int read_pads(struct bind_call *c, const struct type *x, int64_t *begin, int64_t *end)
{
	const int64_t *pads, *axes = NULL;
	size_t n, n_axes = 0;
	int old = c->version < 11, found, has_axes = 0, axis;
	int rc = bind_ints(c, old ? (c->version < 2 ? "paddings" : "pads") : NULL, old ? -1 : 1, &pads, &n, &found);

	if (!rc && c->version >= 18)
		rc = bind_ints(c, NULL, 3, &axes, &n_axes, &has_axes);
	if (rc)
		return rc;
	if (!found || n != 2 * (has_axes ? n_axes : (size_t)x->rank))
		return err_set(c->err, ERR_INPUT, "%zu pads for a tensor of rank %d", n, x->rank);
	memset(begin, 0, (size_t)x->rank * sizeof *begin);
	memset(end, 0, (size_t)x->rank * sizeof *end);
	for (size_t i = 0; i < n / 2; i++) {
		if ((rc = call_axis(c->call, has_axes ? axes[i] : (int64_t)i, x->rank, &axis)))
			return rc;
		begin[axis] = pads[i];
		end[axis] = pads[i + n / 2];
	}
	return 0;
}

/* The library's own takes floats of rank 4 or 5 whose first two axes are not padded: smaller ranks get ones in front,
 * and whole numbers go through float64, which holds them. */
static void *pad_native(struct bind_call *c, const char *mode, const struct type *x, const int64_t *begin,
			const int64_t *end, double value)
{
	int more = x->rank > 3 ? 0 : 5 - x->rank, rank = x->rank + more, whole = dtype_is_int(x->dtype);
	const struct type *t = mx_out_type(c, 0);
	int64_t dims[5] = {1, 1, 1, 1, 1}, width[10] = {0};
	void *y = whole ? mx_cast(c, c->in[0], DT_DOUBLE) : c->in[0];

	if (!t)
		return NULL;
	for (int i = 0; i < x->rank; i++) {
		dims[i + more] = x->dims[i];
		width[2 * (i + more)] = begin[i];
		width[2 * (i + more) + 1] = end[i];
	}
	if (more)
		y = mx_reshape(c, y, rank, dims);
	y = mx_op(c, "Pad", 1, &y, "mode=%s;pad_width=%s;constant_value=%.17g", mode,
		  mx_tuple(c, width, 2 * (size_t)rank), value);
	if (more)
		y = mx_reshape(c, y, t->rank, t->dims);
	return whole ? mx_cast(c, y, x->dtype) : y;
}

static int is_native(const struct type *x, const int64_t *begin, const int64_t *end, int reflect)
{
	if (x->rank < 1 || x->rank > 5 || x->dtype == DT_INT64 || x->dtype == DT_BOOL || x->dtype == DT_FLOAT16)
		return 0;
	for (int i = 0; i < x->rank; i++) /* reflections of reflections are read from beyond the array */
		if (begin[i] < 0 || end[i] < 0 || !x->dims[i] ||
		    (reflect && (begin[i] >= x->dims[i] || end[i] >= x->dims[i])) ||
		    (x->rank > 3 && i < 2 && (begin[i] || end[i])))
			return 0;
	return 1;
}

static int run_pad(struct bind_call *c)
{
	const char *mode = attr_string(c->node, "mode");
	const struct type *x = bind_type(c, 0);
	int64_t begin[TENSOR_MAX_RANK], end[TENSOR_MAX_RANK];
	double value = attr_float(c->node, "value");
	int rc = x ? read_pads(c, x, begin, end) : c->err->code;

	if (!rc && bind_has(c, 2))
		rc = mx_number(c, 2, &value);
	if (rc)
		return rc;
	if (is_native(x, begin, end, !strcmp(mode, "reflect")) && strcmp(mode, "wrap"))
		return mx_give(c, 0, pad_native(c, mode, x, begin, end, value));
	if (strcmp(mode, "constant"))
		return bind_unsupported(c, "mode '%s' for %s of rank %d", mode, dtype_name(x->dtype), x->rank);
	return mx_give(c, 0, mx_pad(c, c->in[0], x, begin, end, value));
}

/* ---- repeating and blocks ---------------------------------------------------------------------------------------- */

/* Axis by axis: the library refuses to repeat more than a few axes at once. */
static int run_tile(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0);
	const int64_t *times;
	void *y = c->in[0];
	size_t n;
	int found, rc;

	if (!x)
		return c->err->code;
	if (c->version < 6)
		return bind_unsupported(c, "Tile of opset %d", c->node->opset);
	if ((rc = bind_ints(c, NULL, 1, &times, &n, &found)))
		return rc;
	for (size_t i = 0; i < n; i++) {
		int64_t reps[TENSOR_MAX_RANK];

		if (times[i] == 1)
			continue;
		for (size_t k = 0; k < n; k++)
			reps[k] = k == i ? times[i] : 1;
		y = mx_op(c, c->row->native, 1, &y, "reps=%s", mx_tuple(c, reps, n));
	}
	return mx_give(c, 0, y == c->in[0] ? mx_op1(c, "_copy", y) : y);
}

/* DCR is the library's own; CRD: [N, C/b², b, b, H, W] → [N, C/b², H, b, W, b]. */
static int run_depth_to_space(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0), *t = mx_out_type(c, 0);
	static const int64_t order[] = {0, 1, 4, 2, 5, 3};
	int64_t b = attr_int(c->node, "blocksize");
	void *y;

	if (!x || !t)
		return c->err->code;
	if (strcmp(attr_string(c->node, "mode"), "CRD"))
		return mx_give(c, 0, mx_op(c, c->row->native, 1, c->in, "block_size=%" PRId64, b));
	y = mx_reshape(c, c->in[0], 6, (int64_t[]){x->dims[0], t->dims[1], b, b, x->dims[2], x->dims[3]});
	return mx_give(c, 0, mx_reshape(c, mx_transpose(c, y, 6, order), t->rank, t->dims));
}

/* DCR is the library's own; CRD: [N, C, H/b, b, W/b, b] → [N, C, b, b, H/b, W/b]. */
static int run_space_to_depth(struct bind_call *c)
{
	const struct type *x = bind_type(c, 0), *t = mx_out_type(c, 0);
	static const int64_t order[] = {0, 1, 3, 5, 2, 4};
	int64_t b = attr_int(c->node, "blocksize");
	void *y;

	if (!x || !t)
		return c->err->code;
	if (!strcmp(attr_string(c->node, "mode"), "CRD")) {
		y = mx_reshape(c, c->in[0], 6, (int64_t[]){x->dims[0], x->dims[1], t->dims[2], b, t->dims[3], b});
		return mx_give(c, 0, mx_reshape(c, mx_transpose(c, y, 6, order), t->rank, t->dims));
	}
	return mx_give(c, 0, mx_op(c, c->row->native, 1, c->in, "block_size=%" PRId64, b));
}

const struct binding mx_rows_shape[] = {
	{"Reshape", run_reshape, NULL},
	{"Flatten", run_reshape, NULL},
	{"Squeeze", run_reshape, NULL},
	{"Unsqueeze", run_reshape, NULL},
	{"Expand", run_expand, NULL},
	{"Transpose", run_transpose, NULL},
	{"Concat", run_concat, NULL},
	{"Split", run_split, "_split_v2"},
	{"Slice", run_slice, "slice"},
	{"Pad", run_pad, NULL},
	{"Tile", run_tile, "tile"},
	{"DepthToSpace", run_depth_to_space, "depth_to_space"},
	{"SpaceToDepth", run_space_to_depth, "space_to_depth"},
	{0},
};
