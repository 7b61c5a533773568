/* group_query.c - GroupQueryAttention of com.microsoft, by Attention of ONNX.
 *
 *     query (B, S, N H), key and value (B, S, G H), or all in query: (B, S, (N + 2 G) H); N heads share G of keys
 *     past and present (B, G, P, H) and (B, G, L, H): L = max(P, total_sequence_length), rows behind the end are 0
 *
 * Batch b has seqlens_k[b] + 1 keys in all.  When S is total_sequence_length there is no past: the first prompt.
 * Otherwise the last S keys are new, and written behind the others.  Query i stands at position first + i; it sees keys
 * up to its own place, and with local_window_size w only the last w of them.
 *
 * head_sink, and smooth_softmax with 0 in its place, add exp(sink) to the sum in softmax: that is one more key, whose
 * score is the sink and whose value is 0. */
#include <math.h>

#include "ops/contrib/contrib.h"

enum {
	IN_QUERY,
	IN_KEY,
	IN_VALUE,
	IN_PAST_K,
	IN_PAST_V,
	IN_SEQLENS,
	IN_TOTAL,
	IN_COS,
	IN_SIN,
	IN_POSITIONS,
	IN_SCORES,
	IN_SINK,
	IN_K_SCALE,
	IN_V_SCALE,
	IN_Q_NORM,
	IN_K_NORM
};

struct group_query {
	int64_t batch, length, heads, kv_heads, size; /* B, S, N, G, H; negative: not known */
	int64_t past, present;                        /* P, L */
	int is_packed, is_prompt;
	int64_t *first; /* [batch] position of the first query */
	struct compose_part *q, *k, *v;
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static int check_options(struct compose *p)
{
	const struct node *n = p->c->node;

	if (strcmp(attr_string(n, "k_quant_type"), "NONE") != 0 || strcmp(attr_string(n, "v_quant_type"), "NONE") != 0)
		return call_unsupported(p->c, "quantized caches are not known");
	if (attr_int(n, "sliding_window_cache") || attr_int(n, "qk_output"))
		return call_unsupported(p->c, "sliding_window_cache and qk_output are not known");
	if (attr_int(n, "num_heads") < 1 || attr_int(n, "kv_num_heads") < 1)
		return call_bad(p->c, "num_heads and kv_num_heads must be positive");
	if (attr_int(n, "num_heads") > INT32_MAX || attr_int(n, "kv_num_heads") > INT32_MAX)
		return call_bad(p->c, "num_heads and kv_num_heads must be below 2^31");
	return 0;
}

static int read_sizes(struct compose *p, struct group_query *a)
{
	const struct compose_part *q = compose_input(p, IN_QUERY), *past = compose_input(p, IN_PAST_K);
	int64_t hidden = compose_dim(q, 2), parts;

	if (compose_rank(q) >= 0 && compose_rank(q) != 3)
		return call_bad(p->c, "query has rank %d, wanted 3", compose_rank(q));
	if (compose_rank(past) >= 0 && compose_rank(past) != 4)
		return call_bad(p->c, "past_key has rank %d, wanted 4", compose_rank(past));
	a->heads = attr_int(p->c->node, "num_heads");
	a->kv_heads = attr_int(p->c->node, "kv_num_heads");
	a->is_packed = !compose_input(p, IN_KEY);
	a->batch = compose_dim(q, 0);
	a->length = compose_dim(q, 1);
	parts = a->heads + (a->is_packed ? 2 * a->kv_heads : 0);
	if (hidden >= 0 && hidden % parts)
		return call_bad(p->c, "%lld does not split into %lld heads", (long long)hidden, (long long)parts);
	a->size = hidden < 0 ? DIM_UNKNOWN : hidden / parts;
	return 0;
}

/* Where each batch stands; values are known. */
static int read_lengths(struct compose *p, struct group_query *a)
{
	const struct tensor *lens = compose_input(p, IN_SEQLENS)->value, *total = compose_input(p, IN_TOTAL)->value;
	int64_t all = total->count ? total->i[0] : -1;

	a->past = call_has(p->c, IN_PAST_K) ? compose_dim(compose_input(p, IN_PAST_K), 2) : 0;
	a->present = all > a->past ? all : a->past;
	a->is_prompt = all == a->length;
	a->first = call_scratch(p->c, (size_t)a->batch + 1, sizeof *a->first);
	if (!a->first)
		return ERR_MEMORY;
	if ((int64_t)lens->count != a->batch || all < a->length)
		return call_bad(p->c, "seqlens_k and total_sequence_length do not fit the query");
	for (int64_t b = 0; b < a->batch; b++) {
		int64_t first = a->is_prompt ? 0 : lens->i[b] + 1 - a->length;

		if (a->is_prompt && lens->i[b] + 1 != a->length)
			return call_unsupported(p->c, "of queries that are padding nothing is known");
		if (first < 0 || first > a->past || first + a->length > a->present)
			return call_bad(p->c, "seqlens_k %lld does not fit a past of %lld", (long long)lens->i[b],
					(long long)a->past);
		a->first[b] = first;
	}
	return 0;
}

/* ---- queries, keys, values --------------------------------------------------------------------------------------- */

/* Each head by its root mean square. */
static struct compose_part *normalized(struct compose *p, struct compose_part *x, int64_t heads, int weight)
{
	double epsilon = attr_float(p->c->node, "qk_norm_epsilon");
	struct compose_part *w = compose_input(p, weight);

