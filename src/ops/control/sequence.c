/* sequence.c - making sequences of tensors and taking items out of them, and SequenceMap.
 *
 * Sequences are values that share their items: inserting or erasing copies pointers, never tensors. */
#include "ops/control/samplers.h"
#include "ops/kit/container.h"

#include <string.h>

#define SEQ_IN "input_sequence", T_ANY, 'T', PORT_ANY_KIND
#define SEQ_OUT "output_sequence", T_ANY, 'T', PORT_ANY_KIND

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* Input `in` must be a sequence, as far as is known. */
static int infer_check_sequence(struct call *c, int in)
{
	if (c->in_type[in].kind != VALUE_NONE && c->in_type[in].kind != VALUE_SEQUENCE)
		return call_bad(c, "input %d is not a sequence", in);
	return 0;
}

/* Element type of a sequence input: what the element says, else what the sequence says. */
static struct type item_type(const struct call *c, int in)
{
	const struct type *s = &c->in_type[in];

	return s->elem ? *s->elem : *elem_tensor(s->dtype);
}

/* A new sequence of n items, which are borrowed, as output 0. */
static int give_sequence(struct call *c, int out, enum dtype t, struct value *const *items, size_t n)
{
	struct value **refs, *seq;

	if (n > SEQUENCE_MAX_ITEMS)
		return err_set(c->err, ERR_LIMIT, "the sequence has %zu items, more than %zu", n, SEQUENCE_MAX_ITEMS);
	refs = call_scratch(c, n + 1, sizeof *refs);
	if (!refs)
		return c->err->code;
	for (size_t i = 0; i < n; i++)
		refs[i] = value_ref(items[i]);
	seq = value_sequence(t, refs, n, c->err);
	return seq ? call_give(c, out, seq) : c->err->code;
}

/* Position from an optional scalar input, in [-n, n - 1] (or n with `end`). */
static int read_position(struct call *c, int in, size_t n, int end, size_t otherwise, size_t *at)
{
	int64_t p, count = (int64_t)n;
	int rc;

	*at = otherwise;
	if (!call_has(c, in))
		return n || end ? 0 : call_bad(c, "the sequence is empty");
	rc = call_single(c, c->in[in], "the position", &p);
	if (rc)
		return rc;
	if (p < -count || p >= count + end)
		return call_bad(c, "position %lld is outside of a sequence of %zu items", (long long)p, n);
	*at = (size_t)(p < 0 ? p + count : p);
	return 0;
}

/* ---- SequenceEmpty, SequenceConstruct ---------------------------------------------------------------------------- */

static int empty_dtype(struct call *c, enum dtype *t)
{
	int64_t code = attr_int(c->node, "dtype");

	*t = dtype_from_code(code);
	return *t == DT_UNDEFINED ? call_bad(c, "dtype %lld is not known", (long long)code) : 0;
}

static int sequence_empty_infer(struct call *c)
{
	enum dtype t;
	int rc = empty_dtype(c, &t);

	if (!rc)
		call_out_sequence(c, 0, t);
	return rc;
}

static int sequence_empty_eval(struct call *c)
{
	enum dtype t;
	int rc = empty_dtype(c, &t);

	return rc ? rc : give_sequence(c, 0, t, NULL, 0);
}

static const struct op_attr sequence_empty_attrs[] = {OP_INT("dtype", DT_FLOAT), {0}};

const struct op op_sequence_empty = {
	.drawn_with = "SequenceConstruct",
	.out = {{"output", T_ANY, 0, PORT_ANY_KIND}},
	.attrs = sequence_empty_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = sequence_empty_infer,
	.eval = sequence_empty_eval,
};

static int sequence_construct_infer(struct call *c)
{
	call_out_sequence(c, 0, c->out_type[0].dtype);
	return 0;
}

static int sequence_construct_eval(struct call *c)
{
	struct value **items = call_scratch(c, (size_t)c->n_in, sizeof *items);
	int rc = items ? 0 : c->err->code;

	for (int i = 0; i < c->n_in && !rc; i++) {
		items[i] = call_value(c, i);
		rc = items[i] ? 0 : c->err->code;
	}
	if (!rc)
		rc = give_sequence(c, 0, c->in[0]->dtype, items, (size_t)c->n_in);
	for (int i = 0; items && i < c->n_in; i++)
		value_unref(items[i]);
	return rc;
}

