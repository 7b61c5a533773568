/* cast.c - Cast, CastLike, BitCast.
 *
 * Casts are conversions by meaning, so they round in exact mode too; but only to a type that cannot hold all values of
 * the source: what an exact float16 network carries in double passes through a cast to float32 unrounded. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "ops/call.h"
#include "ops/elementwise/samplers.h"
#include "ops/kit/convert.h"

#define T_CAST (T_NUM | T_BOOL | T_STRING | T_FLOAT8 | T_INT4)

struct cast {
	enum dtype from, to;
	int saturate;
	enum convert_round round;
};

/* ---- element by element ------------------------------------------------------------------------------------------ */

static void cast_float_to_float(const struct cast *k, const double *x, double *y, size_t n)
{
	if (convert_is_exact(k->from, k->to)) {
		memcpy(y, x, n * sizeof *y);
		return;
	}
	for (size_t i = 0; i < n; i++)
		y[i] = convert_float(x[i], k->to, k->saturate, k->round);
}

/* to a number; from anything but text */
static void cast_numbers(const struct cast *k, const struct tensor *x, struct tensor *y)
{
	int from_float = dtype_is_float(k->from), to_float = dtype_is_float(k->to);

	if (from_float && to_float)
		cast_float_to_float(k, x->f, y->f, x->count);
	for (size_t i = 0; i < x->count && from_float && !to_float; i++)
		y->i[i] = convert_float_to(x->f[i], k->to);
	for (size_t i = 0; i < x->count && !from_float && to_float; i++)
		y->f[i] = convert_int_to_float(k->from, x->i[i], k->to);
	for (size_t i = 0; i < x->count && !from_float && !to_float; i++)
		y->i[i] = dtype_wrap(k->to, x->i[i]);
}

static int cast_from_text(struct call *c, const struct cast *k, const struct tensor *x, struct tensor *y)
{
	for (size_t i = 0; i < x->count; i++) {
		int bad;

		if (dtype_is_float(k->to)) {
			bad = convert_text_to_float(x->s[i], &y->f[i]);
			if (!bad)
				y->f[i] = convert_float(y->f[i], k->to, k->saturate, k->round);
		} else {
			bad = convert_text_to_int(x->s[i], k->to, &y->i[i]);
		}
		if (bad)
			return call_bad(c, "cannot cast '%.40s' to %s", x->s[i].p, dtype_name(k->to));
	}
	return 0;
}

static int cast_to_text(struct call *c, const struct cast *k, const struct tensor *x, struct tensor *y)
{
	char text[CONVERT_TEXT_SIZE];

	for (size_t i = 0; i < x->count; i++) {
		size_t n;
		int rc;

		if (dtype_is_float(k->from))
			n = convert_float_to_text(dtype_round(k->from, x->f[i], 0), k->from, text, sizeof text);
		else
			n = convert_int_to_text(x->i[i], k->from, text, sizeof text);
		rc = tensor_set_string(y, i, text, n, c->err);
		if (rc)
			return rc;
	}
	return 0;
}

static int copy_text(struct call *c, const struct tensor *x, struct tensor *y)
{
	for (size_t i = 0; i < x->count; i++) {
		int rc = tensor_set_string(y, i, x->s[i].p, x->s[i].n, c->err);

		if (rc)
			return rc;
	}
	return 0;
}

/* ---- Cast, CastLike ---------------------------------------------------------------------------------------------- */

/* The type that attribute `to` names: a code, or in Cast-1 a name as "FLOAT" of TensorProto.DataType. */
static enum dtype attr_dtype(const struct node *n)
{
	const struct attr *a = node_attr(n, "to");
	char name[20];

	if (a && a->type == ATTR_INT)
		return dtype_from_code(a->i);
	if (!a || a->type != ATTR_STRING || a->s.n >= sizeof name)
		return DT_UNDEFINED;
	for (size_t i = 0; i <= a->s.n; i++)
		name[i] = (char)(a->s.p[i] >= 'A' && a->s.p[i] <= 'Z' ? a->s.p[i] + ('a' - 'A') : a->s.p[i]);
	return dtype_from_name(name);
}

static int round_mode(struct call *c, enum convert_round *out)
{
	const char *mode = attr_string(c->node, "round_mode");

	if (!strcmp(mode, "up"))
		*out = CONVERT_UP;
	else if (!strcmp(mode, "down"))
		*out = CONVERT_DOWN;
	else if (!strcmp(mode, "nearest"))
		*out = CONVERT_NEAREST;
	else
		return call_bad(c, "attribute round_mode is '%s', wanted 'up', 'down' or 'nearest'", mode);
	return 0;
}

static int infer_to(struct call *c, enum dtype to, uint32_t allowed)
{
	enum convert_round round;

	if (to == DT_UNDEFINED || !(TM(to) & allowed))
		return call_bad(c, "attribute to does not name an element type that can be cast to");
	c->out_type[0].dtype = to;
	call_out_shape_of(c, 0, 0);
	return round_mode(c, &round);
}

static int cast_infer(struct call *c)
{
	return infer_to(c, attr_dtype(c->node), T_CAST);
}