	if (!w)
		return x;
	x = contrib_reshape(p, x, (int64_t[]){0, 0, heads, -1}, 4);
	x = STEP(p, "RMSNormalization", STEP_ATTRS(STEP_FLOAT("epsilon", epsilon)), x, w);
	return contrib_reshape(p, x, (int64_t[]){0, 0, -1}, 3);
}

/* The first prompt counts from one number on, later ones have a position for each query. */
static struct compose_part *positions(struct compose *p, const struct group_query *a)
{
	struct compose_part *ids = compose_input(p, IN_POSITIONS);
	int64_t *first = call_scratch(p->c, (size_t)a->batch + 1, sizeof *first);

	if (ids && !a->is_prompt)
		return ids;
	for (int64_t b = 0; first && b < a->batch; b++)
		first[b] =
			(int64_t)((uint64_t)a->first[b] + (uint64_t)(ids && ids->value->count ? ids->value->i[0] : 0));
	compose_fail(p, first ? 0 : ERR_MEMORY);
	return first ? contrib_positions(p, a->batch, a->length, first) : NULL;
}

static struct compose_part *turned(struct compose *p, struct compose_part *x, int64_t heads, struct compose_part *ids)
{
	struct compose_part *cos_cache = compose_input(p, IN_COS);
	const struct attr *attrs = STEP_ATTRS(STEP_INT("interleaved", attr_int(p->c->node, "rotary_interleaved") != 0),
					      STEP_INT("num_heads", heads),
					      STEP_INT("rotary_embedding_dim", 2 * compose_dim(cos_cache, 1)));

	return STEP(p, "RotaryEmbedding", attrs, x, cos_cache, compose_input(p, IN_SIN), ids);
}

static void find_operands(struct compose *p, struct group_query *a)
{
	int64_t q = a->heads * a->size, kv = a->kv_heads * a->size;
	struct compose_part *parts, *ids;

	a->q = compose_input(p, IN_QUERY);
	a->k = compose_input(p, IN_KEY);
	a->v = compose_input(p, IN_VALUE);
	if (a->is_packed) {
		parts = STEPS(p, 3, "Split", STEP_ATTRS(STEP_INT("axis", -1)), a->q,
			      compose_ints(p, (int64_t[]){q, kv, kv}, 3));
		a->q = &parts[0], a->k = &parts[1], a->v = &parts[2];
	}
	a->q = normalized(p, a->q, a->heads, IN_Q_NORM);
	a->k = normalized(p, a->k, a->kv_heads, IN_K_NORM);
	if (!attr_int(p->c->node, "do_rotary") || p->rc)
		return;
	ids = positions(p, a);
	a->q = turned(p, a->q, a->heads, ids);
	a->k = turned(p, a->k, a->kv_heads, ids);
}

/* (B, S, heads H) as (B, heads, S, H) */
static struct compose_part *by_heads(struct compose *p, struct compose_part *x, int64_t heads)
{
	static const int64_t perm[] = {0, 2, 1, 3};

	x = contrib_reshape(p, x, (int64_t[]){0, 0, heads, -1}, 4);
	return STEP(p, "Transpose", STEP_ATTRS(STEP_INTS("perm", perm, 4)), x);
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

/* x (B, N or G, rows, …) with more rows, all 0. */
static struct compose_part *longer(struct compose *p, struct compose_part *x, int axis, int64_t more)
{
	int64_t pads[8] = {0};

