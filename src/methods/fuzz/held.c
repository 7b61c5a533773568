/* held.c - see held.h. */
#include "methods/fuzz/held.h"

#include <math.h>
#include <string.h>

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static unsigned of_float(double x)
{
	return (isnan(x) ? 1u << HELD_BIT_nan : 0) | (isinf(x) ? 1u << HELD_BIT_infinity : 0);
}

/* 0 is the lowest number of a type without sign, and nothing special. */
static unsigned of_int(enum dtype t, double x)
{
	int end = x >= dtype_max(t) || (!dtype_is_unsigned(t) && x <= dtype_lowest(t));

	return end ? 1u << HELD_BIT_integer_end : 0;
}

static unsigned of_tensor(const struct tensor *t)
{
	unsigned bits = 0;

	for (size_t i = 0; i < t->count; i++)
		bits |= dtype_is_float(t->dtype) ? of_float(tensor_get(t, i))
			: dtype_is_int(t->dtype) ? of_int(t->dtype, tensor_get(t, i))
						 : 0;
	return bits;
}

/* Constants of integers are settings more than numbers: the end of a Slice is often that of its type. */
static unsigned of_constant(const struct tensor *t)
{
	return dtype_is_float(t->dtype) ? of_tensor(t) : 0;
}

/* What a wire is given; NULL: a node makes it, or it is no tensor. */
static const struct tensor *given(const struct graph *g, struct value *const *inputs, const struct wire *w)
{
	for (size_t i = 0; w && i < g->inputs.n; i++)
		if (g->inputs.at[i] == w && inputs[i])
			return inputs[i]->kind == VALUE_TENSOR ? inputs[i]->tensor : NULL;
	return w ? w->init : NULL;
}

static int has_zero(const struct tensor *t)
{
	if (!dtype_is_float(t->dtype) && !dtype_is_int(t->dtype))
		return 0;
	for (size_t i = 0; i < t->count; i++)
		if (tensor_get(t, i) == 0)
			return 1;
	return 0;
}

/* What a node divides by; NULL: it divides by nothing. */
static const struct wire *divisor_of(const struct node *n)
{
	static const struct {
		const char *op;
		int port;
	} divisions[] = {{"Div", 1}, {"Mod", 1}, {"Reciprocal", 0}};

	for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++)
		if (!strcmp(n->op_type, divisions[i].op) && n->n_in > divisions[i].port)
			return n->in[divisions[i].port];
	return NULL;
}

unsigned held_in(const struct graph *g, struct value *const *inputs)
{
	unsigned bits = 0;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (inputs[i] && inputs[i]->kind == VALUE_TENSOR)
			bits |= of_tensor(inputs[i]->tensor);
	for (size_t i = 0; i < g->wires.n; i++)
		if (g->wires.at[i]->init)
			bits |= of_constant(g->wires.at[i]->init);
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct tensor *t = given(g, inputs, divisor_of(g->nodes.at[i]));

		bits |= t && has_zero(t) ? 1u << HELD_BIT_zero_divisor : 0;
	}
	return bits;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

void held_note(struct held *h, unsigned bits)
{
#define X(name, words) h->name += bits >> HELD_BIT_##name & 1;
	HELD_MAP(X)
#undef X
}

void held_text(const struct held *h, struct buf *out)
{
	const struct {
		const char *words;
		int64_t n;
	} rows[] = {
#define X(name, words) {words, h->name},
		HELD_MAP(X)
#undef X
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		buf_printf(out, "%s%lld%s with %s", i ? ", " : "", (long long)rows[i].n, i ? "" : " cases",
			   rows[i].words);
}

json_t *held_json(const struct held *h)
{
	json_t *o = json_object();

#define X(name, words) json_object_set_new(o, #name, json_integer((json_int_t)h->name));
	HELD_MAP(X)
#undef X
	return o;
}

void held_add_json(struct held *h, const json_t *from)
{
#define X(name, words) h->name += json_integer_value(json_object_get(from, #name));
	HELD_MAP(X)
#undef X
}