const struct op op_sequence_construct = {
	.samples = SAMPLES({.name = "Sequence", .by = &sampler_sequence, .in = 1, .in_max = 4}),
	.in = {{"inputs", T_ANY, 'T', PORT_VARIADIC}},
	.out = {{SEQ_OUT}},
	.flags = OP_OWN_OUTPUTS,
	.infer = sequence_construct_infer,
	.eval = sequence_construct_eval,
};

/* ---- SequenceInsert, SequenceErase, SequenceAt, SequenceLength --------------------------------------------------- */

static int sequence_edit_infer(struct call *c)
{
	int rc = infer_check_sequence(c, 0);

	if (!rc)
		call_out_sequence(c, 0, c->out_type[0].dtype);
	return rc;
}

static int sequence_insert_eval(struct call *c)
{
	struct value *seq = call_sequence(c, 0), *item, **items;
	size_t at;
	int rc = seq ? read_position(c, 2, seq->n, 1, seq->n, &at) : c->err->code;

	if (rc)
		return rc;
	items = call_scratch(c, seq->n + 1, sizeof *items);
	item = items ? call_value(c, 1) : NULL;
	if (!item)
		return c->err->code;
	for (size_t i = 0; i < seq->n; i++)
		items[i < at ? i : i + 1] = seq->items[i];
	items[at] = item;
	rc = give_sequence(c, 0, c->in[1]->dtype, items, seq->n + 1);
	value_unref(item);
	return rc;
}

const struct op op_sequence_insert = {
	.drawn_with = "SequenceConstruct",
	.in = {{SEQ_IN}, {"tensor", T_ANY, 'T', 0}, {"position", T_INDEX, 0, PORT_OPTIONAL}},
	.out = {{SEQ_OUT}},
	.flags = OP_OWN_OUTPUTS,
	.infer = sequence_edit_infer,
	.eval = sequence_insert_eval,
};

static int sequence_erase_eval(struct call *c)
{
	struct value *seq = call_sequence(c, 0), **items;
	size_t at;
	int rc = seq ? read_position(c, 1, seq->n, 0, seq->n - 1, &at) : c->err->code;

	if (rc)
		return rc;
	items = call_scratch(c, seq->n, sizeof *items);
	if (!items)
		return c->err->code;
	for (size_t i = 0; i < seq->n; i++)
		if (i != at)
			items[i < at ? i : i - 1] = seq->items[i];
	return give_sequence(c, 0, seq->dtype, items, seq->n - 1);
}

const struct op op_sequence_erase = {
	.drawn_with = "SequenceConstruct",
	.in = {{SEQ_IN}, {"position", T_INDEX, 0, PORT_OPTIONAL}},
	.out = {{SEQ_OUT}},
	.flags = OP_OWN_OUTPUTS,
	.infer = sequence_edit_infer,
	.eval = sequence_erase_eval,
};

static int sequence_at_infer(struct call *c)
{
	struct type t = item_type(c, 0);
	int rc = infer_check_sequence(c, 0);

	if (!rc && t.kind != VALUE_NONE)
		call_out_type(c, 0, &t);
	return rc;
}

static int sequence_at_eval(struct call *c)
{
	struct value *seq = call_sequence(c, 0);
	size_t at;
	int rc = seq ? read_position(c, 1, seq->n, 0, 0, &at) : c->err->code;

	return rc ? rc : call_give(c, 0, value_ref(seq->items[at]));
}

const struct op op_sequence_at = {
	.drawn_with = "SequenceConstruct",
	.in = {{SEQ_IN}, {"position", T_INDEX, 0, 0}},
	.out = {{"tensor", T_ANY, 'T', 0}},
	.flags = OP_OWN_OUTPUTS,
	.infer = sequence_at_infer,
	.eval = sequence_at_eval,
};

static int sequence_length_infer(struct call *c)
{
	int rc = infer_check_sequence(c, 0);

	if (!rc)
		call_out(c, 0, DT_INT64, 0, NULL);
	return rc;
}

