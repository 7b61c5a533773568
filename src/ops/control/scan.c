/* scan.c - Scan: a loop over the indices of an axis.
 *
 *   for (t = 0; t < T; t++)
 *           states, rows = body(states, scan_1[t], …, scan_m[t])
 *
 * Version 8 does this for each item of a batch (axis 0), along axis 1, with a length of its own when sequence_lens is
 * given; later versions have no batch, but axes and directions for each input and output. */
#include "ops/control/samplers.h"
#include "ops/kit/container.h"

#include <string.h>

static const struct op_attr scan_attrs[] = {
	OP_NEEDS("body", ATTR_GRAPH),
	OP_NEEDS("num_scan_inputs", ATTR_INT),
	OP_INTS("directions", 0),
	OP_INTS("scan_input_axes", 0),
	OP_INTS("scan_input_directions", 0),
	OP_INTS("scan_output_axes", 0),
	OP_INTS("scan_output_directions", 0),
	{0},
};

/* A tensor that is read or written one index at a time. */
struct track {
	struct slab slab;
	int reverse;
	int rank; /* of one slice */
	int64_t dims[TENSOR_MAX_RANK];
};

struct scan {
	const struct graph *body;
	int batched;            /* version 8 */
	int first;              /* where the states start among the inputs */
	size_t n_state, n_scan; /* inputs */
	size_t n_rows;          /* scan outputs */
	const int64_t *in_axes, *in_directions, *out_axes, *out_directions; /* NULL: all 0 */
	int64_t batch, length;
	struct track *sources; /* [n_scan] */
	struct track *sinks;   /* [n_rows]; slab.t NULL before the first row */
	struct value **in, **out;
};

/* A list attribute of exactly n integers; NULL when absent. */
static int flag_list(struct call *c, const char *name, size_t n, const int64_t **list)
{
	size_t count;

	*list = node_ints(c->node, name, &count);
	if (*list && count != n)
		return call_bad(c, "attribute '%s' has %zu items, wanted %zu", name, count, n);
	return 0;
}

static int scan_layout(struct call *c, struct scan *s)
{
	int64_t n_scan = attr_int(c->node, "num_scan_inputs");
	int rc;

	s->batched = c->version == 8;
	s->first = s->batched;
	if (n_scan < 1 || n_scan > c->n_in - s->first)
		return call_bad(c, "num_scan_inputs is %lld for %d inputs", (long long)n_scan, c->n_in - s->first);
	s->n_scan = (size_t)n_scan;
	s->n_state = (size_t)(c->n_in - s->first) - s->n_scan;
	for (int i = s->first; i < c->n_in; i++)
		if (!call_has(c, i))
			return call_bad(c, "input %d is left out", i);
	s->body = node_graph(c->node, "body");
	rc = call_body_check(c, s->body, "body", s->n_state + s->n_scan, s->n_state);
	if (rc)
		return rc;
	s->n_rows = s->body->outputs.n - s->n_state;
	if ((size_t)c->n_out > s->body->outputs.n)
		return call_bad(c, "has %d outputs, but its body gives %zu", c->n_out, s->body->outputs.n);
	rc = flag_list(c, "scan_input_axes", s->n_scan, &s->in_axes);
	if (!rc)
		rc = flag_list(c, s->batched ? "directions" : "scan_input_directions", s->n_scan, &s->in_directions);
	if (!rc)
		rc = flag_list(c, "scan_output_axes", s->n_rows, &s->out_axes);
	if (!rc)
		rc = flag_list(c, "scan_output_directions", s->n_rows, &s->out_directions);
	return rc;
}

/* The axis of scan input i, whose shape is known. */
static int source_axis(struct call *c, const struct scan *s, size_t i, int rank, int *axis)
{
	if (s->batched) {
		*axis = 1;
		return rank >= 2 ? 0 : call_bad(c, "scan input %zu has rank %d, wanted at least 2", i, rank);
	}
	return call_axis(c, s->in_axes ? s->in_axes[i] : 0, rank, axis);
}

