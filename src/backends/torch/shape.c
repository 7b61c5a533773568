/* shape.c - operators that move, cut and join without computing. */
#include <math.h>
#include <string.h>

#include "backends/torch/th.h"

/* The shape that inference has for output 0, once the inputs it depends on are read. */
static const struct type *out_shape(struct bind_call *c)
{
	const struct type *t = &c->call->out_type[0];

	for (int i = 1; i < c->n_in && !c->err->code; i++)
		if (c->in[i])
			bind_known(c, i);
	if (!c->err->code && !type_is_static(t))
		bind_unsupported(c, "the shape of its output is not known");
	return c->err->code ? NULL : t;
}

static int run_identity(struct bind_call *c)
{
	return th_give(c, th_in(c, 0));
}

/* Reshape, Flatten, Squeeze, Unsqueeze: the same elements in another shape. */
static int run_reshape(struct bind_call *c)
{
	const struct type *t = out_shape(c);

	return t ? th_give(c, th_reshape(c, th_in(c, 0), t->dims, t->rank)) : th_done(c);
}

static int run_expand(struct bind_call *c)
{
	const struct type *t = out_shape(c);

	return t ? th_give(c, th_op(c, "expand", "tI", th_in(c, 0), t->dims, t->rank)) : th_done(c);
}

static int run_transpose(struct bind_call *c)
{
	int64_t reversed[TENSOR_MAX_RANK];
	const int64_t *perm;
	struct th_shape s;
	size_t n;

	if (th_shape(c, th_in(c, 0), &s))
		return th_done(c);
	perm = node_ints(c->node, "perm", &n);
	for (int i = 0; i < s.rank; i++)
		reversed[i] = s.rank - 1 - i;
	return th_give(c, th_op(c, "permute", "tI", c->in[0], perm ? perm : reversed, perm ? (int)n : s.rank));
}

static int run_tile(struct bind_call *c)
{
	const int64_t *repeats;
	int n, found;

	if (c->version < 6)
		return bind_unsupported(c, "version %d", c->version);
	if (th_ints(c, NULL, 1, &repeats, &n, &found))
		return th_done(c);
	return th_give(c, th_op(c, "repeat", "tI", th_in(c, 0), repeats, n));
}

static int run_concat(struct bind_call *c)
{
	return th_give(c, th_op(c, "cat", "Tl", c->in, c->n_in, attr_int(c->node, "axis")));
}

/* Sizes are an attribute or an input; without them parts are equal, the last one smaller when it does not come out
 * even. */
static int run_split(struct bind_call *c)
{
	const int64_t *list;
	int64_t *sizes = arena_array(c->tmp, (size_t)c->n_out, sizeof *sizes), chunk;
	void **parts = arena_array(c->tmp, (size_t)c->n_out, sizeof *parts);
	struct th_shape s;
	int n, found, axis;

	if (!sizes || !parts)
		return err_nomem(c->err, "parts", 0);
	if (th_shape(c, th_in(c, 0), &s) || th_axis(c, attr_int(c->node, "axis"), s.rank, &axis) ||
	    th_ints(c, "split", c->version >= 13 ? 1 : -1, &list, &n, &found))
		return th_done(c);
	if (found && n != c->n_out)
		return err_set(c->err, ERR_INPUT, "%d sizes for %d outputs", n, c->n_out);
	chunk = (s.dims[axis] + c->n_out - 1) / c->n_out;
	for (int i = 0; i < c->n_out; i++) {
		int64_t left = s.dims[axis] - i * chunk;

		sizes[i] = found ? list[i] : left > chunk ? chunk : left > 0 ? left : 0;
	}
	th_ops(c, "split_with_sizes", parts, c->n_out, "tIi", c->in[0], sizes, c->n_out, axis);
	for (int i = 0; i < c->n_out; i++)
		if (th_wants(c, i))
			th_out(c, i, parts[i]);
	return th_done(c);
}

