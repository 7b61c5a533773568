/* attention.c - Attention, head by head.
 *
 *     S0 = scale Q Kᵀ       S1 = cap tanh(S0 / cap)       S2 = S1 + bias       S3 = softmax(S2)       Y = S3 V
 *
 * K and V include the past.  The bias adds the mask and shuts out, with -inf, keys behind the causal frontier, outside
 * the window, and behind the end of a padded cache.  A row that is shut out altogether has S3 = 0, not NaN.  S0 … S3
 * are what qk_matmul_output_mode 0 … 3 shows.  softmax_precision says how libraries may round; it changes nothing here.
 */
#include "ops/attention/attention.h"

#include <math.h>
#include <string.h>

#include "ops/attention/samplers.h"
#include "ops/engine/gemm.h"
#include "ops/reduce/softmax.h"

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static struct attention_head head_at(const struct attention *a, size_t b, size_t h, int64_t heads, int64_t length,
				     int64_t size)
{
	size_t n = (size_t)heads, s = (size_t)size;

	if (a->z.packed)
		return (struct attention_head){(b * (size_t)length * n + h) * s, n * s};
	return (struct attention_head){(b * n + h) * (size_t)length * s, s};
}

struct attention_head attention_query_head(const struct attention *a, size_t b, size_t h)
{
	return head_at(a, b, h, a->z.heads, a->z.queries, a->z.size);
}

struct attention_head attention_output_head(const struct attention *a, size_t b, size_t h)
{
	return head_at(a, b, h, a->z.heads, a->z.queries, a->z.v_size);
}

size_t attention_kv_index(const struct attention *a, size_t b, size_t h)
{
	return b * (size_t)a->z.kv_heads + h / (size_t)(a->z.heads / a->z.kv_heads);
}

void attention_join_cache(const struct attention *a, double *past, double *fresh, double *all, int64_t size, int gather)
{
	size_t s = (size_t)size, heads = (size_t)a->z.kv_heads, old = (size_t)a->z.past;

	for (size_t g = 0; g < (size_t)a->z.batch * heads; g++) {
		struct attention_head h = head_at(a, g / heads, g % heads, a->z.kv_heads, a->z.keys, size);

		for (size_t t = 0; t < a->total; t++) {
			double *part = t < old ? past : fresh, *row = all + (g * a->total + t) * s;

			if (!part)
				continue;
			part += t < old ? (g * old + t) * s : h.start + (t - old) * h.row;
			for (size_t j = 0; j < s; j++) {
				if (gather)
					row[j] = part[j];
				else
					part[j] += row[j];
			}
		}
	}
}

static double *input_f(const struct call *c, int in)
{
	return call_has(c, in) ? c->in[in]->f : NULL;
}

static void open_mask(struct attention *a)
{
	const struct tensor *m = call_has(a->c, ATTENTION_MASK) ? a->c->in[ATTENTION_MASK] : NULL;
	size_t stride = 1;

	a->mask_keys = a->total;
	for (int i = 3, d = m ? m->rank - 1 : -1; d >= 0; i--, d--) {
		a->mask_stride[i] = m->dims[d] == 1 ? 0 : stride;
		stride *= (size_t)m->dims[d];
	}
	if (m && a->c->version >= 24)
		a->mask_keys = (size_t)m->dims[m->rank - 1];
}

int attention_open(struct call *c, struct attention *a)
{
	size_t kv;
	int rc;

	memset(a, 0, sizeof *a);
	a->c = c;
	rc = attention_sizes(c, &a->z);
	if (rc)
		return rc;
	a->queries = (size_t)a->z.queries;
	a->total = (size_t)a->z.total;
	a->size = (size_t)a->z.size;
	a->v_size = (size_t)a->z.v_size;
	a->scale = node_float(c->node, "scale", 1 / sqrt((double)a->size)); /* no constant, so not in the table */
	a->cap = attr_float(c->node, "softcap");
	a->causal = attr_int(c->node, "is_causal") != 0;
	a->left = c->version >= 25 ? attr_int(c->node, "left_window_size") : -1;
	a->right = c->version >= 25 ? attr_int(c->node, "right_window_size") : -1;
	open_mask(a);
	kv = (size_t)(a->z.batch * a->z.kv_heads) * a->total;
	a->k = call_scratch(c, kv, a->size * sizeof(double));
	a->v = call_scratch(c, kv, a->v_size * sizeof(double));
	for (int i = 0; i < ATTENTION_STAGES; i++)
		a->stage[i] = call_scratch(c, a->queries, a->total * sizeof(double));
	if (!a->k || !a->v || !a->stage[0] || !a->stage[1] || !a->stage[2] || !a->stage[3])
		return ERR_MEMORY;
	attention_join_cache(a, input_f(c, ATTENTION_PAST_K), input_f(c, ATTENTION_K), a->k, a->z.size, 1);
	attention_join_cache(a, input_f(c, ATTENTION_PAST_V), input_f(c, ATTENTION_V), a->v, a->z.v_size, 1);
	return 0;
}