/* Batch size and length as far as the inputs' types tell; they must agree. */
static int scan_sizes(struct call *c, struct scan *s)
{
	s->batch = s->batched ? DIM_UNKNOWN : 1;
	s->length = DIM_UNKNOWN;
	for (size_t i = 0; i < s->n_scan; i++) {
		const struct type *t = call_shape(c, s->first + (int)(s->n_state + i));
		int axis, rc;

		if (!t)
			continue;
		rc = source_axis(c, s, i, t->rank, &axis);
		if (rc)
			return rc;
		if (s->length >= 0 && t->dims[axis] >= 0 && t->dims[axis] != s->length)
			return call_bad(c, "scan input %zu has length %lld, another %lld", i, (long long)t->dims[axis],
					(long long)s->length);
		if (t->dims[axis] >= 0)
			s->length = t->dims[axis];
		if (s->batched && s->batch >= 0 && t->dims[0] >= 0 && t->dims[0] != s->batch)
			return call_bad(c, "scan input %zu has batch size %lld, another %lld", i, (long long)t->dims[0],
					(long long)s->batch);
		if (s->batched && t->dims[0] >= 0)
			s->batch = t->dims[0];
	}
	return 0;
}

static int scan_infer(struct call *c)
{
	struct scan s = {0};
	int rc = scan_layout(c, &s);

	if (!rc)
		rc = scan_sizes(c, &s);
	for (int i = 0; i < c->n_out && !rc; i++) {
		struct type t = s.body->outputs.at[i]->type;
		int axis = 0;

		if ((size_t)i < s.n_state) { /* states keep their shape */
			call_out_like(c, i, s.first + i);
			continue;
		}
		container_type_forget_symbols(&t);
		if (s.out_axes && t.kind == VALUE_TENSOR && t.rank >= 0)
			rc = call_axis(c, s.out_axes[(size_t)i - s.n_state], t.rank + 1, &axis);
		container_type_add_axis(&t, axis, s.length);
		if (s.batched)
			container_type_add_axis(&t, 0, s.batch);
		call_out_type(c, i, &t);
	}
	return rc;
}

/* Prepares reading t along `axis`; with a batch, index b * length + t of the first two axes taken as one. */
static void track_open(struct track *k, struct tensor *t, int axis, int batched, int reverse)
{
	slab_init(&k->slab, t, axis);
	if (batched)
		k->slab.outer = 1;
	k->reverse = reverse;
	k->rank = 0;
	for (int d = batched ? 2 : 0; d < t->rank; d++)
		if (batched || d != axis)
			k->dims[k->rank++] = t->dims[d];
}

/* Slice `index` as a tensor of its own, in a value. */
static struct value *track_read(struct call *c, const struct track *k, size_t index)
{
	struct tensor *y = tensor_new(k->slab.t->dtype, k->rank, k->dims, c->err);
	struct slab to = {y, k->slab.outer, k->slab.inner, k->slab.inner};

	if (y && slab_copy(&to, 0, &k->slab, index, 1, c->err)) {
		tensor_unref(y);
		y = NULL;
	}
	return call_wrap(c, y);
}

/* Makes scan output i, now that the shape of a row is known. */
static int sink_open(struct call *c, struct scan *s, size_t i, enum dtype t, int rank, const int64_t *row)
{
	struct type type = {.kind = VALUE_TENSOR, .rank = rank};
	struct tensor *y;
	int axis = 0, rc = 0;

	memcpy(type.dims, row, (size_t)rank * sizeof *row);
	if (s->out_axes)
		rc = call_axis(c, s->out_axes[i], rank + 1, &axis);
	if (rc)
		return rc;
	container_type_add_axis(&type, axis, s->length);
	if (s->batched)
		container_type_add_axis(&type, 0, s->batch);
	if (type.rank != rank + 1 + s->batched)
		return call_bad(c, "scan output %zu has rank %d: too many to stack", i, rank);
	y = tensor_new(t, type.rank, type.dims, c->err);
	if (!y)
		return c->err->code;
	elements_clear(y); /* rows past a sequence's own length */
	track_open(&s->sinks[i], y, s->batched ? 1 : axis, s->batched, s->out_directions && s->out_directions[i]);
	return 0;
}

