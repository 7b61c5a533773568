/* variadic.c - Max, Min, Sum, Mean of any number of inputs, broadcast (opset 8 and later; equal shapes before).
 *
 * The output starts as a copy of input 0 and takes in the others one by one. */
#include <math.h>

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/samplers.h"
#include "ops/kit/domain.h"

static const struct op_attr legacy_attrs[] = {OP_ATTR("consumed_inputs", ATTR_INTS), {0}};

static int all_equal_shapes(struct call *c)
{
	const struct type *first = call_shape(c, 0);

	for (int i = 1; first && i < c->n_in; i++) {
		const struct type *t = call_shape(c, i);

		if (!t)
			continue;
		if (t->rank != first->rank)
			return call_bad(c, "inputs differ in rank, which opset %d does not allow", c->node->opset);
		for (int d = 0; d < t->rank; d++)
			if (t->dims[d] >= 0 && first->dims[d] >= 0 && t->dims[d] != first->dims[d])
				return call_bad(c, "inputs differ in dimension %d, which opset %d does not allow", d,
						c->node->opset);
	}
	return 0;
}

static int variadic_infer(struct call *c)
{
	int rc = c->version < 8 ? all_equal_shapes(c) : 0;

	for (int i = 0; i < c->n_in && !rc; i++)
		if (!call_has(c, i))
			rc = call_bad(c, "input %d is left out", i);
	return rc ? rc : broadcast_infer(c);
}

/* out = row(out, input), input broadcast */
static void take_in(struct call *c, int input, const struct binary *f)
{
	const struct tensor *t = c->in[input], *operands[] = {t};
	struct tensor *out = c->out[0];
	row_ii *ints = t->dtype == DT_UINT64 && f->u64 ? f->u64 : f->ints;
	struct bcast b;

	bcast_tensors(&b, out, operands, 1);
	while (bcast_next(&b))
		if (dtype_is_float(t->dtype))
			f->floats(out->f + b.out, 1, t->f + b.at[0], b.stride[0], out->f + b.out, b.inner);
		else
			ints(out->i + b.out, 1, t->i + b.at[0], b.stride[0], out->i + b.out, b.inner);
}

BINARY_ROW(second_floats, double, double, ((void)x, y))
BINARY_ROW(second_ints, int64_t, int64_t, ((void)x, y))
static const struct binary copy_rows = {.floats = second_floats, .ints = second_ints};

static int fold_inputs(struct call *c, const struct binary *f)
{
	take_in(c, 0, &copy_rows);
	for (int i = 1; i < c->n_in; i++)
		take_in(c, i, f);
	return 0;
}

/* ---- Max, Min ---------------------------------------------------------------------------------------------------- */

BINARY_ROW(max_floats, double, double, nan_max(x, y))
BINARY_ROW(max_ints, int64_t, int64_t, x > y ? x : y)
BINARY_ROW(max_u64, int64_t, int64_t, (uint64_t)x > (uint64_t)y ? x : y)
BINARY_ROW(min_floats, double, double, nan_min(x, y))
BINARY_ROW(min_ints, int64_t, int64_t, x < y ? x : y)
BINARY_ROW(min_u64, int64_t, int64_t, (uint64_t)x < (uint64_t)y ? x : y)
static const struct binary max_rows = {.floats = max_floats, .ints = max_ints, .u64 = max_u64};
static const struct binary min_rows = {.floats = min_floats, .ints = min_ints, .u64 = min_u64};

static int max_eval(struct call *c)
{
	return fold_inputs(c, &max_rows);
}

static int min_eval(struct call *c)
{
	return fold_inputs(c, &min_rows);
}

/* The gradient of an element goes to the first input that has the output's value. */
static int extremum_grad(struct call *c)
{
	const struct tensor *y = c->out[0], *g = c->out_grad[0];
	unsigned char *given;

	if (!g)
		return 0;
	given = call_scratch(c, y->count, 1);
	if (!given && y->count)
		return c->err->code;
	for (int i = 0; i < c->n_in; i++) {
		const struct tensor *x = c->in[i], *operands[] = {x};
		struct bcast b;

		bcast_tensors(&b, y, operands, 1);
		while (bcast_next(&b))
			for (size_t k = b.out; k < b.out + b.inner; k++) {
				size_t at = b.at[0] + (k - b.out) * b.stride[0];

				if (given[k] || x->f[at] != y->f[k])
					continue;
				given[k] = 1;
				if (c->in_grad[i])
					c->in_grad[i]->f[at] += g->f[k];
			}
	}
	return 0;
}

/* ---- Sum, Mean --------------------------------------------------------------------------------------------------- */

BINARY_ROW(sum_floats, double, double, x + y)
static const struct binary sum_rows = {.floats = sum_floats};