/* start, start + step, … as an index along an axis. */
static void *select_range(struct bind_call *c, void *x, int axis, int64_t start, int64_t step, int64_t n)
{
	int64_t *list = arena_array(c->tmp, (size_t)n + 1, sizeof *list);

	if (!list) {
		err_nomem(c->err, "indices", (size_t)n * sizeof *list);
		return NULL;
	}
	for (int64_t i = 0; i < n; i++)
		list[i] = start + i * step;
	return th_op(c, "index_select", "tit", x, axis, th_index(c, list, 1, &n));
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* One axis; torch has no negative steps, so those go through indices. */
static void *slice_axis(struct bind_call *c, void *x, int axis, int64_t size, int64_t start, int64_t end, int64_t step)
{
	step = clamp(step, -size - 1, size + 1); /* beyond that one element is left, whatever the step */
	start = start < 0 ? start + size : start;
	end = end < 0 ? end < -size ? -1 : end + size : end;
	if (step > 0) {
		start = clamp(start, 0, size);
		return th_slice(c, x, axis, start, clamp(end, start, size), step);
	}
	start = clamp(start, 0, size - 1);
	end = clamp(end, -1, size - 1);
	return select_range(c, x, axis, start, step, size && start > end ? (start - end - step - 1) / -step : 0);
}

static int run_slice(struct bind_call *c)
{
	static const char *const names[] = {"starts", "ends", "axes", "steps"};
	const int64_t *list[4];
	void *x = th_in(c, 0);
	int n[4], found[4], axis;
	struct th_shape s;

	for (int i = 0; i < 4; i++)
		if (th_ints(c, c->version < 10 ? names[i] : NULL, c->version < 10 ? -1 : i + 1, &list[i], &n[i],
			    &found[i]))
			return th_done(c);
	if (th_shape(c, x, &s))
		return th_done(c);
	if (n[0] != n[1] || (found[2] && n[2] != n[0]) || (found[3] && n[3] != n[0]))
		return err_set(c->err, ERR_INPUT, "starts, ends, axes and steps differ in length");
	for (int i = 0; i < n[0]; i++) {
		int64_t step = found[3] ? list[3][i] : 1;

		if (!step)
			return err_set(c->err, ERR_INPUT, "a step of 0");
		if (th_axis(c, found[2] ? list[2][i] : i, s.rank, &axis))
			break;
		x = slice_axis(c, x, axis, s.dims[axis], list[0][i], list[1][i], step);
	}
	return th_give(c, x);
}

/* ---- padding ----------------------------------------------------------------------------------------------------- */

/* Which element stands at place i of an axis of `size` elements, outside of it. */
static int64_t source(const char *mode, int64_t i, int64_t size)
{
	int64_t period = 2 * (size - 1);

	if (!strcmp(mode, "edge"))
		return clamp(i, 0, size - 1);
	if (!strcmp(mode, "wrap"))
		return (i % size + size) % size;
	if (size == 1)
		return 0;
	i = (i % period + period) % period;
	return i < size ? i : period - i;
}

static void *pad_axis(struct bind_call *c, void *x, const char *mode, int axis, int64_t size, int64_t before,
		      int64_t after)
{
	int64_t n, cut = before < 0 ? -before : 0, *list;

	if (!before && !after)
		return x;
	size -= cut + (after < 0 ? -after : 0); /* what is taken away is not there to be repeated */
	before = before < 0 ? 0 : before;
	n = before + size + (after < 0 ? 0 : after);
	if (size < 1 || n < 0 || n > INT32_MAX) {
		err_set(c->err, ERR_INPUT, "cannot pad %lld elements to %lld", (long long)size, (long long)n);
		return NULL;
	}
	list = arena_array(c->tmp, (size_t)n + 1, sizeof *list);
	if (!list) {
		err_nomem(c->err, "indices", (size_t)n * sizeof *list);
		return NULL;
	}
	for (int64_t i = 0; i < n; i++)
		list[i] = cut + source(mode, i - before, size);
	return th_op(c, "index_select", "tit", x, axis, th_index(c, list, 1, &n));
}

/* torch's own reflection and replication: the last one to three axes of an image, nothing taken away. */
static const char *native_mode(const struct th_shape *s, const char *mode, const int64_t *before, const int64_t *after)
{
	for (int i = 0; i < s->rank; i++)
		if (before[i] < 0 || after[i] < 0 || (i < 2 && (before[i] || after[i])) || before[i] >= s->dims[i] ||
		    after[i] >= s->dims[i])
			return NULL;
	if (s->rank < 3 || s->rank > 5 || s->dtype != DT_FLOAT)
		return NULL;
	return !strcmp(mode, "reflect") ? "reflect" : !strcmp(mode, "edge") ? "replicate" : NULL;
}

static int pad_value(struct bind_call *c, double *x)
{
	const struct tensor *t;

	*x = attr_float(c->node, "value");
	if (c->version < 11 || !th_in(c, 2))
		return 0;
	t = bind_known(c, 2);
	if (!t)
		return c->err->code;
	if (t->count != 1)
		return err_set(c->err, ERR_INPUT, "constant_value has %zu elements", t->count);
	*x = tensor_get(t, 0);
	return 0;
}

/* pads: all befores, then all afters, of all axes or of those that are listed. */
static int read_pads(struct bind_call *c, int rank, int64_t *before, int64_t *after)
{
	const int64_t *pads, *axes;
	int n, m, found, has_axes, axis;

	memset(before, 0, (size_t)rank * sizeof *before);
	memset(after, 0, (size_t)rank * sizeof *after);
	if (th_ints(c,
		    c->version < 2    ? "paddings"
		    : c->version < 11 ? "pads"
				      : NULL,
		    c->version < 11 ? -1 : 1, &pads, &n, &found) ||
	    th_ints(c, NULL, c->version < 18 ? -1 : 3, &axes, &m, &has_axes))
		return c->err->code;
	if (n != 2 * (has_axes ? m : rank))
		return err_set(c->err, ERR_INPUT, "%d pads for %d axes", n, has_axes ? m : rank);
	for (int i = 0; i < n / 2; i++) {
		if (th_axis(c, has_axes ? axes[i] : i, rank, &axis))
			return c->err->code;
		before[axis] = pads[i];
		after[axis] = pads[n / 2 + i];
	}
	return 0;
}

/* True when input i is a float that is computed or given: gradients flow through it. */
static int is_variable(const struct bind_call *c, int i)
{
	return i < c->n_in && c->in[i] && !c->node->in[i]->init && dtype_is_float(c->call->in_type[i].dtype);
}

/* Padding with a tensor of one element. */
static void *pad_with(struct bind_call *c, void *x, const int64_t *before, const int64_t *after, int n, void *value)
{
	void *inside = th_pad(c, th_op(c, "ones_like", "td", x, DT_BOOL), before, after, n, 0);

	value = th_reshape(c, value, NULL, 0);
	return th_op(c, "where.self", "ttt", inside, th_pad(c, x, before, after, n, 0), value);
}

static int run_pad(struct bind_call *c)
{
	const char *mode = attr_string(c->node, "mode"), *native;
	int64_t before[TENSOR_MAX_RANK], after[TENSOR_MAX_RANK], pads[2 * TENSOR_MAX_RANK];
	void *x = th_in(c, 0);
	struct th_shape s;
	double value;

	if (th_shape(c, x, &s) || read_pads(c, s.rank, before, after) || pad_value(c, &value))
		return th_done(c);
	if (!strcmp(mode, "constant") && is_variable(c, 2))
		return th_give(c, pad_with(c, x, before, after, s.rank, c->in[2]));
	if (!strcmp(mode, "constant"))
		return th_give(c, th_pad(c, x, before, after, s.rank, value));
	native = native_mode(&s, mode, before, after);
	if (native) {
		for (int i = 2; i < s.rank; i++) {
			pads[2 * (s.rank - 1 - i)] = before[i];
			pads[2 * (s.rank - 1 - i) + 1] = after[i];
		}
		return th_give(c, th_op(c, "pad", "tIs", x, pads, 2 * (s.rank - 2), native));
	}
	for (int i = 0; i < s.rank && !c->err->code; i++)
		x = pad_axis(c, x, mode, i, s.dims[i], before[i], after[i]);
	return th_give(c, x);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static int blocks(struct bind_call *c, struct th_shape *s, int64_t *b)
{
	*b = attr_int(c->node, "blocksize");
	if (th_shape(c, th_in(c, 0), s))
		return c->err->code;
	if (s->rank != 4 || *b < 1 || *b > INT32_MAX)
		return err_set(c->err, ERR_INPUT, "rank %d, blocksize %lld", s->rank, (long long)*b);
	return 0;
}

/* DCR: depth is [b, b, C]; CRD: [C, b, b], which is torch's pixel_shuffle. */
static int run_depth_to_space(struct bind_call *c)
{
	static const int64_t perm[] = {0, 3, 4, 1, 5, 2};
	struct th_shape s;
	int64_t b;
	void *x;

	if (blocks(c, &s, &b))
		return th_done(c);
	if (!strcmp(attr_string(c->node, "mode"), "CRD"))
		return th_give(c, th_op(c, "pixel_shuffle", "tl", c->in[0], b));
	x = th_reshape(c, c->in[0], (int64_t[]){s.dims[0], b, b, s.dims[1] / (b * b), s.dims[2], s.dims[3]}, 6);
	x = th_op(c, "permute", "tI", x, perm, 6);
	return th_give(c,
		       th_reshape(c, x, (int64_t[]){s.dims[0], s.dims[1] / (b * b), s.dims[2] * b, s.dims[3] * b}, 4));
}

static int run_space_to_depth(struct bind_call *c)
{
	static const int64_t perm[] = {0, 3, 5, 1, 2, 4};
	struct th_shape s;
	int64_t b;
	void *x;

	if (blocks(c, &s, &b))
		return th_done(c);
	if (!strcmp(attr_string(c->node, "mode"), "CRD"))
		return th_give(c, th_op(c, "pixel_unshuffle", "tl", c->in[0], b));
	x = th_reshape(c, c->in[0], (int64_t[]){s.dims[0], s.dims[1], s.dims[2] / b, b, s.dims[3] / b, b}, 6);
	x = th_op(c, "permute", "tI", x, perm, 6);
	return th_give(c, th_reshape(c, x, (int64_t[]){s.dims[0], s.dims[1] * b * b, s.dims[2] / b, s.dims[3] / b}, 4));
}

/* ---- new tensors ------------------------------------------------------------------------------------------------- */

/* start + i * delta, so that gradients flow to both. */
static void *range_of(struct bind_call *c, double start, double limit, double delta, enum dtype t)
{
	double n = ceil((limit - start) / delta);
	void *i;

	if (!(n <= INT32_MAX)) {
		err_set(c->err, ERR_LIMIT, "a range of %g elements", n);
		return NULL;
	}
	i = th_op(c, "arange.start_step", "ilid", 0, n > 0 ? (int64_t)n : (int64_t)0, 1, (int)t);
	return th_op(c, "add.Tensor", "tt", th_op(c, "mul.Tensor", "tt", i, c->in[2]), c->in[0]);
}

static int run_range(struct bind_call *c)
{
	struct th_shape s;
	const struct tensor *t[3];

	if (th_shape(c, th_in(c, 0), &s))
		return th_done(c);
	for (int i = 0; i < 3; i++)
		if (!(t[i] = bind_known(c, i)) || t[i]->count != 1)
			return c->err->code ? th_done(c) : err_set(c->err, ERR_INPUT, "input %d is not a number", i);
	if (is_variable(c, 0) || is_variable(c, 2))
		return th_give(c, range_of(c, t[0]->f[0], t[1]->f[0], t[2]->f[0], s.dtype));
	if (dtype_is_float(s.dtype))
		return th_give(c,
			       th_op(c, "arange.start_step", "fffd", t[0]->f[0], t[1]->f[0], t[2]->f[0], (int)s.dtype));
	return th_give(c, th_op(c, "arange.start_step", "llld", t[0]->i[0], t[1]->i[0], t[2]->i[0], (int)s.dtype));
}

static int run_constant_of_shape(struct bind_call *c)
{
	const struct attr *value = node_attr(c->node, "value");
	enum dtype t = value ? value->t->dtype : DT_FLOAT;
	const int64_t *dims;
	int n, found;

	if (value && (value->type != ATTR_TENSOR || value->t->count != 1))
		return err_set(c->err, ERR_INPUT, "value is not one element");
	if (th_ints(c, NULL, 0, &dims, &n, &found))
		return th_done(c);
	return th_give(c, th_op(c, "expand", "tI", th_number(c, t, value ? tensor_get(value->t, 0) : 0), dims, n));
}

static int run_eye_like(struct bind_call *c)
{
	int64_t k = attr_int(c->node, "k");
	struct th_shape s;
	enum dtype t;
	void *eye;

	if (th_shape(c, th_in(c, 0), &s))
		return th_done(c);
	t = c->call->out_type[0].dtype;
	eye = th_op(c, "ones", "Id", s.dims, s.rank, (int)t);
	eye = th_op(c, "triu", "tl", th_op(c, "tril", "tl", eye, k), k);
	return th_give(c, eye);
}

static int run_trilu(struct bind_call *c)
{
	int64_t k = th_int(c, 1, 0);

	return th_give(c, th_op(c, attr_int(c->node, "upper") ? "triu" : "tril", "tl", th_in(c, 0), k));
}

const struct binding th_rows_shape[] = {
	{"Concat", run_concat, NULL},
	{"ConstantOfShape", run_constant_of_shape, NULL},
	{"DepthToSpace", run_depth_to_space, NULL},
	{"Expand", run_expand, NULL},
	{"EyeLike", run_eye_like, NULL},
	{"Flatten", run_reshape, NULL},
	{"Identity", run_identity, NULL},
	{"Pad", run_pad, NULL},
	{"Range", run_range, NULL},
	{"Reshape", run_reshape, NULL},
	{"Slice", run_slice, NULL},
	{"SpaceToDepth", run_space_to_depth, NULL},
	{"Split", run_split, NULL},
	{"Squeeze", run_reshape, NULL},
	{"Tile", run_tile, NULL},
	{"Transpose", run_transpose, NULL},
	{"Trilu", run_trilu, NULL},
	{"Unsqueeze", run_reshape, NULL},
	{0},
};
