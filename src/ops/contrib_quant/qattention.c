/* qattention.c - QAttention of com.microsoft: self-attention whose queries, keys and values are a quantized product.
 *
 *   input [B, S, D]   weight [D, 3·N·E]   bias [3·N·E]   past [2, B, N, P, E]
 *   Q, K, V [B, N, S, E] = input · weight + bias, as MatMulIntegerToFloat has it
 *   output [B, S, N·E] = Attention(Q, K, V), present [2, B, N, P + S, E] = the keys and values that it saw
 *
 * What is masked gets mask_filter_value added to its score: keys of later steps (unidirectional), and by mask_index
 * those from a length on [B], outside of an end and a start [2·B], or where it is 0 [B, P + S]. */
#include <math.h>
#include <string.h>

#include "ops/attention/attention.h"
#include "ops/contrib_quant/qlinear.h"
#include "ops/kit/dims.h"
#include "ops/kit/domain.h"
#include "ops/noise/noisy.h"
#include "ops/quantize/qproduct.h"

enum { INPUT, WEIGHT, BIAS, INPUT_SCALE, WEIGHT_SCALE, MASK, INPUT_ZERO, WEIGHT_ZERO, PAST };
enum { OUTPUT, PRESENT };

#define FILTER (-10000.0) /* mask_filter_value, when a node does not say */
#define INNER_INPUTS (ATTENTION_PAST_V + 1)
#define INNER_OUTPUTS (ATTENTION_PRESENT_V + 1)

/* ---- shape ------------------------------------------------------------------------------------------------------- */

struct sizes {
	int64_t batch, steps, depth, heads, size, past;
};

static int check_mask(struct call *c, const struct sizes *z)
{
	const struct type *t = call_shape(c, MASK);
	int64_t first = t && t->rank ? t->dims[0] : -1, total = z->past + z->steps;

	if (!t || (t->rank && first < 0) || z->batch < 0 || total < 0)
		return 0;
	if (t->rank == 1 && (first == z->batch || first == 2 * z->batch))
		return 0;
	if (t->rank == 2 && first == z->batch && (t->dims[1] < 0 || t->dims[1] == total))
		return 0;
	return call_unsupported(c, "a mask of this shape is not supported");
}

static int read_sizes(struct call *c, struct sizes *z)
{
	const struct type *x = call_shape(c, INPUT), *w = call_shape(c, WEIGHT), *b = call_shape(c, BIAS),
			  *past = call_shape(c, PAST);
	int64_t width = DIM_UNKNOWN;
	int rc = 0;

	*z = (struct sizes){-1, -1, -1, attr_int(c->node, "num_heads"), -1, 0};
	if ((x && x->rank != 3) || (w && w->rank != 2) || (b && b->rank != 1) || (past && past->rank != 5))
		return call_bad(c, "the input must have rank 3, the weight 2, the bias 1 and the past 5");
	if (x)
		z->batch = x->dims[0], z->steps = x->dims[1], z->depth = x->dims[2];
	if (w)
		rc = dim_unify(c, &z->depth, w->dims[0], "depth of the input");
	if (!rc && w)
		rc = dim_unify(c, &width, w->dims[1], "columns of the weight");
	if (!rc && b)
		rc = dim_unify(c, &width, b->dims[0], "columns of the weight");
	if (!rc && (z->heads < 1 || (width >= 0 && (width % 3 || width / 3 % z->heads))))
		rc = call_bad(c, "%lld columns are not three times %lld heads", (long long)width, (long long)z->heads);
	if (!rc && width >= 0)
		z->size = width / 3 / z->heads;
	if (!rc && call_has(c, PAST))
		z->past = past ? past->dims[3] : DIM_UNKNOWN;
	for (int i = 0; past && i < 5 && !rc; i++) {
		const int64_t want[5] = {2, z->batch, z->heads, z->past, z->size};
		int64_t have = past->dims[i];

		rc = dim_unify(c, &have, want[i], "dimension of the past");
	}
	return rc ? rc : check_mask(c, z);
}

