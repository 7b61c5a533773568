/* optional.c - Optional, OptionalHasElement, OptionalGetElement.
 *
 * From version 18 on the last two also take plain tensors and sequences, which count as filled. */
#include "ops/control/samplers.h"
#include "ops/kit/container.h"

/* ---- Optional ---------------------------------------------------------------------------------------------------- */

static const struct op_attr optional_attrs[] = {OP_ATTR("type", ATTR_TYPE), {0}};

static int optional_infer(struct call *c)
{
	const struct attr *a = node_attr(c->node, "type");
	struct type t = {.kind = VALUE_OPTIONAL, .rank = -1};

	if (call_has(c, 0)) {
		const struct type *in = &c->in_type[0];

		t.dtype = in->dtype;
		if (in->kind == VALUE_TENSOR)
			t.elem = elem_tensor(in->dtype);
		else if (in->kind == VALUE_SEQUENCE)
			t.elem = elem_sequence(in->dtype);
	} else {
		if (!a || !a->tp)
			return call_bad(c, "has neither an input nor a type");
		t.dtype = a->tp->dtype;
		t.elem = a->tp;
	}
	call_out_type(c, 0, &t);
	return 0;
}

static int optional_eval(struct call *c)
{
	struct value *element = NULL, *v;

	if (call_has(c, 0)) {
		element = call_value(c, 0);
		if (!element)
			return c->err->code;
	}
	v = value_optional(element, c->err);
	if (!v)
		return c->err->code;
	if (v->dtype == DT_UNDEFINED)
		v->dtype = c->out_type[0].dtype;
	return call_give(c, 0, v);
}

const struct op op_optional = {
	.samples = SAMPLES({.by = &sampler_optional}),
	.in = {{"input", T_ANY, 0, PORT_OPTIONAL | PORT_ANY_KIND}},
	.out = {{"output", T_ANY, 0, PORT_ANY_KIND}},
	.attrs = optional_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = optional_infer,
	.eval = optional_eval,
};

/* ---- OptionalHasElement ------------------------------------------------------------------------------------------ */

static int check_kind(struct call *c)
{
	if (c->version < 18 && c->n_in && c->in_type[0].kind != VALUE_NONE && c->in_type[0].kind != VALUE_OPTIONAL)
		return call_bad(c, "input 0 is not an optional");
	return 0;
}

static int optional_has_element_infer(struct call *c)
{
	if (c->version < 18 && !call_has(c, 0))
		return call_bad(c, "input 0 is left out");
	call_out(c, 0, DT_BOOL, 0, NULL);
	return check_kind(c);
}

static int optional_has_element_eval(struct call *c)
{
	const struct value *v = call_has(c, 0) && c->in_value ? c->in_value[0] : NULL;

	c->out[0]->i[0] = v ? v->kind != VALUE_OPTIONAL || v->n : call_has(c, 0) && c->in[0];
	return 0;
}

const struct op op_optional_has_element = {
	.drawn_with = "Optional",
	.in = {{"input", T_ANY, 0, PORT_OPTIONAL | PORT_ANY_KIND}},
	.out = {{"output", T_BOOL, 0, 0}},
	.infer = optional_has_element_infer,
	.eval = optional_has_element_eval,
};

/* ---- OptionalGetElement ------------------------------------------------------------------------------------------ */

static int optional_get_element_infer(struct call *c)
{
	const struct type *in = &c->in_type[0];

	if (in->kind != VALUE_OPTIONAL)
		call_out_type(c, 0, in);
	else if (in->elem)
		call_out_type(c, 0, in->elem);
	return check_kind(c);
}

static int optional_get_element_eval(struct call *c)
{
	struct value *v = call_value(c, 0), *element;

	if (!v || v->kind != VALUE_OPTIONAL)
		return v ? call_give(c, 0, v) : c->err->code;
	element = v->n ? value_ref(v->items[0]) : NULL;
	value_unref(v);
	return element ? call_give(c, 0, element) : call_bad(c, "the optional is empty");
}

const struct op op_optional_get_element = {
	.drawn_with = "Optional",
	.in = {{"input", T_ANY, 0, PORT_ANY_KIND}},
	.out = {{"output", T_ANY, 0, PORT_ANY_KIND}},
	.flags = OP_OWN_OUTPUTS,
	.infer = optional_get_element_infer,
	.eval = optional_get_element_eval,
};