	pads[4 + axis] = more;
	return more > 0 ? STEP(p, "Pad", NULL, x, compose_ints(p, pads, 8)) : x;
}

/* Rows of the past that count; the others are 0. */
static struct compose_part *past_rows(struct compose *p, const struct group_query *a, struct compose_part *past)
{
	struct tensor *old = tensor_new(DT_BOOL, 4, (int64_t[]){a->batch, 1, a->present, 1}, p->c->err);
	enum dtype t = compose_input(p, IN_QUERY)->type.dtype;

	for (int64_t at = 0; old && at < a->batch * a->present; at++)
		old->i[at] = at % a->present < a->first[at / a->present];
	return STEP(p, "Where", NULL, compose_constant(p, old), longer(p, past, 2, a->present - a->past),
		    compose_number(p, t, 0));
}

/* Past and present keys or values, (B, G, L, H). */
static struct compose_part *cache(struct compose *p, const struct group_query *a, struct compose_part *past,
				  struct compose_part *fresh)
{
	const int64_t dims[] = {a->batch, a->kv_heads, a->present, a->size};
	struct compose_part *old;

	fresh = by_heads(p, fresh, a->kv_heads);
	if (!past && a->present == a->length)
		return fresh;
	old = past ? past_rows(p, a, past)
		   : compose_constant(p, tensor_zeros(compose_input(p, IN_QUERY)->type.dtype, 4, dims, p->c->err));
	return STEP(p, "TensorScatter", STEP_ATTRS(STEP_INT("axis", 2)), old, fresh,
		    compose_ints(p, a->first, (int)a->batch));
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

static int is_seen(const struct compose *p, const struct group_query *a, int64_t b, int64_t query, int64_t key)
{
	int64_t window = attr_int(p->c->node, "local_window_size"), place = a->first[b] + query;

	if (key >= a->first[b] + a->length || (attr_int(p->c->node, "causal") && key > place))
		return 0;
	return window <= 0 || key > place - window;
}

/* (B, 1, S, L): 0 or -inf, and the bias that is given for the first keys. */
static struct compose_part *score_bias(struct compose *p, const struct group_query *a)
{
	struct compose_part *bias = compose_input(p, IN_SCORES), *mask;
	enum dtype t = compose_input(p, IN_QUERY)->type.dtype;
	struct tensor *m = tensor_new(t, 4, (int64_t[]){a->batch, 1, a->length, a->present}, p->c->err);
	size_t at = 0;

	for (int64_t b = 0; m && b < a->batch; b++)
		for (int64_t i = 0; i < a->length; i++)
			for (int64_t j = 0; j < a->present; j++)
				m->f[at++] = is_seen(p, a, b, i, j) ? 0 : (double)-INFINITY;
	mask = compose_constant(p, m);
	if (!bias)
		return mask;
	return STEP(p, "Add", NULL, longer(p, bias, 3, a->present - compose_dim(bias, 3)), mask);
}

/* The scores of one more key for every head: (B, N, S, L + 1). */
static struct compose_part *with_sink(struct compose *p, const struct group_query *a, struct compose_part *bias)
{
	struct compose_part *sink = compose_input(p, IN_SINK);
	const int64_t full[] = {a->batch, a->heads, a->length, a->present};
	const int64_t column[] = {a->batch, a->heads, a->length, 1};

	if (!sink)
		sink = compose_number(p, compose_input(p, IN_QUERY)->type.dtype, 0);
	else
		sink = contrib_reshape(p, sink, (int64_t[]){1, a->heads, 1, 1}, 4);
	return STEP(p, "Concat", STEP_ATTRS(STEP_INT("axis", 3)),
		    STEP(p, "Expand", NULL, bias, compose_ints(p, full, 4)),
		    STEP(p, "Expand", NULL, sink, compose_ints(p, column, 4)));
}

static struct compose_part *attend(struct compose *p, const struct group_query *a, struct compose_part *k,
				   struct compose_part *v)
{
	const struct node *n = p->c->node;
	struct compose_part *bias = score_bias(p, a);
	int has_sink = compose_input(p, IN_SINK) || attr_int(n, "smooth_softmax") == 1;
	double scale = node_float(n, "scale", 0); /* 0 stands for the one of ONNX as well */
	struct attr attrs[] = {
		STEP_FLOAT("softcap", attr_float(n, "softcap")), STEP_FLOAT("scale", scale), {.name = NULL}};

