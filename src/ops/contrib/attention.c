/* attention.c - Attention and MultiHeadAttention of com.microsoft, by Attention of ONNX.
 *
 *     Attention            Q, K, V are the parts of input W + bias; past and present hold keys and values, one behind
 *                          the other along a first dimension of 2
 *     MultiHeadAttention   Q, K, V are given; bias has a part for each
 *
 *     Y = softmax(scale Q Kᵀ + mask + attention_bias) V       heads lie side by side in the last dimension
 *
 * A mask adds mask_filter_value to the scores of keys that it shuts out; a query whose keys are all shut out still has
 * an answer.  With unidirectional, keys behind a query do not count at all. */
#include "ops/contrib/contrib.h"

struct compose_part *contrib_reshape(struct compose *p, struct compose_part *x, const int64_t *dims, int rank)
{
	return STEP(p, "Reshape", NULL, x, compose_ints(p, dims, rank));
}

struct compose_part *contrib_pick(struct compose *p, struct compose_part *x, int axis, int64_t i)
{
	return STEP(p, "Gather", STEP_ATTRS(STEP_INT("axis", axis)), x,
		    compose_constant(p, tensor_scalar_i(DT_INT64, i, p->c->err)));
}

struct compose_part *contrib_side_by_side(struct compose *p, struct compose_part *x)
{
	static const int64_t perm[] = {0, 2, 1, 3}, packed[] = {0, 0, -1};

	return contrib_reshape(p, STEP(p, "Transpose", STEP_ATTRS(STEP_INTS("perm", perm, 4)), x), packed, 3);
}

/* ---- masks ------------------------------------------------------------------------------------------------------- */

/* What is open to whom: [batch, queries, keys] of a mask of integers.
 *
 *     (B)              keys from here on are shut out
 *     (2B)             the same, then for each batch the first that is not
 *     (B, keys), (B, queries, keys)    0 shuts out */
static int is_open(const struct tensor *m, const int64_t *dims, int64_t b, int64_t q, int64_t k)
{
	if (m->rank == 3)
		return m->i[(b * dims[1] + q) * dims[2] + k] > 0;
	if (m->rank == 2)
		return m->i[b * dims[2] + k] > 0;
	return k < m->i[b] && (m->dims[0] == dims[0] || k >= m->i[dims[0] + b]);
}

static int check_mask(struct compose *p, const struct tensor *m, const int64_t *dims)
{
	int64_t batch = dims[0];

	if (m->rank == 1 && (m->dims[0] == batch || m->dims[0] == 2 * batch))
		return 0;
	if (m->rank == 2 && m->dims[0] == batch && m->dims[1] == dims[2])
		return 0;
	if (m->rank == 3 && m->dims[0] == batch && m->dims[1] == dims[1] && m->dims[2] == dims[2])
		return 0;
	return call_unsupported(p->c, "a mask of rank %d and this shape is not known", m->rank);
}

/* (B, 1, queries, keys): 0, or the filter value where a key is shut out. */
static struct compose_part *mask_bias(struct compose *p, const struct tensor *m, const int64_t *dims)
{
	double filter = attr_float(p->c->node, "mask_filter_value");
	struct tensor *t = NULL;
	size_t at = 0;
	int rc = check_mask(p, m, dims);

	compose_fail(p, rc);
	if (rc)
		return NULL;
	t = tensor_new(p->c->in_type[0].dtype, 4, (int64_t[]){dims[0], 1, dims[1], dims[2]}, p->c->err);
	for (int64_t b = 0; t && b < dims[0]; b++)
		for (int64_t q = 0; q < dims[1]; q++)
			for (int64_t k = 0; k < dims[2]; k++)
				t->f[at++] = is_open(m, dims, b, q, k) ? 0 : filter;
	return compose_constant(p, t);
}

/* ---- what both share --------------------------------------------------------------------------------------------- */

/* Q, K and V packed, the past (NULL: none); inputs of the node that have the mask and the bias. */
struct multi_head {
	struct compose_part *q, *k, *v, *past_k, *past_v;
	int mask, bias;
};

/* What is added to the scores, or NULL. */
static struct compose_part *score_bias(struct compose *p, const struct multi_head *a)
{
	struct compose_part *mask = compose_input(p, a->mask), *bias = compose_input(p, a->bias);
	int64_t past = a->past_k ? compose_dim(a->past_k, 2) : 0;
	const int64_t dims[] = {compose_dim(a->q, 0), compose_dim(a->q, 1), past + compose_dim(a->k, 1)};

	if (!mask || !mask->value || !p->known || p->rc)
		return bias;
	mask = mask_bias(p, mask->value, dims);
	return bias ? STEP(p, "Add", NULL, bias, mask) : mask;
}

