/* patches.c - pieces of images put back together: Col2Im, MaxUnpool, CenterCropPad. */
#include <string.h>

#include "backends/torch/th.h"

/* `want` numbers of an attribute, or as often its default. */
static int numbers(struct bind_call *c, const char *name, size_t want, int64_t *out)
{
	int64_t usual = (int64_t)attr_default(c->node, name)->number;
	size_t n;
	const int64_t *list = node_ints(c->node, name, &n);

	if (list && n != want)
		return err_set(c->err, ERR_INPUT, "'%s' has %zu numbers, wanted %zu", name, n, want);
	for (size_t i = 0; i < want; i++)
		out[i] = list ? list[i] : usual;
	return 0;
}

/* torch has it for images, padded alike at both ends. */
static int run_col2im(struct bind_call *c)
{
	int64_t dilations[2], strides[2], pads[4];
	const int64_t *image, *block;
	int n_image, n_block, found;

	if (th_ints(c, NULL, 1, &image, &n_image, &found) || th_ints(c, NULL, 2, &block, &n_block, &found))
		return th_done(c);
	if (n_image != 2 || n_block != 2)
		return bind_unsupported(c, "%d spatial axes, torch knows 2", n_image);
	if (numbers(c, "dilations", 2, dilations) || numbers(c, "strides", 2, strides) || numbers(c, "pads", 4, pads))
		return th_done(c);
	if (pads[0] != pads[2] || pads[1] != pads[3])
		return bind_unsupported(c, "padding that differs at both ends");
	return th_give(
		c, th_op(c, "col2im", "tIIIII", th_in(c, 0), image, 2, block, 2, dilations, 2, pads, 2, strides, 2));
}

/* Each place of the output is named at most once: which of several values stays is open. */
static int check_places(struct bind_call *c, int64_t count)
{
	const struct tensor *at = bind_known(c, 1);
	unsigned char *seen = arena_array(c->tmp, (size_t)count + 1, 1);

	if (!at || !seen)
		return at ? err_nomem(c->err, "places", (size_t)count) : c->err->code;
	for (size_t i = 0; i < at->count; i++) {
		if (at->i[i] < 0 || at->i[i] >= count)
			return err_set(c->err, ERR_INPUT, "index %lld of %lld elements", (long long)at->i[i],
				       (long long)count);
		if (seen[at->i[i]]++)
			return bind_unsupported(c, "two values for one place");
	}
	return 0;
}

/* Indices count in the whole output, whose other elements are 0. */
static int run_max_unpool(struct bind_call *c)
{
	const struct type *out = &c->call->out_type[0];
	int64_t count = 1;
	void *flat;

	if (th_in(c, 2))
		return bind_unsupported(c, "output_shape, of which it is open in what shape indices count");
	if (!type_is_static(out))
		return bind_unsupported(c, "the shape of its output is not known");
	for (int i = 0; i < out->rank; i++)
		count *= out->dims[i];
	if (check_places(c, count))
		return th_done(c);
	flat = th_op(c, "zeros", "Id", &count, 1, (int)out->dtype);
	flat = th_op(c, "scatter.src", "titt", flat, 0, th_op(c, "flatten.using_ints", "t", th_in(c, 1)),
		     th_op(c, "flatten.using_ints", "t", th_in(c, 0)));
	return th_give(c, th_reshape(c, flat, out->dims, out->rank));
}

/* The middle of an axis that is too long, zeros around one that is too short; the odd element goes to the end. */
static int run_center_crop_pad(struct bind_call *c)
{
	int64_t before[TENSOR_MAX_RANK] = {0}, after[TENSOR_MAX_RANK] = {0};
	const int64_t *sizes, *axes;
	int n, found, axis;
	struct th_shape s;
	size_t n_axes;

	if (th_shape(c, th_in(c, 0), &s) || th_ints(c, NULL, 1, &sizes, &n, &found))
		return th_done(c);
	axes = node_ints(c->node, "axes", &n_axes);
	if (n != (axes ? (int)n_axes : s.rank))
		return err_set(c->err, ERR_INPUT, "%d sizes for %d axes", n, axes ? (int)n_axes : s.rank);
	for (int i = 0; i < n; i++) {
		int64_t more;

		if (th_axis(c, axes ? axes[i] : i, s.rank, &axis))
			return th_done(c);
		more = sizes[i] - s.dims[axis];
		before[axis] = more < 0 ? -(-more / 2) : more / 2;
		after[axis] = more - before[axis];
	}
	return th_give(c, th_pad(c, c->in[0], before, after, s.rank, 0));
}

const struct binding th_rows_patches[] = {
	{"CenterCropPad", run_center_crop_pad, NULL},
	{"Col2Im", run_col2im, NULL},
	{"MaxUnpool", run_max_unpool, NULL},
	{0},
};
