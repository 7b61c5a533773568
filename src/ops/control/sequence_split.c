/* sequence_split.c - between one tensor and a sequence of its parts: SplitToSequence, ConcatFromSequence. */
#include "ops/control/samplers.h"
#include "ops/kit/container.h"

#include <string.h>

/* ---- SplitToSequence --------------------------------------------------------------------------------------------- */

static const struct op_attr split_attrs[] = {OP_INT("axis", 0), OP_INT("keepdims", 1), {0}};

static int split_to_sequence_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	int axis, rc = 0;

	if (x)
		rc = call_axis(c, attr_int(c->node, "axis"), x->rank, &axis);
	if (!rc)
		call_out_sequence(c, 0, c->out_type[0].dtype);
	return rc;
}

/* Lengths of the parts: *list, or, when that is NULL, *chunk each and the rest last. */
static int split_lengths(struct call *c, int64_t dim, const int64_t **list, int64_t *chunk, size_t *n)
{
	const struct tensor *split = call_has(c, 1) ? c->in[1] : NULL;
	int64_t left = dim;

	*list = NULL;
	*chunk = split && split->rank == 0 ? split->i[0] : 1;
	if (split && split->rank > 1)
		return call_bad(c, "split has rank %d, wanted 0 or 1", split->rank);
	if (!split || split->rank == 0) {
		if (*chunk < 1)
			return call_bad(c, "split is %lld, wanted a positive number", (long long)*chunk);
		*n = (size_t)(dim / *chunk + (dim % *chunk != 0));
		return 0;
	}
	for (size_t i = 0; i < split->count; i++) {
		if (split->i[i] < 0 || split->i[i] > left)
			return call_bad(c, "the parts of split do not fit a dimension of %lld", (long long)dim);
		left -= split->i[i];
	}
	if (left)
		return call_bad(c, "the parts of split leave %lld of %lld", (long long)left, (long long)dim);
	*list = split->i;
	*n = split->count;
	return 0;
}

static struct value *take_part(struct call *c, const struct slab *from, int axis, size_t at, int64_t len, int drop)
{
	const struct tensor *x = from->t;
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *y;
	struct slab to;

	memcpy(dims, x->dims, sizeof dims);
	dims[axis] = len;
	if (drop)
		memmove(dims + axis, dims + axis + 1, (size_t)(x->rank - axis - 1) * sizeof *dims);
	y = tensor_new(x->dtype, x->rank - drop, dims, c->err);
	if (!y)
		return NULL;
	to = (struct slab){y, from->outer, from->inner * (size_t)len, from->inner};
	if (slab_copy(&to, 0, from, at, (size_t)len, c->err)) {
		tensor_unref(y);
		return NULL;
	}
	return call_wrap(c, y);
}

static int split_to_sequence_eval(struct call *c)
{
	int drop = !attr_int(c->node, "keepdims") && !call_has(c, 1);
	const int64_t *list;
	struct value **items, *seq;
	struct slab from;
	int64_t chunk, at = 0;
	size_t n = 0, made = 0;
	int axis, rc = call_axis(c, attr_int(c->node, "axis"), c->in[0]->rank, &axis);

	if (!rc)
		rc = split_lengths(c, c->in[0]->dims[axis], &list, &chunk, &n);
	if (rc)
		return rc;
	if (n > SEQUENCE_MAX_ITEMS)
		return err_set(c->err, ERR_LIMIT, "the sequence has %zu items, more than %zu", n, SEQUENCE_MAX_ITEMS);
	items = call_scratch(c, n + 1, sizeof *items);
	if (!items)
		return c->err->code;
	slab_init(&from, c->in[0], axis);
	for (; made < n; made++) {
		int64_t left = c->in[0]->dims[axis] - at, len = list ? list[made] : chunk < left ? chunk : left;

		items[made] = take_part(c, &from, axis, (size_t)at, len, drop);
		if (!items[made])
			break;
		at += len;
	}
	if (made == n) {
		seq = value_sequence(c->in[0]->dtype, items, n, c->err);
		return seq ? call_give(c, 0, seq) : c->err->code;
	}
	for (size_t i = 0; i < made; i++)
		value_unref(items[i]);
	return c->err->code;
}

const struct op op_split_to_sequence = {
	.samples = SAMPLES({.by = &sampler_split_to_sequence}),
	.in = {{"input", T_ANY, 'T', 0}, {"split", T_INDEX, 0, PORT_OPTIONAL}},
	.out = {{"output_sequence", T_ANY, 'T', PORT_ANY_KIND}},
	.attrs = split_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = split_to_sequence_infer,
	.eval = split_to_sequence_eval,
};