/* Y, present key and present value. */
static struct compose_part *attend(struct compose *p, const struct multi_head *a)
{
	const struct node *n = p->c->node;
	int64_t heads = attr_int(n, "num_heads");
	double scale = node_float(n, "scale", 0); /* 0 stands for the one of ONNX as well */
	struct attr attrs[] = {STEP_INT("q_num_heads", heads),
			       STEP_INT("kv_num_heads", heads),
			       STEP_INT("is_causal", attr_int(n, "unidirectional") != 0),
			       STEP_FLOAT("scale", scale),
			       {.name = NULL}};

	if (scale == 0)
		attrs[3].name = NULL;
	return STEPS(p, 3, "Attention", attrs, a->q, a->k, a->v, score_bias(p, a), a->past_k, a->past_v);
}

/* The parts of a bias of all three projections; NULL parts where there is none. */
static void split_bias(struct compose *p, struct compose_part *bias, const int64_t *sizes, struct compose_part **part)
{
	struct compose_part *parts;

	if (!bias)
		return;
	parts = STEPS(p, 3, "Split", NULL, bias, compose_ints(p, sizes, 3));
	for (int i = 0; i < 3; i++)
		part[i] = &parts[i];
}

/* ---- Attention --------------------------------------------------------------------------------------------------- */

enum { IN_X, IN_WEIGHTS, IN_BIAS, IN_MASK, IN_PAST, IN_SCORES, IN_PAST_LENGTH };

/* Sizes of Q, K and V in the last dimension; 0 where they cannot be told yet. */
static int hidden_sizes(struct compose *p, int64_t *sizes)
{
	size_t n = 0;
	const int64_t *given = node_ints(p->c->node, "qkv_hidden_sizes", &n);
	const struct compose_part *weights = compose_input(p, IN_WEIGHTS);
	int64_t all = compose_dim(weights, 1);

	if (compose_rank(weights) >= 0 && compose_rank(weights) != 2) {
		compose_fail(p, call_bad(p->c, "weights have rank %d, wanted 2", compose_rank(weights)));
		return 0;
	}
	if (given && n != 3) {
		compose_fail(p, call_bad(p->c, "qkv_hidden_sizes has %zu numbers, wanted 3", n));
		return 0;
	}
	if (!given && all >= 0 && all % 3)
		compose_fail(p, call_bad(p->c, "%lld columns do not split into Q, K and V", (long long)all));
	for (int i = 0; i < 3; i++)
		sizes[i] = given ? given[i] : all / 3;
	return given || all >= 0;
}

static int attention_is_known(struct compose *p)
{
	const struct node *n = p->c->node;

	if (attr_int(n, "do_rotary") || attr_int(n, "past_present_share_buffer") || call_has(p->c, IN_PAST_LENGTH))
		compose_fail(p, call_unsupported(p->c, "do_rotary and past_present_share_buffer are not known"));
	return !p->rc;
}

static void ms_attention_steps(struct compose *p)
{
	struct compose_part *past = compose_input(p, IN_PAST), *parts, *y;
	struct multi_head a = {.mask = IN_MASK, .bias = IN_SCORES};
	int64_t sizes[3];

	if (!attention_is_known(p) || !hidden_sizes(p, sizes))
		return;
	y = STEP(p, "MatMul", NULL, compose_input(p, IN_X), compose_input(p, IN_WEIGHTS));
	parts = STEPS(p, 3, "Split", STEP_ATTRS(STEP_INT("axis", -1)),
		      contrib_add_vector(p, y, compose_input(p, IN_BIAS)), compose_ints(p, sizes, 3));
	a.q = &parts[0], a.k = &parts[1], a.v = &parts[2];
	if (past) {
		a.past_k = contrib_pick(p, past, 0, 0);
		a.past_v = contrib_pick(p, past, 0, 1);
	}
	y = attend(p, &a);
	compose_output(p, 0, &y[0]);
	if (call_wants(p->c, 1) && sizes[1] == sizes[2])
		compose_output(p, 1,
			       STEP(p, "Concat", STEP_ATTRS(STEP_INT("axis", 0)),
				    STEP(p, "Unsqueeze", NULL, &y[1], compose_ints(p, (int64_t[]){0}, 1)),
				    STEP(p, "Unsqueeze", NULL, &y[2], compose_ints(p, (int64_t[]){0}, 1))));
}

COMPOSED(ms_attention)