static int sink_write(struct call *c, struct scan *s, size_t i, const struct value *v, size_t base, int64_t t)
{
	struct track *k = &s->sinks[i];
	struct slab from;
	int rc = 0;

	if (v->kind != VALUE_TENSOR)
		return call_bad(c, "scan output %zu of the body is not a tensor", i);
	if (!k->slab.t)
		rc = sink_open(c, s, i, v->tensor->dtype, v->tensor->rank, v->tensor->dims);
	if (rc)
		return rc;
	if (k->slab.t->dtype != v->tensor->dtype || k->rank != v->tensor->rank ||
	    memcmp(k->dims, v->tensor->dims, (size_t)k->rank * sizeof *k->dims) != 0)
		return call_bad(c, "scan output %zu changes its shape or type between iterations", i);
	from = (struct slab){v->tensor, k->slab.outer, k->slab.inner, k->slab.inner};
	return slab_copy(&k->slab, base + (size_t)(k->reverse ? s->length - 1 - t : t), &from, 0, 1, c->err);
}

/* One iteration: s->in holds states then slices, s->out takes states then rows. */
static int scan_step(struct call *c, struct scan *s, size_t base, int64_t steps, int64_t t)
{
	int rc = call_step(c);

	for (size_t i = 0; i < s->n_scan && !rc; i++) {
		struct track *k = &s->sources[i];
		struct value **slot = &s->in[s->n_state + i];

		value_unref(*slot);
		*slot = track_read(c, k, base + (size_t)(k->reverse ? steps - 1 - t : t));
		rc = *slot ? 0 : c->err->code;
	}
	if (!rc)
		rc = call_body_run(c, s->body, s->in, s->out);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->n_state; i++) {
		struct value *was = s->in[i];

		s->in[i] = s->out[i];
		if (was->kind != VALUE_TENSOR || s->in[i]->kind != VALUE_TENSOR ||
		    !tensor_same_shape(was->tensor, s->in[i]->tensor) || was->tensor->dtype != s->in[i]->tensor->dtype)
			rc = call_bad(c, "state %zu changes its shape or type between iterations", i);
		value_unref(was);
	}
	for (size_t i = 0; i < s->n_rows; i++) {
		if (!rc)
			rc = sink_write(c, s, i, s->out[s->n_state + i], base, t);
		value_unref(s->out[s->n_state + i]);
	}
	return rc;
}

/* State i at the start: the input, or item b of it. */
static struct value *first_state(struct call *c, const struct scan *s, size_t i, size_t b)
{
	struct tensor *x = c->in[s->first + (int)i];
	struct track k = {.rank = 0};

	if (!x) {
		call_bad(c, "state %zu is not a tensor", i);
		return NULL;
	}
	if (!s->batched)
		return call_wrap(c, tensor_ref(x));
	if (x->rank < 1 || x->dims[0] != s->batch) {
		call_bad(c, "state %zu does not have the batch size %lld", i, (long long)s->batch);
		return NULL;
	}
	track_open(&k, x, 0, 0, 0);
	return track_read(c, &k, b);
}

/* Gives the final states of batch item b. */
static int give_states(struct call *c, struct scan *s, size_t b)
{
	int rc = 0;

	for (size_t i = 0; i < s->n_state && !rc; i++) {
		const struct tensor *x = c->in[s->first + (int)i], *y = s->in[i]->tensor;

		if (!call_wants(c, (int)i))
			continue;
		if (!s->batched)
			c->out[i] = tensor_ref(s->in[i]->tensor);
		else if (!c->out[i] && !call_alloc(c, (int)i, x->dtype, x->rank, x->dims))
			rc = c->err->code;
		else
			rc = elements_copy(c->out[i], b * y->count, y, 0, y->count, c->err);
	}
	return rc;
}

static int scan_sequence(struct call *c, struct scan *s, size_t b)
{
	const struct tensor *lens = s->batched && call_has(c, 0) ? c->in[0] : NULL;
	int64_t steps = lens ? lens->i[b] : s->length;
	int rc = call_step(c); /* an empty item costs something too */

	if (rc)
		return rc;
	if (steps < 0 || steps > s->length)
		return call_bad(c, "sequence %zu has length %lld of %lld", b, (long long)steps, (long long)s->length);
	for (size_t i = 0; i < s->n_state; i++) {
		value_unref(s->in[i]);
		s->in[i] = first_state(c, s, i, b);
		if (!s->in[i])
			return c->err->code;
	}
	for (int64_t t = 0; t < steps && !rc; t++)
		rc = scan_step(c, s, b * (size_t)s->length, steps, t);
	return rc ? rc : give_states(c, s, b);
}