/* ---- bias -------------------------------------------------------------------------------------------------------- */

size_t attention_mask_index(const struct attention *a, size_t b, size_t h, size_t i, size_t j)
{
	return b * a->mask_stride[0] + h * a->mask_stride[1] + i * a->mask_stride[2] + j * a->mask_stride[3];
}

/* Keys before the first query: the past, or in a padded cache all but the last `queries` valid ones. */
static int64_t first_position(const struct attention *a, size_t b)
{
	if (call_has(a->c, ATTENTION_NONPAD))
		return a->c->in[ATTENTION_NONPAD]->i[b] - a->z.queries;
	return a->z.past;
}

int attention_is_shut_out(const struct attention *a, size_t b, size_t i, size_t j)
{
	int64_t key = (int64_t)j, position = first_position(a, b) + (int64_t)i;

	if (call_has(a->c, ATTENTION_NONPAD) && key >= a->c->in[ATTENTION_NONPAD]->i[b])
		return 1;
	if (a->causal && key > position)
		return 1;
	if (a->left >= 0 && position - key > a->left)
		return 1;
	return (a->right >= 0 && key - position > a->right) || j >= a->mask_keys;
}

static double bias_at(const struct attention *a, size_t b, size_t h, size_t i, size_t j)
{
	const struct tensor *m = call_has(a->c, ATTENTION_MASK) ? a->c->in[ATTENTION_MASK] : NULL;

	if (attention_is_shut_out(a, b, i, j))
		return -INFINITY;
	if (!m)
		return 0;
	if (m->dtype == DT_BOOL)
		return m->i[attention_mask_index(a, b, h, i, j)] ? 0 : -INFINITY;
	return tensor_get(m, attention_mask_index(a, b, h, i, j));
}

/* ---- one head ---------------------------------------------------------------------------------------------------- */

static void softmax_rows(const struct attention *a)
{
	for (size_t i = 0; i < a->queries; i++) {
		const void *row = a->stage[2] + i * a->total;
		const double *s = row;
		double *p = a->stage[3] + i * a->total;
		int open = 0;

		for (size_t j = 0; j < a->total && !open; j++)
			open = s[j] != -INFINITY;
		if (open)
			softmax_line(&row, a->total, p, NULL);
		else
			memset(p, 0, a->total * sizeof *p);
	}
}

/* Fills S0 … S3 of head h of batch b. */
static void run_stages(const struct attention *a, size_t b, size_t h)
{
	struct attention_head q = attention_query_head(a, b, h);
	struct gemm_shape g = gemm_dense(a->queries, a->total, a->size, 0, 1);

	g.lda = q.row;
	gemm_f64(&g, a->c->in[ATTENTION_Q]->f + q.start, a->k + attention_kv_index(a, b, h) * a->total * a->size,
		 a->stage[0]);
	for (size_t i = 0; i < a->queries; i++)
		for (size_t j = 0; j < a->total; j++) {
			size_t at = i * a->total + j;

			a->stage[0][at] *= a->scale;
			a->stage[1][at] = a->cap > 0 ? a->cap * tanh(a->stage[0][at] / a->cap) : a->stage[0][at];
			a->stage[2][at] = a->stage[1][at] + bias_at(a, b, h, i, j);
		}
	softmax_rows(a);
}