const struct op op_ms_attention = {
	.in = {{"input", T_CONTRIB, 'T', 0},
	       {"weights", T_CONTRIB, 'T', 0},
	       {"bias", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"mask_index", T_I32, 0, PORT_OPTIONAL},
	       {"past", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"attention_bias", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"past_sequence_length", T_I32, 0, PORT_OPTIONAL}},
	.out = {{"output", T_CONTRIB, 'T', 0}, {"present", T_CONTRIB, 'T', PORT_OPTIONAL}},
	.attrs =
		(const struct op_attr[]){
			OP_INT("do_rotary", 0),
			OP_FLOAT("mask_filter_value", -10000),
			OP_NEEDS("num_heads", ATTR_INT),
			OP_INT("past_present_share_buffer", 0),
			OP_ATTR("qkv_hidden_sizes", ATTR_INTS),
			OP_ATTR("rotary_embedding_dim", ATTR_INT),
			OP_ATTR("scale", ATTR_FLOAT),
			OP_INT("unidirectional", 0),
			{0},
		},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(ms_attention),
};

/* ---- MultiHeadAttention ------------------------------------------------------------------------------------------ */

enum { MHA_QUERY, MHA_KEY, MHA_VALUE, MHA_BIAS, MHA_MASK, MHA_SCORES, MHA_PAST_K, MHA_PAST_V, MHA_LENGTH, MHA_BEAMS };
enum { MHA_Y, MHA_PRESENT_K, MHA_PRESENT_V, MHA_QK };

/* Finds Q, K and V: packed, or keys and values as a cache has them. */
static void mha_operands(struct compose *p, struct multi_head *a)
{
	struct compose_part *k = compose_input(p, MHA_KEY), *v = compose_input(p, MHA_VALUE);

	a->q = compose_input(p, MHA_QUERY);
	if (!k || !v || compose_rank(a->q) == 5 || compose_rank(k) == 5) {
		compose_fail(p, call_unsupported(p->c, "Q, K and V in one tensor are not known"));
		return;
	}
	if (compose_rank(k) == 4 && compose_input(p, MHA_BIAS))
		compose_fail(p, call_unsupported(p->c, "a bias of keys that are a cache is not known"));
	a->k = compose_rank(k) == 4 ? contrib_side_by_side(p, k) : k;
	a->v = compose_rank(v) == 4 ? contrib_side_by_side(p, v) : v;
}

static void mha_add_bias(struct compose *p, struct multi_head *a)
{
	const int64_t sizes[] = {compose_dim(a->q, 2), compose_dim(a->k, 2), compose_dim(a->v, 2)};
	struct compose_part *part[3] = {NULL};

	if (p->rc || sizes[0] < 0 || sizes[1] < 0 || sizes[2] < 0)
		return;
	split_bias(p, compose_input(p, MHA_BIAS), sizes, part);
	a->q = contrib_add_vector(p, a->q, part[0]);
	a->k = contrib_add_vector(p, a->k, part[1]);
	a->v = contrib_add_vector(p, a->v, part[2]);
}

static void multi_head_attention_steps(struct compose *p)
{
	struct multi_head a = {.mask = MHA_MASK, .bias = MHA_SCORES};
	struct compose_part *y;

	if (call_has(p->c, MHA_LENGTH) || call_has(p->c, MHA_BEAMS))
		compose_fail(p, call_unsupported(p->c, "caches of a fixed length are not known"));
	if (call_wants(p->c, MHA_QK)) /* what it holds is said nowhere, and no library gives it */
		compose_fail(p, call_unsupported(p->c, "output qk is not known"));
	if (compose_rank(compose_input(p, MHA_QUERY)) < 0)
		return;
	a.past_k = compose_input(p, MHA_PAST_K);
	a.past_v = compose_input(p, MHA_PAST_V);
	mha_operands(p, &a);
	mha_add_bias(p, &a);
	y = attend(p, &a);
	for (int i = 0; i < 3; i++)
		compose_output(p, i, &y[i]);
}

COMPOSED(multi_head_attention)

const struct op op_multi_head_attention = {
	.in = {{"query", T_CONTRIB, 'T', 0},
	       {"key", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"value", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"bias", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"key_padding_mask", T_I32, 0, PORT_OPTIONAL},
	       {"attention_bias", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"past_key", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"past_value", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"past_sequence_length", T_I32, 0, PORT_OPTIONAL},
	       {"cache_indirection", T_I32, 0, PORT_OPTIONAL}},
	.out = {{"output", T_CONTRIB, 'T', 0},
		{"present_key", T_CONTRIB, 'T', PORT_OPTIONAL},
		{"present_value", T_CONTRIB, 'T', PORT_OPTIONAL},
		{"qk", T_CONTRIB, 'T', PORT_OPTIONAL}},
	.attrs =
		(const struct op_attr[]){
			OP_FLOAT("mask_filter_value", -10000),
			OP_NEEDS("num_heads", ATTR_INT),
			OP_ATTR("scale", ATTR_FLOAT),
			OP_INT("unidirectional", 0),
			{0},
		},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(multi_head_attention),
};