static int scan_open(struct call *c, struct scan *s)
{
	int rc = scan_layout(c, s);

	if (!rc)
		rc = scan_sizes(c, s);
	if (rc)
		return rc;
	s->in = call_scratch(c, s->body->inputs.n, sizeof *s->in);
	s->out = call_scratch(c, s->body->outputs.n + 1, sizeof *s->out);
	s->sources = call_scratch(c, s->n_scan, sizeof *s->sources);
	s->sinks = call_scratch(c, s->n_rows + 1, sizeof *s->sinks);
	if (!s->in || !s->out || !s->sources || !s->sinks)
		return c->err->code;
	for (size_t i = 0; i < s->n_scan && !rc; i++) {
		struct tensor *x = c->in[s->first + (int)(s->n_state + i)];
		int axis;

		if (!x)
			return call_bad(c, "scan input %zu is not a tensor", i);
		rc = source_axis(c, s, i, x->rank, &axis);
		if (!rc)
			track_open(&s->sources[i], x, axis, s->batched, s->in_directions && s->in_directions[i]);
	}
	if (!rc && s->batched && call_has(c, 0) &&
	    (!c->in[0] || dtype_wide(c->in[0]->dtype) != WIDE_I64 || c->in[0]->count != (size_t)s->batch))
		rc = call_bad(c, "sequence_lens does not have %lld integers", (long long)s->batch);
	return rc;
}

/* Scan output i; its shape is the body's declaration when there was no iteration (undeclared dimensions: 0). */
static int give_rows(struct call *c, struct scan *s, size_t i)
{
	const struct type *row = &s->body->outputs.at[s->n_state + i]->type;
	int64_t dims[TENSOR_MAX_RANK] = {0};
	int out = (int)(s->n_state + i), rc = 0;

	if (!call_wants(c, out))
		return 0;
	if (!s->sinks[i].slab.t) {
		if (row->dtype == DT_UNDEFINED)
			return call_unsupported(c, "output %d: no iteration, and the body does not declare its type",
						out);
		for (int d = 0; d < row->rank; d++)
			dims[d] = row->dims[d] > 0 ? row->dims[d] : 0;
		rc = sink_open(c, s, i, row->dtype, row->rank > 0 ? row->rank : 0, dims);
	}
	if (!rc)
		c->out[out] = tensor_ref(s->sinks[i].slab.t);
	return rc;
}

static int scan_eval(struct call *c)
{
	struct scan s = {0};
	int rc = scan_open(c, &s);

	for (int64_t b = 0; b < s.batch && !rc; b++)
		rc = scan_sequence(c, &s, (size_t)b);
	for (size_t i = 0; i < s.n_state && !rc && s.batch == 0; i++)
		if (call_wants(c, (int)i))
			c->out[i] = tensor_ref(c->in[s.first + (int)i]);
	for (size_t i = 0; i < s.n_rows && !rc; i++)
		rc = give_rows(c, &s, i);
	for (size_t i = 0; s.in && i < s.n_state + s.n_scan; i++)
		value_unref(s.in[i]);
	for (size_t i = 0; s.sinks && i < s.n_rows; i++)
		tensor_unref(s.sinks[i].slab.t);
	return rc;
}

const struct op op_scan = {
	.samples = SAMPLES({.by = &sampler_scan}),
	/* Version 8 has an optional sequence_lens in front; from 9 on the first input is one like the others. */
	.in = {{"first", T_ANY, 0, PORT_OPTIONAL}, {"rest", T_ANY, 0, PORT_OPTIONAL | PORT_VARIADIC | PORT_MIXED}},
	.out = {{"final_state_and_scan_outputs", T_ANY, 0, PORT_VARIADIC | PORT_MIXED}},
	.attrs = scan_attrs,
	.flags = OP_OWN_OUTPUTS | OP_CONTROL,
	.infer = scan_infer,
	.eval = scan_eval,
};