	if (scale == 0)
		attrs[1].name = NULL;
	if (has_sink)
		bias = with_sink(p, a, bias);
	return STEP(p, "Attention", attrs, by_heads(p, a->q, a->heads), longer(p, k, 2, has_sink),
		    longer(p, v, 2, has_sink), bias);
}

/* ---- operator ---------------------------------------------------------------------------------------------------- */

/* Shapes alone: before the values are known, and once more with the lengths just before they are computed. */
static void tell_shapes(struct compose *p, const struct group_query *a)
{
	enum dtype t = compose_input(p, IN_QUERY)->type.dtype;
	const struct compose_part *past = compose_input(p, IN_PAST_K), *total = compose_input(p, IN_TOTAL);
	int64_t y[] = {a->batch, a->length, a->size < 0 ? DIM_UNKNOWN : a->heads * a->size};
	int64_t cached[] = {a->batch, a->kv_heads, DIM_UNKNOWN, a->size}, rows = past ? compose_dim(past, 2) : 0;

	if (total && total->value && !total->value->count)
		compose_fail(p, call_bad(p->c, "total_sequence_length is empty"));
	else if (total && total->value && rows >= 0)
		cached[2] = total->value->i[0] > rows ? total->value->i[0] : rows;
	compose_output(p, 0, compose_unknown(p, t, 3, y));
	compose_output(p, 1, compose_unknown(p, t, 4, cached));
	compose_output(p, 2, compose_unknown(p, t, 4, cached));
}

static void group_query_steps(struct compose *p)
{
	struct group_query a = {.batch = -1};
	struct compose_part *k, *v;

	compose_fail(p, check_options(p));
	if (!p->rc)
		compose_fail(p, read_sizes(p, &a));
	if (!p->rc && !p->known)
		tell_shapes(p, &a);
	if (!p->rc && p->known)
		compose_fail(p, read_lengths(p, &a));
	if (p->rc || !p->known)
		return;
	find_operands(p, &a);
	k = cache(p, &a, compose_input(p, IN_PAST_K), a.k);
	v = cache(p, &a, compose_input(p, IN_PAST_V), a.v);
	compose_output(p, 0, contrib_side_by_side(p, attend(p, &a, k, v)));
	compose_output(p, 1, k);
	compose_output(p, 2, v);
}

COMPOSED(group_query)

const struct op op_group_query_attention = {
	.in = {{"query", T_CONTRIB, 'T', 0},
	       {"key", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"value", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"past_key", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"past_value", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"seqlens_k", T_I32, 0, 0},
	       {"total_sequence_length", T_I32, 0, 0},
	       {"cos_cache", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"sin_cache", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"position_ids", T_I64, 0, PORT_OPTIONAL},
	       {"attention_bias", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"head_sink", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"k_scale", T_F32, 0, PORT_OPTIONAL},
	       {"v_scale", T_F32, 0, PORT_OPTIONAL},
	       {"q_norm_weight", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"k_norm_weight", T_CONTRIB, 'T', PORT_OPTIONAL}},
	.out = {{"output", T_CONTRIB, 'T', 0},
		{"present_key", T_CONTRIB, 'T', PORT_OPTIONAL},
		{"present_value", T_CONTRIB, 'T', PORT_OPTIONAL}},
	.attrs =
		(const struct op_attr[]){
			OP_INT("causal", 1),
			OP_INT("do_rotary", 0),
			OP_STRING("k_quant_type", "NONE"),
			OP_ATTR("kv_cache_bit_width", ATTR_INT),
			OP_NEEDS("kv_num_heads", ATTR_INT),
			OP_INT("local_window_size", -1),
			OP_NEEDS("num_heads", ATTR_INT),
			OP_FLOAT("qk_norm_epsilon", 1e-6f),
			OP_INT("qk_output", 0),
			OP_INT("rotary_interleaved", 0),
			OP_ATTR("scale", ATTR_FLOAT),
			OP_INT("sliding_window_cache", 0),
			OP_INT("smooth_softmax", -1),
			OP_FLOAT("softcap", 0),
			OP_STRING("v_quant_type", "NONE"),
			{0},
		},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(group_query),
};