/* ---- ConcatFromSequence ------------------------------------------------------------------------------------------ */

static const struct op_attr concat_attrs[] = {OP_NEEDS("axis", ATTR_INT), OP_INT("new_axis", 0), {0}};

static int concat_axis(struct call *c, int rank, int *axis)
{
	return call_axis(c, attr_int(c->node, "axis"), rank + (attr_int(c->node, "new_axis") != 0), axis);
}

static int concat_from_sequence_infer(struct call *c)
{
	const struct type *item = c->in_type[0].elem;
	struct type t;
	int axis, rc;

	if (c->in_type[0].kind != VALUE_NONE && c->in_type[0].kind != VALUE_SEQUENCE)
		return call_bad(c, "input 0 is not a sequence");
	if (!item || item->kind != VALUE_TENSOR || item->rank < 0)
		return 0; /* dtype is preset */
	t = *item;
	rc = concat_axis(c, t.rank, &axis);
	if (rc)
		return rc;
	if (attr_int(c->node, "new_axis"))
		container_type_add_axis(&t, axis, DIM_UNKNOWN);
	else
		t.dims[axis] = DIM_UNKNOWN;
	call_out_type(c, 0, &t);
	return 0;
}

/* Shape of the result in y (dims[axis] is the sum), from the items. */
static int concat_shape(struct call *c, struct tensor *const *items, size_t n, int fresh, int *axis, struct type *y)
{
	int rc = concat_axis(c, items[0]->rank, axis);

	if (rc)
		return rc;
	type_set(y, items[0]->dtype, items[0]->rank, items[0]->dims);
	if (fresh) {
		container_type_add_axis(y, *axis, (int64_t)n);
		if (y->rank < 0)
			return call_bad(c, "rank %d is too high for a new axis", items[0]->rank);
	}
	for (size_t i = 1; i < n; i++) {
		if (items[i]->dtype != items[0]->dtype || items[i]->rank != items[0]->rank)
			return call_bad(c, "item %zu differs from item 0 in type or rank", i);
		for (int d = 0; d < items[0]->rank; d++)
			if (items[i]->dims[d] != items[0]->dims[d] && (fresh || d != *axis))
				return call_bad(c, "item %zu differs from item 0 in dimension %d", i, d);
		if (!fresh && __builtin_add_overflow(y->dims[*axis], items[i]->dims[*axis], &y->dims[*axis]))
			return call_bad(c, "the sum of the items is too long");
	}
	return 0;
}

static int concat_items(struct call *c, struct tensor *const *items, size_t n)
{
	int fresh = attr_int(c->node, "new_axis") != 0;
	struct type type = TYPE_INIT;
	struct slab to;
	size_t at = 0;
	int axis, rc = concat_shape(c, items, n, fresh, &axis, &type);

	if (rc)
		return rc;
	if (!call_alloc(c, 0, type.dtype, type.rank, type.dims))
		return c->err->code;
	slab_init(&to, c->out[0], axis);
	for (size_t i = 0; i < n && !rc; i++) {
		size_t len = fresh ? 1 : (size_t)items[i]->dims[axis];
		struct slab from = {items[i], to.outer, to.inner * len, to.inner};

		rc = slab_copy(&to, at, &from, 0, len, c->err);
		at += len;
	}
	return rc;
}

static int concat_from_sequence_eval(struct call *c)
{
	struct value *seq = call_sequence(c, 0);
	struct tensor **items;
	int rc = 0;

	if (!seq)
		return c->err->code;
	if (!seq->n)
		return call_bad(c, "the sequence is empty");
	items = call_scratch(c, seq->n, sizeof *items);
	if (!items)
		return c->err->code;
	for (size_t i = 0; i < seq->n && !rc; i++) {
		items[i] = call_item(c, seq, i);
		rc = items[i] ? 0 : c->err->code;
	}
	if (!rc)
		rc = concat_items(c, items, seq->n);
	for (size_t i = 0; i < seq->n; i++)
		tensor_unref(items[i]);
	return rc;
}

const struct op op_concat_from_sequence = {
	.drawn_with = "SequenceConstruct",
	.in = {{"input_sequence", T_ANY, 'T', PORT_ANY_KIND}},
	.out = {{"concat_result", T_ANY, 'T', 0}},
	.attrs = concat_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = concat_from_sequence_infer,
	.eval = concat_from_sequence_eval,
};