static int sum_eval(struct call *c)
{
	return fold_inputs(c, &sum_rows);
}

static int mean_eval(struct call *c)
{
	fold_inputs(c, &sum_rows);
	for (size_t k = 0; k < c->out[0]->count; k++)
		c->out[0]->f[k] = call_held(c, c->out[0]->dtype, c->out[0]->f[k]) / c->n_in;
	return 0;
}

static int linear_grad(struct call *c, double factor)
{
	const struct tensor *g = c->out_grad[0];

	for (int i = 0; g && i < c->n_in; i++) {
		const struct tensor *operands[] = {c->in[i]};
		double *gx = c->in_grad[i] ? c->in_grad[i]->f : NULL;
		struct bcast b;

		bcast_tensors(&b, g, operands, 1);
		while (gx && bcast_next(&b))
			for (size_t k = 0; k < b.inner; k++)
				gx[b.at[0] + k * b.stride[0]] += factor * g->f[b.out + k];
	}
	return 0;
}

static int sum_grad(struct call *c)
{
	return linear_grad(c, 1);
}

static int mean_grad(struct call *c)
{
	return linear_grad(c, 1.0 / c->n_in);
}

static enum delta_result sum_delta(struct call *c)
{
	return linear_delta(c, NULL, 1);
}

static enum delta_result mean_delta(struct call *c)
{
	return linear_delta(c, NULL, 1.0 / c->n_in);
}

/* s = factor * Σ|x_i| * growth(n) + last * |y|.  Two terms are added with one rounding: |y| covers it, no sum. */
static int linear_scale(struct call *c, double factor, double last, double *s)
{
	const struct tensor *y = c->out[0];
	double growth = c->n_in > 2 ? factor * noise_growth(c->n_in) : 0;

	for (size_t k = 0; k < y->count; k++)
		s[k] = last * fabs(y->f[k]);
	for (int i = 0; i < c->n_in && growth > 0; i++) {
		const struct tensor *operands[] = {c->in[i]};
		struct bcast b;

		bcast_tensors(&b, y, operands, 1);
		while (bcast_next(&b))
			for (size_t k = 0; k < b.inner; k++)
				s[b.out + k] += growth * fabs(c->in[i]->f[b.at[0] + k * b.stride[0]]);
	}
	return 0;
}

static int sum_scale(struct call *c, int out, double *s)
{
	(void)out;
	return linear_scale(c, 1, c->n_in == 2, s);
}

static int mean_scale(struct call *c, int out, double *s)
{
	(void)out;
	return linear_scale(c, 1.0 / c->n_in, c->n_in == 2 ? 2 : 1, s);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

const struct op op_max = {
	.samples = SAMPLES({.by = &sampler_choose, .in = 1, .in_max = 5, .ordered = 1}),
	.rules = RULES(DOMAIN_NAN),
	.in = {{"data_0", T_NUM, 'T', PORT_VARIADIC}},
	.out = {{"max", T_NUM, 'T', 0}},
	.attrs = legacy_attrs,
	.infer = variadic_infer,
	.eval = max_eval,
	.grad = extremum_grad,
};

const struct op op_min = {
	.samples = SAMPLES({.by = &sampler_choose, .in = 1, .in_max = 5, .ordered = 1}),
	.rules = RULES(DOMAIN_NAN),
	.in = {{"data_0", T_NUM, 'T', PORT_VARIADIC}},
	.out = {{"min", T_NUM, 'T', 0}},
	.attrs = legacy_attrs,
	.infer = variadic_infer,
	.eval = min_eval,
	.grad = extremum_grad,
};

const struct op op_sum = {
	.samples = SAMPLES({.by = &sampler_add_up, .types = T_F32, .in = 1, .in_max = 5}),
	.in = {{"data_0", T_FLOAT, 'T', PORT_VARIADIC}},
	.out = {{"sum", T_FLOAT, 'T', 0}},
	.attrs = legacy_attrs,
	.infer = variadic_infer,
	.eval = sum_eval,
	.grad = sum_grad,
	.scale = sum_scale,
	.delta = sum_delta,
	.step = &add_step,
	.flags = OP_MONOMIALS | OP_IN_PLACE,
};

const struct op op_mean = {
	.samples = SAMPLES({.by = &sampler_add_up, .types = T_F32, .in = 1, .in_max = 5}),
	.in = {{"data_0", T_FLOAT, 'T', PORT_VARIADIC}},
	.out = {{"mean", T_FLOAT, 'T', 0}},
	.attrs = legacy_attrs,
	.infer = variadic_infer,
	.eval = mean_eval,
	.grad = mean_grad,
	.scale = mean_scale,
	.delta = mean_delta,
	.flags = OP_MONOMIALS | OP_IN_PLACE,
};