static int qattention_infer(struct call *c)
{
	struct sizes z;
	int rc = qlinear_check_single(c, INPUT_SCALE);
	int64_t total, width;

	if (!rc)
		rc = qlinear_check_single(c, INPUT_ZERO);
	if (!rc)
		rc = read_sizes(c, &z);
	if (rc)
		return rc;
	if (attr_int(c->node, "do_rotary") || attr_int(c->node, "past_present_share_buffer"))
		return call_unsupported(c, "rotary positions and shared buffers are not supported");
	total = z.past < 0 || z.steps < 0 ? DIM_UNKNOWN : z.past + z.steps;
	width = z.size < 0 ? DIM_UNKNOWN : z.heads * z.size;
	call_out(c, OUTPUT, c->in_type[BIAS].dtype, 3, (int64_t[]){z.batch, z.steps, width});
	call_out(c, PRESENT, c->in_type[BIAS].dtype, 5, (int64_t[]){2, z.batch, z.heads, total, z.size});
	return 0;
}

/* ---- queries, keys, values --------------------------------------------------------------------------------------- */

static void store_float(struct call *c, size_t i, double acc, double scale)
{
	c->out[0]->f[i] = acc * scale + c->in[BIAS]->f[i % c->in[BIAS]->count];
}

/* [B, S, 3·N·E]; NULL with the error set. */
static struct tensor *product(struct call *c, const struct sizes *z)
{
	const int64_t dims[] = {z->batch, z->steps, 3 * z->heads * z->size};
	struct quant_side a = {.t = c->in[INPUT],
			       .scale = c->in[INPUT_SCALE],
			       .zero = call_has(c, INPUT_ZERO) ? c->in[INPUT_ZERO] : NULL};
	struct quant_side b = {.t = c->in[WEIGHT],
			       .scale = c->in[WEIGHT_SCALE],
			       .zero = call_has(c, WEIGHT_ZERO) ? c->in[WEIGHT_ZERO] : NULL,
			       .is_b = 1};
	struct tensor *y = tensor_new(DT_FLOAT, 3, dims, c->err);
	struct call inner = *c;
	int rc = y ? quant_side_open(c, &a) : c->err->code;

	inner.out = &y;
	if (!rc)
		rc = quant_side_open(c, &b);
	if (!rc)
		rc = quant_product(&inner, &a, &b, store_float);
	if (!rc)
		return y;
	tensor_unref(y);
	return NULL;
}

/* Part 0, 1 or 2 of the product as [B, N, S, E]; n moves each number by its roundings. */
static struct tensor *heads_of(struct call *c, const struct sizes *z, const struct tensor *qkv, size_t part,
			       struct noisy *n)
{
	struct tensor *y = tensor_new(DT_FLOAT, 4, (int64_t[]){z->batch, z->heads, z->steps, z->size}, c->err);
	size_t heads = (size_t)z->heads, steps = (size_t)z->steps, size = (size_t)z->size;

	for (size_t i = 0; y && i < y->count; i++) {
		size_t e = i % size, s = i / size % steps, h = i / (size * steps) % heads,
		       b = i / (size * steps * heads);
		size_t col = part * heads * size + h * size + e;
		double x = qkv->f[(b * steps + s) * 3 * heads * size + col], bias = c->in[BIAS]->f[col];

		y->f[i] = noisy_move(n, x, 2 * fabs(x - bias) + fabs(x)); /* as MatMulIntegerToFloat states it */
	}
	return y;
}

static int is_masked(const struct call *c, const struct sizes *z, size_t b, size_t s, int64_t key)
{
	const struct tensor *m = call_has(c, MASK) ? c->in[MASK] : NULL;
	size_t batch = (size_t)z->batch;

	if (attr_int(c->node, "unidirectional") && key > z->past + (int64_t)s)
		return 1;
	if (!m)
		return 0;
	if (m->rank == 2)
		return m->i[b * (size_t)(z->past + z->steps) + (size_t)key] == 0;
	return key >= m->i[b] || (m->count == 2 * batch && key < m->i[batch + b]);
}

/* What is added to scores, [B, 1, S, P + S]. */
static struct tensor *mask_of(struct call *c, const struct sizes *z)
{
	int64_t total = z->past + z->steps;
	struct tensor *y = tensor_new(DT_FLOAT, 4, (int64_t[]){z->batch, 1, z->steps, total}, c->err);
	double filter = node_float(c->node, "mask_filter_value", FILTER); /* the schema writes it in words alone */