static int sequence_length_eval(struct call *c)
{
	struct value *seq = call_sequence(c, 0);

	if (!seq)
		return c->err->code;
	c->out[0]->i[0] = (int64_t)seq->n;
	return 0;
}

const struct op op_sequence_length = {
	.drawn_with = "SequenceConstruct",
	.in = {{SEQ_IN}},
	.out = {{"length", T_I64, 0, 0}},
	.infer = sequence_length_infer,
	.eval = sequence_length_eval,
};

/* ---- SequenceMap ------------------------------------------------------------------------------------------------- */

/* out_j[i] = body(input_sequence[i], additional[i] or additional, …)[j]: additional sequences are walked along,
 * additional tensors are given whole. */
static const struct op_attr sequence_map_attrs[] = {OP_NEEDS("body", ATTR_GRAPH), {0}};

static int sequence_map_infer(struct call *c)
{
	const struct graph *body = node_graph(c->node, "body");
	int rc = infer_check_sequence(c, 0);

	if (!rc)
		rc = call_body_check(c, body, "body", (size_t)c->n_in, (size_t)c->n_out);
	for (int i = 0; i < c->n_out && !rc; i++)
		call_out_sequence(c, i, body->outputs.at[i]->type.dtype);
	return rc;
}

/* Item i of every sequence input, the whole of every other, as new references. */
static int map_inputs(struct call *c, size_t n, size_t i, struct value **in)
{
	for (int k = 0; k < c->n_in; k++) {
		struct value *v = call_value(c, k);

		if (!v)
			return c->err->code;
		in[k] = v;
		if (v->kind != VALUE_SEQUENCE)
			continue;
		if (v->n != n)
			return call_bad(c, "input %d has %zu items, the first sequence has %zu", k, v->n, n);
		in[k] = value_ref(v->items[i]);
		value_unref(v);
	}
	return 0;
}

static int map_step(struct call *c, const struct graph *body, size_t n, size_t i, struct value **in, struct value **out)
{
	int rc = call_step(c);

	if (!rc)
		rc = map_inputs(c, n, i, in);
	if (!rc)
		rc = call_body_run(c, body, in, out);
	for (int k = 0; k < c->n_in; k++) {
		value_unref(in[k]);
		in[k] = NULL;
	}
	return rc;
}

/* All results, out[i * outputs of the body + j]; dtypes of an empty result are those the body declares. */
static int sequence_map_eval(struct call *c)
{
	const struct graph *body = node_graph(c->node, "body");
	struct value *seq = call_sequence(c, 0), **in, **out, **column;
	size_t width = body->outputs.n, done = 0;
	int rc = 0;

	if (!seq)
		return c->err->code;
	in = call_scratch(c, body->inputs.n, sizeof *in);
	out = call_scratch(c, seq->n * width + 1, sizeof *out);
	column = call_scratch(c, seq->n + 1, sizeof *column);
	if (!in || !out || !column)
		return c->err->code;
	for (; done < seq->n && !rc; done++)
		rc = map_step(c, body, seq->n, done, in, out + done * width);
	for (int j = 0; j < c->n_out && !rc; j++) {
		enum dtype t = seq->n ? out[j]->dtype : body->outputs.at[j]->type.dtype;

		for (size_t i = 0; i < seq->n; i++)
			column[i] = out[i * width + (size_t)j];
		rc = give_sequence(c, j, t, column, seq->n);
	}
	for (size_t i = 0; i < done * width; i++)
		value_unref(out[i]);
	return rc;
}

const struct op op_sequence_map = {
	.undrawn = "no sampler makes a body for it",
	.in = {{"input_sequence", T_ANY, 0, PORT_ANY_KIND},
	       {"additional_inputs", T_ANY, 0, PORT_OPTIONAL | PORT_VARIADIC | PORT_ANY_KIND | PORT_MIXED}},
	.out = {{"out_sequence", T_ANY, 0, PORT_VARIADIC | PORT_ANY_KIND | PORT_MIXED}},
	.attrs = sequence_map_attrs,
	.flags = OP_OWN_OUTPUTS | OP_CONTROL,
	.infer = sequence_map_infer,
	.eval = sequence_map_eval,
};
