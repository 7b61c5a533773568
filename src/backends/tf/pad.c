/* pad.c - Pad: constant by PadV2, reflect by MirrorPad, edge and wrap by gathering along each axis. */
#include <string.h>

#include "backends/tf/tf.h"

struct pads {
	int64_t before[TENSOR_MAX_RANK], after[TENSOR_MAX_RANK];
};

static int read_pads(struct bind_call *c, const struct tf_value *x, struct pads *p)
{
	const int64_t *list, *axes;
	size_t n, n_axes;
	int found, some, axis;

	memset(p, 0, sizeof *p);
	if (tf_ints(c, c->version < 2 ? "paddings" : "pads", c->version < 11 ? -1 : 1, &list, &n, &found) ||
	    tf_ints(c, NULL, c->version < 18 ? -1 : 3, &axes, &n_axes, &some))
		return c->err->code;
	if (!some)
		n_axes = (size_t)x->rank;
	if (!found || n != 2 * n_axes)
		return err_set(c->err, ERR_INPUT, "%zu pads for %zu axes", n, n_axes);
	for (size_t i = 0; i < n_axes; i++) {
		if (tf_axis(c, some ? axes[i] : (int64_t)i, x->rank, &axis))
			return c->err->code;
		if (list[i] > INT32_MAX || list[i] < -INT32_MAX || list[n_axes + i] > INT32_MAX ||
		    list[n_axes + i] < -INT32_MAX)
			return bind_unsupported(c, "pads of more than 31 bits");
		p->before[axis] = list[i];
		p->after[axis] = list[n_axes + i];
	}
	return 0;
}

/* Negative pads cut; what is left to add stays in p. */
static struct tf_value *cut(struct bind_call *c, struct tf_value *x, struct pads *p)
{
	int64_t begin[TENSOR_MAX_RANK], size[TENSOR_MAX_RANK];
	int any = 0;

	for (int i = 0; i < x->rank; i++) {
		begin[i] = p->before[i] < 0 ? -p->before[i] : 0;
		size[i] = x->dims[i] - begin[i] + (p->after[i] < 0 ? p->after[i] : 0);
		any |= size[i] != x->dims[i];
		p->before[i] = p->before[i] < 0 ? 0 : p->before[i];
		p->after[i] = p->after[i] < 0 ? 0 : p->after[i];
	}
	return any ? tf_slice(c, x, begin, size) : x;
}

static struct tf_value *pairs_of(struct bind_call *c, const struct pads *p, int rank)
{
	int64_t pairs[2 * TENSOR_MAX_RANK], dims[2] = {rank, 2};

	for (int i = 0; i < rank; i++) {
		pairs[2 * i] = p->before[i];
		pairs[2 * i + 1] = p->after[i];
	}
	return tf_reshape(c, tf_list(c, pairs, 2 * rank), 2, dims);
}

static struct tf_value *constant(struct bind_call *c, struct tf_value *x, const struct pads *p)
{
	struct tf_value *value;

	if (c->version >= 11 && tf_has(c, 2))
		value = tf_reshape(c, tf_in(c, 2), 0, NULL);
	else
		value = tf_scalar(c, x->dtype, c->version < 11 ? attr_float(c->node, "value") : 0);
	return tf_3(c, "PadV2", x, pairs_of(c, p, x->rank), value);
}

static struct tf_value *mirror(struct bind_call *c, struct tf_value *x, const struct pads *p)
{
	struct tf_op op;

	for (int i = 0; i < x->rank; i++) {
		if (p->before[i] < x->dims[i] && p->after[i] < x->dims[i])
			continue;
		bind_unsupported(c, "tensorflow reflects less than a whole axis");
		return NULL;
	}
	op = tf_op(c, "MirrorPad");
	tf_op_in(&op, x);
	tf_op_in(&op, pairs_of(c, p, x->rank));
	tf_op_string(&op, "mode", "REFLECT");
	return tf_op_run(&op);
}

/* Repeats elements along one axis: the last one at the end (edge), or the axis from its start (wrap). */
static struct tf_value *repeat(struct bind_call *c, struct tf_value *x, int axis, const struct pads *p, int wrap)
{
	int64_t dim = x->dims[axis], total = dim + p->before[axis] + p->after[axis], *index;

	if (total == dim)
		return x;
	index = arena_array(c->tmp, (size_t)total, sizeof *index);
	if (!index || dim < 1) {
		err_set(c->err, index ? ERR_INPUT : ERR_MEMORY, "axis %d cannot be padded to %lld", axis,
			(long long)total);
		return NULL;
	}
	for (int64_t i = 0; i < total; i++) {
		int64_t at = i - p->before[axis];

		if (wrap)
			at = ((at % dim) + dim) % dim;
		index[i] = at < 0 ? 0 : at >= dim ? dim - 1 : at;
	}
	return tf_3(c, "GatherV2", x, tf_list(c, index, (int)total), tf_scalar(c, DT_INT32, axis));
}

static int run_pad(struct bind_call *c)
{
	const char *mode = attr_string(c->node, "mode");
	struct tf_value *x = tf_in(c, 0);
	struct pads p;

	if (tf_failed(c) || tf_static(c, x) || read_pads(c, x, &p))
		return c->err->code;
	x = cut(c, x, &p);
	if (tf_failed(c))
		return c->err->code;
	if (!strcmp(mode, "constant"))
		return tf_out(c, 0, constant(c, x, &p));
	if (!strcmp(mode, "reflect"))
		return tf_out(c, 0, mirror(c, x, &p));
	if (strcmp(mode, "edge") != 0 && strcmp(mode, "wrap") != 0)
		return bind_unsupported(c, "mode '%s'", mode);
	for (int i = 0; i < x->rank && !tf_failed(c); i++)
		x = repeat(c, x, i, &p, !strcmp(mode, "wrap"));
	return tf_out(c, 0, x == tf_in(c, 0) ? tf_1(c, "Identity", x) : x);
}

const struct binding tf_rows_pad[] = {
	{"Pad", run_pad, NULL},
	{0},
};