	for (size_t i = 0; y && i < y->count; i++) {
		size_t row = i / (size_t)total;

		y->f[i] = is_masked(c, z, row / (size_t)z->steps, row % (size_t)z->steps, (int64_t)(i % (size_t)total))
				  ? filter
				  : 0;
	}
	return y;
}

/* ---- Attention --------------------------------------------------------------------------------------------------- */

/* A call of Attention of ai.onnx on a node that is made up. */
struct inner {
	struct call call;
	struct node node;
	struct attr scale;
	struct wire *in_wires[INNER_INPUTS], *out_wires[INNER_OUTPUTS];
	struct type in_types[INNER_INPUTS], out_types[INNER_OUTPUTS];
	struct tensor *in[INNER_INPUTS], *out[INNER_OUTPUTS];
};

static void inner_close(struct inner *a)
{
	for (int i = 0; i < INNER_INPUTS; i++)
		tensor_unref(a->in[i]);
	for (int i = 0; i < INNER_OUTPUTS; i++)
		tensor_unref(a->out[i]);
}

/* Half 0 or 1 of the past. */
static struct tensor *past_of(struct call *c, const struct sizes *z, size_t half)
{
	struct tensor *y = tensor_new(DT_FLOAT, 4, (int64_t[]){z->batch, z->heads, z->past, z->size}, c->err);

	if (y)
		memcpy(y->f, c->in[PAST]->f + half * y->count, y->count * sizeof *y->f);
	return y;
}

static int inner_inputs(struct call *c, const struct sizes *z, struct noisy *n, struct inner *a)
{
	struct tensor *qkv = product(c, z);

	for (size_t i = 0; qkv && i < 3; i++)
		a->in[ATTENTION_Q + i] = heads_of(c, z, qkv, i, n);
	tensor_unref(qkv);
	a->in[ATTENTION_MASK] = mask_of(c, z);
	for (int i = 0; i < 2 && call_has(c, PAST); i++)
		a->in[ATTENTION_PAST_K + i] = past_of(c, z, (size_t)i);
	for (int i = 0; i < INNER_INPUTS; i++) {
		if (!a->in[i] && (i <= ATTENTION_MASK || call_has(c, PAST)))
			return c->err->code;
		if (!a->in[i])
			continue;
		a->in_wires[i] = c->node->in[INPUT];
		type_set(&a->in_types[i], DT_FLOAT, a->in[i]->rank, a->in[i]->dims);
	}
	return 0;
}

static int inner_run(struct call *c, struct noisy *n, struct inner *a)
{
	struct sizes z;
	int rc = read_sizes(c, &z);

	*a = (struct inner){.call = qlinear_inner(c, "Attention")};
	if (!rc)
		rc = inner_inputs(c, &z, n, a);
	if (rc)
		return rc;
	a->scale = (struct attr){.name = "scale", .type = ATTR_FLOAT, .n = 1};
	a->scale.f = node_float(c->node, "scale", 1 / sqrt((double)z.size)); /* no constant */
	a->node = *c->node;
	a->node.op = a->call.op;
	a->node.version = a->call.version = 23;
	a->node.in = a->in_wires;
	a->node.n_in = a->call.n_in = INNER_INPUTS;
	a->node.out = a->out_wires;
	a->node.n_out = a->call.n_out = INNER_OUTPUTS;
	a->node.attrs = &a->scale;
	a->node.n_attrs = 1;
	a->call.node = &a->node;
	a->call.in = a->in;
	a->call.in_type = a->in_types;
	a->call.out = a->out;
	a->call.out_type = a->out_types;
	for (int i = 0; i < INNER_OUTPUTS; i++)
		a->out_wires[i] = c->node->in[INPUT];
	rc = a->call.op->infer(&a->call);
	for (int i = 0; i < INNER_OUTPUTS && !rc; i++) {
		a->out[i] = tensor_new(DT_FLOAT, a->out_types[i].rank, a->out_types[i].dims, c->err);
		rc = a->out[i] ? 0 : c->err->code;
	}
	return rc ? rc : a->call.op->eval(&a->call);
}