static int check_lengths(struct call *c, const struct attention *a)
{
	for (size_t b = 0; call_has(c, ATTENTION_NONPAD) && b < (size_t)a->z.batch; b++)
		if (c->in[ATTENTION_NONPAD]->i[b] < 0 || c->in[ATTENTION_NONPAD]->i[b] > a->z.total)
			return call_bad(c, "nonpad_kv_seqlen %lld is outside of %lld keys",
					(long long)c->in[ATTENTION_NONPAD]->i[b], (long long)a->z.total);
	return 0;
}

int attention_for_each_head(struct call *c, const struct attention *a, attention_head_fn *fn, void *arg)
{
	int rc = check_lengths(c, a);

	for (size_t b = 0; !rc && b < (size_t)a->z.batch; b++)
		for (size_t h = 0; !rc && h < (size_t)a->z.heads; h++) {
			run_stages(a, b, h);
			rc = fn(a, b, h, arg);
		}
	return rc;
}

size_t attention_stage_offset(const struct attention *a, size_t b, size_t h)
{
	return (b * (size_t)a->z.heads + h) * a->queries * a->total;
}

int attention_shown_stage(const struct attention *a)
{
	return (int)attr_int(a->c->node, "qk_matmul_output_mode");
}

static int head_values(const struct attention *a, size_t b, size_t h, void *arg)
{
	struct call *c = a->c;
	struct attention_head y = attention_output_head(a, b, h);
	struct gemm_shape g = gemm_dense(a->queries, a->v_size, a->total, 0, 0);

	(void)arg;
	g.ldc = y.row;
	gemm_f64(&g, a->stage[3], a->v + attention_kv_index(a, b, h) * a->total * a->v_size,
		 c->out[ATTENTION_Y]->f + y.start);
	if (call_wants(c, ATTENTION_QK))
		memcpy(c->out[ATTENTION_QK]->f + attention_stage_offset(a, b, h), a->stage[attention_shown_stage(a)],
		       a->queries * a->total * sizeof(double));
	return 0;
}

static int attention_eval(struct call *c)
{
	struct attention a;
	int rc = attention_open(c, &a);

	if (!rc)
		rc = attention_for_each_head(c, &a, head_values, NULL);
	if (rc)
		return rc;
	if (call_wants(c, ATTENTION_PRESENT_K))
		memcpy(c->out[ATTENTION_PRESENT_K]->f, a.k, c->out[ATTENTION_PRESENT_K]->count * sizeof(double));
	if (call_wants(c, ATTENTION_PRESENT_V))
		memcpy(c->out[ATTENTION_PRESENT_V]->f, a.v, c->out[ATTENTION_PRESENT_V]->count * sizeof(double));
	return 0;
}

/* ---- operator ---------------------------------------------------------------------------------------------------- */

static const struct op_attr attention_attrs[] = {
	OP_INT("is_causal", 0),
	OP_ATTR("kv_num_heads", ATTR_INT),
	OP_INT("left_window_size", -1),
	OP_ATTR("q_num_heads", ATTR_INT),
	OP_INT("qk_matmul_output_mode", 0),
	OP_INT("right_window_size", -1),
	OP_ATTR("scale", ATTR_FLOAT),
	OP_FLOAT("softcap", 0),
	OP_ATTR("softmax_precision", ATTR_INT),
	{0},
};

const struct op op_attention = {
	.samples = SAMPLES({.by = &sampler_attention}),
	.in = {{"Q", T_FLOAT, 'T', 0},
	       {"K", T_FLOAT, 'T', 0},
	       {"V", T_FLOAT, 'V', 0},
	       {"attn_mask", T_NUM | T_BOOL, 0, PORT_OPTIONAL},
	       {"past_key", T_FLOAT, 'T', PORT_OPTIONAL},
	       {"past_value", T_FLOAT, 'V', PORT_OPTIONAL},
	       {"nonpad_kv_seqlen", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', 0},
		{"present_key", T_FLOAT, 'T', PORT_OPTIONAL},
		{"present_value", T_FLOAT, 'V', PORT_OPTIONAL},
		{"qk_matmul_output", T_FLOAT, 'T', PORT_OPTIONAL}},
	.attrs = attention_attrs,
	.flags = OP_PRODUCTS,
	.infer = attention_infer,
	.eval = attention_eval,
	.grad = attention_grad,
	.scale = attention_scale,
};
