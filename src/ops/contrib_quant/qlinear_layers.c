/* qlinear_layers.c - QLinearAveragePool, QLinearGlobalAveragePool, NhwcMaxPool, QLinearSoftmax and QLinearConcat of
 * com.microsoft: operators of ai.onnx between two conversions.
 *
 * With channels_last a tensor [N, D1 … Dn, C] is one of [N, C, D1 … Dn] that is written in another order. */
#include <math.h>

#include "ops/contrib_quant/qlinear.h"
#include "ops/kit/domain.h"
#include "ops/pool/pool_plan.h"

enum { X, X_SCALE, X_ZERO, Y_SCALE, Y_ZERO };

static int check_params(struct call *c, int (*check)(struct call *c, int i))
{
	int rc = 0;

	for (int i = X_SCALE; i <= Y_ZERO && !rc; i++)
		rc = check(c, i);
	return rc;
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

/* Moves the channels of a shape in front of its other axes, or back behind them. */
static void move_channels(struct type *t, int to_front)
{
	int from = to_front ? t->rank - 1 : 1, to = to_front ? 1 : t->rank - 1, step = to_front ? -1 : 1;
	int64_t channels = t->rank > 2 ? t->dims[from] : 0;

	if (t->rank <= 2)
		return;
	for (int i = from; i != to; i += step)
		t->dims[i] = t->dims[i + step];
	t->dims[to] = channels;
}

/* Where element i of [N, C, D1 … Dn] lies in [N, D1 … Dn, C]. */
static size_t last_of(const struct tensor *planes, size_t i)
{
	size_t channels = (size_t)planes->dims[1], plane = dims_product(planes->dims, 2, planes->rank);
	size_t in_image = i % (channels * plane);

	return i - in_image + in_image % plane * channels + in_image / plane;
}

static int planes_infer(struct call *c, int channels_last, int (*infer)(struct call *c))
{
	struct type x = c->in_type[X];
	struct call inner = *c;
	int rc;

	if (channels_last)
		move_channels(&x, 1);
	inner.in_type = &x;
	inner.n_in = inner.n_out = 1;
	rc = infer(&inner);
	if (!rc && channels_last)
		move_channels(&c->out_type[0], 0);
	return rc;
}

/* The call of a pool of ai.onnx on x with its channels in front; two new tensors, that the caller releases. */
struct planes {
	struct call call;
	struct type type;
	struct tensor *in, *out;
	int channels_last;
};

static int planes_open(struct call *c, const char *name, enum dtype t, int channels_last, struct planes *p)
{
	struct type x = c->in_type[X], y = c->out_type[0];

	if (channels_last) {
		move_channels(&x, 1);
		move_channels(&y, 1);
	}
	*p = (struct planes){.call = qlinear_inner(c, name), .type = x, .channels_last = channels_last};
	p->in = tensor_new(t, x.rank, x.dims, c->err);
	p->out = p->in ? tensor_new(t, y.rank, y.dims, c->err) : NULL;
	p->call.in = &p->in;
	p->call.in_type = &p->type;
	p->call.out = &p->out;
	return p->out ? 0 : c->err->code;
}

static void planes_close(struct planes *p)
{
	tensor_unref(p->in);
	tensor_unref(p->out);
}

static size_t planes_at(const struct planes *p, const struct tensor *t, size_t i)
{
	return p->channels_last ? last_of(t, i) : i;
}

/* ---- averages ---------------------------------------------------------------------------------------------------- */

static int average_eval(struct call *c, const char *name)
{
	struct qlinear px = qlinear_read(c, X_SCALE, X_ZERO), py = qlinear_read(c, Y_SCALE, Y_ZERO);
	double *size = call_scratch(c, c->out[0]->count + 1, sizeof *size);
	struct planes p = {.in = NULL};
	int rc = size ? planes_open(c, name, DT_FLOAT, attr_int(c->node, "channels_last") != 0, &p) : c->err->code;

	for (size_t i = 0; !rc && i < p.in->count; i++)
		p.in->f[i] = qlinear_real(px, c->in[X]->i[planes_at(&p, p.in, i)]);
	if (!rc)
		rc = p.call.op->eval(&p.call);
	if (!rc)
		rc = p.call.op->scale(&p.call, 0, size);
	for (size_t i = 0; !rc && i < p.out->count; i++)
		c->out[0]->i[planes_at(&p, p.out, i)] = qlinear_quantize(c, c->out[0]->dtype, py, p.out->f[i], size[i]);
	planes_close(&p);
	return rc;
}

static int qlinear_average_pool_infer(struct call *c)
{
	int rc = check_params(c, qlinear_check_scalar);

	return rc ? rc : planes_infer(c, attr_int(c->node, "channels_last") != 0, pool_infer);
}

static int qlinear_average_pool_eval(struct call *c)
{
	return average_eval(c, "AveragePool");
}

static int qlinear_global_average_pool_infer(struct call *c)
{
	int rc = check_params(c, qlinear_check_single);

	return rc ? rc : planes_infer(c, attr_int(c->node, "channels_last") != 0, pool_global_infer);
}

static int qlinear_global_average_pool_eval(struct call *c)
{
	return average_eval(c, "GlobalAveragePool");
}

/* zero: flags of the zero points, which not all of them need. */
#define QLINEAR_PORTS(zero)                          \
	.in = {{"X", T_8BIT, 'T', 0},                \
	       {"x_scale", T_F32, 0, 0},             \
	       {"x_zero_point", T_8BIT, 'T', zero},  \
	       {"y_scale", T_F32, 0, 0},             \
	       {"y_zero_point", T_8BIT, 'T', zero}}, \
	.out = {{"Y", T_8BIT, 'T', 0}}
#define SCALE_RULES                                            \
	{.broken = domain_not_positive, .port = X_SCALE},      \
	{                                                      \
		.broken = domain_not_positive, .port = Y_SCALE \
	}

const struct op op_qlinear_average_pool = {
	.rules = RULES(SCALE_RULES, {.broken = domain_jumps}),
	QLINEAR_PORTS(PORT_OPTIONAL),
	.attrs = (const struct op_attr[]){OP_STRING("auto_pad", "NOTSET"),
					  OP_INT("ceil_mode", 0),
					  OP_INT("channels_last", 0),
					  OP_INT("count_include_pad", 0),
					  OP_NEEDS("kernel_shape", ATTR_INTS),
					  OP_INTS("pads", 0),
					  OP_INTS("strides", 1),
					  {0}},
	.infer = qlinear_average_pool_infer,
	.eval = qlinear_average_pool_eval,
};

const struct op op_qlinear_global_average_pool = {
	.rules = RULES(SCALE_RULES),
	QLINEAR_PORTS(0),
	.attrs = (const struct op_attr[]){OP_INT("channels_last", 0), {0}},
	.infer = qlinear_global_average_pool_infer,
	.eval = qlinear_global_average_pool_eval,
};

/* ---- NhwcMaxPool ------------------------------------------------------------------------------------------------- */

static int nhwc_max_pool_infer(struct call *c)
{
	return planes_infer(c, 1, pool_infer);
}

static int nhwc_max_pool_eval(struct call *c)
{
	struct planes p;
	int rc = planes_open(c, "MaxPool", c->in[X]->dtype, 1, &p);

	for (size_t i = 0; !rc && i < p.in->count; i++)
		p.in->i[i] = c->in[X]->i[last_of(p.in, i)];
	if (!rc)
		rc = p.call.op->eval(&p.call);
	for (size_t i = 0; !rc && i < p.out->count; i++)
		c->out[0]->i[last_of(p.out, i)] = p.out->i[i];
	planes_close(&p);
	return rc;
}

const struct op op_nhwc_max_pool = {
	.rules = RULES({.broken = domain_jumps}),
	.in = {{"x", T_8BIT, 'T', 0}},
	.out = {{"y", T_8BIT, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_STRING("auto_pad", "NOTSET"),
					  OP_INT("ceil_mode", 0),
					  OP_INTS("dilations", 1),
					  OP_NEEDS("kernel_shape", ATTR_INTS),
					  OP_INTS("pads", 0),
					  OP_INTS("strides", 1),
					  {0}},
	.infer = nhwc_max_pool_infer,
	.eval = nhwc_max_pool_eval,
};

/* ---- QLinearSoftmax ---------------------------------------------------------------------------------------------- */

/* The call of the Softmax that attribute `opset` names. */
static struct call softmax_call(const struct call *c)
{
	struct call inner = qlinear_inner(c, "Softmax");

	inner.version = attr_int(c->node, "opset") < 13 ? 1 : 13;
	return inner;
}

static int qlinear_softmax_infer(struct call *c)
{
	struct call inner = softmax_call(c);
	int rc = check_params(c, qlinear_check_single);

	return rc ? rc : inner.op->infer(&inner);
}

static int qlinear_softmax_eval(struct call *c)
{
	struct qlinear px = qlinear_read(c, X_SCALE, X_ZERO), py = qlinear_read(c, Y_SCALE, Y_ZERO);
	struct tensor *x = qlinear_reals(c, X, px), *y = x ? tensor_new(DT_FLOAT, x->rank, x->dims, c->err) : NULL;
	double *size = y ? call_scratch(c, y->count + 1, sizeof *size) : NULL;
	struct call inner = softmax_call(c);
	int rc = size ? 0 : c->err->code;

	inner.in = &x;
	inner.out = &y;
	if (!rc)
		rc = inner.op->eval(&inner);
	if (!rc)
		rc = inner.op->scale(&inner, 0, size);
	for (size_t i = 0; !rc && i < y->count; i++)
		c->out[0]->i[i] = qlinear_quantize(c, c->out[0]->dtype, py, y->f[i], size[i]);
	tensor_unref(y);
	tensor_unref(x);
	return rc;
}

const struct op op_qlinear_softmax = {
	.rules = RULES(SCALE_RULES),
	.in = {{"X", T_8BIT, 'T', 0},
	       {"X_scale", T_F32, 0, 0},
	       {"x_zero_point", T_8BIT, 'T', PORT_OPTIONAL},
	       {"y_scale", T_F32, 0, 0},
	       {"y_zero_point", T_8BIT, 'T', 0}},
	.out = {{"Y", T_8BIT, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_INT("axis", -1), OP_NEEDS("opset", ATTR_INT), {0}},
	.infer = qlinear_softmax_infer,
	.eval = qlinear_softmax_eval,
};

/* ---- QLinearConcat ----------------------------------------------------------------------------------------------- */

enum { CONCAT_SCALE, CONCAT_ZERO, CONCAT_FIRST };
#define CONCAT_STEP 3 /* a tensor, its scale, its zero point */

static int part_count(const struct call *c)
{
	return (c->n_in - CONCAT_FIRST) / CONCAT_STEP;
}

static int check_part(struct call *c, int at)
{
	enum dtype t = c->out_type[0].dtype;
	int rc = qlinear_check_single(c, at + 1);

	if (!rc)
		rc = qlinear_check_single(c, at + 2);
	if (rc)
		return rc;
	for (int i = at; i < at + CONCAT_STEP; i++) {
		enum dtype want = i == at + 1 ? DT_FLOAT : t, have = c->in_type[i].dtype;

		if (!call_has(c, i))
			return call_bad(c, "input %d is left out", i);
		if (have && want && have != want)
			return call_bad(c, "input %d is %s, wanted %s", i, dtype_name(have), dtype_name(want));
	}
	return 0;
}

static int qlinear_concat_infer(struct call *c)
{
	struct call inner = qlinear_inner(c, "Concat");
	int n = part_count(c), rc = qlinear_check_single(c, CONCAT_SCALE);
	struct type *types = call_scratch(c, (size_t)n + 1, sizeof *types);

	if (!types)
		return c->err->code;
	if (n < 1 || (c->n_in - CONCAT_FIRST) % CONCAT_STEP)
		return call_bad(c, "inputs are not a tensor, a scale and a zero point each");
	if (!rc)
		rc = qlinear_check_single(c, CONCAT_ZERO);
	for (int i = 0; i < n && !rc; i++) {
		rc = check_part(c, CONCAT_FIRST + i * CONCAT_STEP);
		types[i] = c->in_type[CONCAT_FIRST + i * CONCAT_STEP];
	}
	if (rc)
		return rc;
	inner.in_type = types;
	inner.n_in = n;
	return inner.op->infer(&inner);
}

/* Input `at` in the quantization of the output; one that has the same is not touched. */
static struct tensor *requantized(struct call *c, int at, struct qlinear to)
{
	struct qlinear from = qlinear_read(c, at + 1, at + 2);
	const struct tensor *x = c->in[at];
	struct tensor *y = tensor_new(x->dtype, x->rank, x->dims, c->err);
	int same = from.scale == to.scale && from.zero == to.zero;

	for (size_t i = 0; y && i < x->count; i++) {
		double real = qlinear_real(from, x->i[i]);

		y->i[i] = same ? x->i[i] : qlinear_quantize(c, x->dtype, to, real, fabs(real));
	}
	return y;
}

static int qlinear_concat_eval(struct call *c)
{
	struct qlinear to = qlinear_read(c, CONCAT_SCALE, CONCAT_ZERO);
	struct call inner = qlinear_inner(c, "Concat");
	int n = part_count(c), rc = 0;
	struct tensor **parts = call_scratch(c, (size_t)n, sizeof *parts);

	if (!parts)
		return c->err->code;
	for (int i = 0; i < n && !rc; i++) {
		parts[i] = requantized(c, CONCAT_FIRST + i * CONCAT_STEP, to);
		rc = parts[i] ? 0 : c->err->code;
	}
	inner.in = parts;
	inner.n_in = n;
	if (!rc)
		rc = inner.op->eval(&inner);
	for (int i = 0; i < n; i++)
		tensor_unref(parts[i]);
	return rc;
}

const struct op op_qlinear_concat = {
	.rules = RULES({.broken = domain_not_positive, .port = CONCAT_SCALE},
		       {.broken = domain_not_positive, .port = CONCAT_FIRST + 1}),
	.in = {{"Y_scale", T_F32, 0, 0},
	       {"Y_zero_point", T_8BIT, 'T', 0},
	       {"inputs", T_8BIT | T_F32, 0, PORT_VARIADIC}},
	.out = {{"Y", T_8BIT, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_NEEDS("axis", ATTR_INT), {0}},
	.infer = qlinear_concat_infer,
	.eval = qlinear_concat_eval,
};