/* [B, N, S, E] of Attention as [B, S, N·E]. */
static void merge(const struct tensor *from, const double *x, double *y)
{
	size_t heads = (size_t)from->dims[1], steps = (size_t)from->dims[2], size = (size_t)from->dims[3];

	for (size_t i = 0; i < from->count; i++) {
		size_t e = i % size, s = i / size % steps, h = i / (size * steps) % heads,
		       b = i / (size * steps * heads);

		y[((b * steps + s) * heads + h) * size + e] = x[i];
	}
}

static void copy_out(const struct inner *a, int out, double *y)
{
	const struct tensor *k = a->out[ATTENTION_PRESENT_K], *v = a->out[ATTENTION_PRESENT_V];

	if (out == OUTPUT) {
		merge(a->out[ATTENTION_Y], a->out[ATTENTION_Y]->f, y);
		return;
	}
	memcpy(y, k->f, k->count * sizeof *y);
	memcpy(y + k->count, v->f, v->count * sizeof *y);
}

static int qattention_eval(struct call *c)
{
	struct noisy exact = {.on = 0};
	struct inner a;
	int rc = inner_run(c, &exact, &a);

	for (int i = 0; i < c->n_out && !rc; i++)
		if (call_wants(c, i))
			copy_out(&a, i, c->out[i]->f);
	inner_close(&a);
	return rc;
}

static int noisy_run(struct call *c, struct noisy *n, int out, double *y, void *arg)
{
	struct inner a;
	int rc = inner_run(c, n, &a);

	(void)arg;
	if (!rc)
		copy_out(&a, out, y);
	inner_close(&a);
	return rc;
}

/* What the roundings of Q, K and V make of it, and those of Attention. */
static int qattention_scale(struct call *c, int out, double *s)
{
	size_t n = c->out[out]->count;
	double *own = call_scratch(c, n + 1, sizeof *own), *merged = call_scratch(c, n + 1, sizeof *merged);
	struct noisy exact = {.on = 0};
	struct inner a;
	int rc = own && merged ? noisy_scale(c, out, noisy_run, NULL, s) : c->err->code;

	if (rc || out != OUTPUT)
		return rc;
	rc = inner_run(c, &exact, &a);
	if (!rc)
		rc = a.call.op->scale(&a.call, ATTENTION_Y, own);
	if (!rc)
		merge(a.out[ATTENTION_Y], own, merged);
	for (size_t i = 0; i < n && !rc; i++)
		s[i] += merged[i];
	inner_close(&a);
	return rc;
}

const struct op op_qattention = {
	.rules = RULES({.broken = domain_not_positive, .port = INPUT_SCALE},
		       {.broken = domain_not_positive, .port = WEIGHT_SCALE}),
	.in = {{"input", T_8BIT, 'X', 0},
	       {"weight", T_8BIT, 'W', 0},
	       {"bias", T_F32 | TM(DT_FLOAT16), 'T', 0},
	       {"input_scale", T_F32 | TM(DT_FLOAT16), 'T', 0},
	       {"weight_scale", T_F32 | TM(DT_FLOAT16), 'T', 0},
	       {"mask_index", T_I32, 0, PORT_OPTIONAL},
	       {"input_zero_point", T_8BIT, 'X', PORT_OPTIONAL},
	       {"weight_zero_point", T_8BIT, 'W', PORT_OPTIONAL},
	       {"past", T_F32 | TM(DT_FLOAT16), 'T', PORT_OPTIONAL}},
	.out = {{"output", T_F32 | TM(DT_FLOAT16), 'T', 0}, {"present", T_F32 | TM(DT_FLOAT16), 'T', PORT_OPTIONAL}},
	.attrs = (const struct op_attr[]){OP_NEEDS("num_heads", ATTR_INT),
					  OP_INT("unidirectional", 0),
					  OP_INT("do_rotary", 0),
					  OP_INT("past_present_share_buffer", 0),
					  OP_ATTR("mask_filter_value", ATTR_FLOAT),
					  OP_ATTR("scale", ATTR_FLOAT),
					  {0}},
	.infer = qattention_infer,
	.eval = qattention_eval,
	.scale = qattention_scale,
};