static int cast_like_infer(struct call *c)
{
	enum convert_round round;

	c->out_type[0].dtype = c->in_type[1].dtype;
	call_out_shape_of(c, 0, 0);
	return round_mode(c, &round);
}

static int cast_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	struct tensor *y = c->out[0];
	struct cast k = {x->dtype, y->dtype, attr_int(c->node, "saturate") != 0, CONVERT_UP};
	int from_text = k.from == DT_STRING, to_text = k.to == DT_STRING;
	int rc = round_mode(c, &k.round);

	if (rc)
		return rc;
	if (from_text && to_text)
		return copy_text(c, x, y);
	if (from_text)
		return cast_from_text(c, &k, x, y);
	if (to_text)
		return cast_to_text(c, &k, x, y);
	cast_numbers(&k, x, y);
	return 0;
}

/* dx += dy between floats; a cast through integers is flat. */
static int cast_grad(struct call *c)
{
	if (!c->out_grad[0] || !c->in_grad[0])
		return 0;
	for (size_t i = 0; i < c->in[0]->count; i++)
		c->in_grad[0]->f[i] += c->out_grad[0]->f[i];
	return 0;
}

#define HOW OP_INT("saturate", 1), OP_STRING("round_mode", "up")

static const struct op_attr cast_attrs[] = {
	OP_NEEDS("to", ATTR_STRING),
	OP_NEEDS_SINCE(6, "to", ATTR_INT),
	HOW,
	{0},
};

static const struct op_attr cast_like_attrs[] = {HOW, {0}};

/* Numbers that the type cast to does not have. */
static int cast_does_not_fit(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	enum dtype to = n->n_in > 1 ? n->in[1]->type.dtype
				    : (enum dtype)node_int(n, "to", DT_UNDEFINED); /* Cast-1 says it with a word */
	const struct tensor *x = in[0];

	(void)r;
	if (!x || !dtype_is_int(to) || dtype_wide(x->dtype) == WIDE_STR)
		return 0;
	for (size_t i = 0; i < x->count; i++)
		if (!convert_fits(tensor_get(x, i), to))
			return 1;
	return 0;
}

/* Integers wrap around; of floats that do not fit, and of NaN, nothing is said. */
static int cast_is_open(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	return in[0] && dtype_is_float(in[0]->dtype) && cast_does_not_fit(n, in, r);
}

#define CAST_RULES                           \
	RULES({.broken = cast_does_not_fit}, \
	      {.broken = cast_is_open, .open = "a float that the integer type does not have is cast"})

const struct op op_cast = {
	.samples = SAMPLES({.by = &sampler_cast}),
	.rules = CAST_RULES,
	.in = {{"input", T_CAST, 0, 0}},
	.out = {{"output", T_CAST, 0, 0}},
	.attrs = cast_attrs,
	.infer = cast_infer,
	.eval = cast_eval,
	.grad = cast_grad,
	.flags = OP_CONVERTS,
};

const struct op op_cast_like = {
	.samples = SAMPLES({.by = &sampler_cast_like}),
	.rules = CAST_RULES,
	.in = {{"input", T_CAST, 0, 0}, {"target_type", T_CAST, 'T', 0}},
	.out = {{"output", T_CAST, 'T', 0}},
	.attrs = cast_like_attrs,
	.infer = cast_like_infer,
	.eval = cast_eval,
	.grad = cast_grad,
	.flags = OP_CONVERTS,
};

/* ---- BitCast ----------------------------------------------------------------------------------------------------- */

#define T_BITS (T_ANY & ~T_STRING)

static int bit_cast_infer(struct call *c)
{
	enum dtype from = c->in_type[0].dtype, to = attr_dtype(c->node);

	if (to == DT_UNDEFINED || to == DT_STRING)
		return call_bad(c, "attribute to does not name an element type that can be cast to");
	if (from != DT_UNDEFINED && dtype_bits(from) != dtype_bits(to))
		return call_bad(c, "cannot reinterpret %s as %s: they differ in width", dtype_name(from),
				dtype_name(to));
	c->out_type[0].dtype = to;
	call_out_shape_of(c, 0, 0);
	return 0;
}

/* The packed bytes, read again as the other type; packing rounds floats, since only then they have such bits. */
static int bit_cast_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	size_t bytes = dtype_packed_size(x->dtype, x->count);
	void *packed = bytes == SIZE_MAX ? NULL : call_scratch(c, bytes + 1, 1);

	if (!packed)
		return call_nomem(c, bytes);
	dtype_pack(x->dtype, x->data, x->count, packed);
	dtype_unpack(c->out[0]->dtype, packed, 0, x->count, c->out[0]->data);
	return 0;
}

static const struct op_attr bit_cast_attrs[] = {OP_NEEDS("to", ATTR_INT), {0}};

const struct op op_bit_cast = {
	.samples = SAMPLES({.by = &sampler_bit_cast}),
	.in = {{"input", T_BITS, 0, 0}},
	.out = {{"output", T_BITS, 0, 0}},
	.attrs = bit_cast_attrs,
	.infer = bit_cast_infer,
	.eval = bit_cast_eval,
};
