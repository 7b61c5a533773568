/* compare.c - comparisons, bits and logic of two inputs. */
#include <string.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/samplers.h"
#include "ops/string/samplers.h"

static const struct op_attr legacy_attrs[] = {OP_ATTR("axis", ATTR_INT), OP_INT("broadcast", 0), {0}};

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

/* z = x OP y; uint64 is compared as unsigned.  NaN makes all of them false, as in C. */
#define COMPARISON(id, OP)                                                                                          \
	BINARY_ROW(id##_floats, double, int64_t, x OP y)                                                            \
	BINARY_ROW(id##_ints, int64_t, int64_t, x OP y)                                                             \
	BINARY_ROW(id##_u64, int64_t, int64_t, (uint64_t)x OP(uint64_t) y)                                          \
	static const struct binary id##_rows = {.test = id##_floats, .ints = id##_ints, .u64 = id##_u64};           \
	static int id##_eval(struct call *c)                                                                        \
	{                                                                                                           \
		return binary_eval(c, &id##_rows);                                                                  \
	}                                                                                                           \
	const struct op op_##id = {                                                                                 \
		.samples = SAMPLES({.by = &sampler_compare, .types = T_F32 | T_F64 | T_INT, .in = 1, .in_max = 2}), \
		.in = {{"A", T_NUM, 'T', 0}, {"B", T_NUM, 'T', 0}},                                                 \
		.out = {{"C", T_BOOL, 0, 0}},                                                                       \
		.attrs = legacy_attrs,                                                                              \
		.infer = binary_bool_infer,                                                                         \
		.eval = id##_eval,                                                                                  \
	};

COMPARISON(greater, >)
COMPARISON(greater_or_equal, >=)
COMPARISON(less, <)
COMPARISON(less_or_equal, <=)

BINARY_ROW(equal_floats, double, int64_t, x == y)
BINARY_ROW(equal_ints, int64_t, int64_t, x == y)
static const struct binary equal_rows = {.test = equal_floats, .ints = equal_ints};

static int equal_strings(struct call *c)
{
	struct bcast b;

	binary_plan(c, &b);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			const struct bytes *x = &c->in[0]->s[b.at[0] + k * b.stride[0]];
			const struct bytes *y = &c->in[1]->s[b.at[1] + k * b.stride[1]];

			c->out[0]->i[b.out + k] = dtype_bytes_same(x, y);
		}
	return 0;
}

static int equal_eval(struct call *c)
{
	return c->in[0]->dtype == DT_STRING ? equal_strings(c) : binary_eval(c, &equal_rows);
}

const struct op op_equal = {
	.samples = SAMPLES({.by = &sampler_compare, .in = 1, .in_max = 2},
			   {.name = "StringEqual", .by = &sampler_string_equal, .in = 1, .in_max = 2}),
	.in = {{"A", T_NUM | T_BOOL | T_STRING, 'T', 0}, {"B", T_NUM | T_BOOL | T_STRING, 'T', 0}},
	.out = {{"C", T_BOOL, 0, 0}},
	.attrs = legacy_attrs,
	.infer = binary_bool_infer,
	.eval = equal_eval,
};

/* ---- bits and logic ---------------------------------------------------------------------------------------------- */

/* On bools (0 or 1) the bitwise operators are the logical ones. */
#define BITS(id, types_, OP, sampler_, in_)                                    \
	BINARY_ROW(id##_ints, int64_t, int64_t, x OP y)                        \
	static const struct binary id##_rows = {.ints = id##_ints};            \
	static int id##_eval(struct call *c)                                   \
	{                                                                      \
		return binary_eval(c, &id##_rows);                             \
	}                                                                      \
	const struct op op_##id = {                                            \
		.samples = SAMPLES({.by = &sampler_, .in = in_, .in_max = 2}), \
		.in = {{"A", types_, 'T', 0}, {"B", types_, 'T', 0}},          \
		.out = {{"C", types_, 'T', 0}},                                \
		.attrs = legacy_attrs,                                         \
		.infer = binary_infer,                                         \
		.eval = id##_eval,                                             \
	};

BITS(and, T_BOOL, &, sampler_logic, 2)
BITS(or, T_BOOL, |, sampler_logic, 2)
BITS(xor, T_BOOL, ^, sampler_logic, 2)
BITS(bitwise_and, T_INT, &, sampler_bitwise, 1)
BITS(bitwise_or, T_INT, |, sampler_bitwise, 1)
BITS(bitwise_xor, T_INT, ^, sampler_bitwise, 1)

/* ---- BitShift ---------------------------------------------------------------------------------------------------- */

/* Shifting by the type's width or more, or by a negative number, leaves only the sign: BitShift-28 says so; before,
 * ONNX left it open. */
static int64_t shift_left(int64_t x, uint64_t by, unsigned width)
{
	return by < width ? (int64_t)((uint64_t)x << by) : 0;
}

static int64_t shift_right(int64_t x, uint64_t by, unsigned width, int is_u64)
{
	if (by >= width)
		return x < 0 && !is_u64 ? -1 : 0;
	if (is_u64)
		return (int64_t)((uint64_t)x >> by);
	return x < 0 ? ~(int64_t)(~(uint64_t)x >> by) : (int64_t)((uint64_t)x >> by);
}

static int bit_shift_infer(struct call *c)
{
	const char *direction = attr_string(c->node, "direction");

	if (strcmp(direction, "LEFT") != 0 && strcmp(direction, "RIGHT") != 0)
		return call_bad(c, "attribute direction is '%s', wanted 'LEFT' or 'RIGHT'", direction);
	return binary_infer(c);
}

static int bit_shift_eval(struct call *c)
{
	int left = !strcmp(attr_string(c->node, "direction"), "LEFT");
	enum dtype t = c->in[0]->dtype;
	unsigned width = (unsigned)dtype_bits(t);
	struct bcast b;

	binary_plan(c, &b);
	while (bcast_next(&b))
		for (size_t k = 0; k < b.inner; k++) {
			int64_t x = c->in[0]->i[b.at[0] + k * b.stride[0]];
			uint64_t by = (uint64_t)c->in[1]->i[b.at[1] + k * b.stride[1]];

			c->out[0]->i[b.out + k] =
				left ? shift_left(x, by, width) : shift_right(x, by, width, t == DT_UINT64);
		}
	return 0;
}

static const struct op_attr bit_shift_attrs[] = {OP_NEEDS("direction", ATTR_STRING), {0}};

static int shift_is_open(const struct node *n, const struct tensor *const *in, const struct op_rule *r)
{
	(void)r;
	for (size_t i = 0; n->version < 28 && in[1] && i < in[1]->count; i++)
		if (tensor_get(in[1], i) >= (double)dtype_bits(in[1]->dtype))
			return 1;
	return 0;
}

const struct op op_bit_shift = {
	.samples = SAMPLES({.by = &sampler_shift}),
	.rules = RULES({.broken = shift_is_open, .open = "bits are shifted by the width or more"}),
	.in = {{"X", T_INT, 'T', 0}, {"Y", T_INT, 'T', 0}},
	.out = {{"Z", T_INT, 'T', 0}},
	.attrs = bit_shift_attrs,
	.infer = bit_shift_infer,
	.eval = bit_shift_eval,
};
