/* attention_shape.c - shapes of Attention.
 *
 *     Q (B, H, S, E)   K (B, G, L, E)   V (B, G, L, F)        or packed: (B, S, H*E), (B, L, G*E), (B, L, G*F)
 *     past_key (B, G, P, E)   past_value (B, G, P, F)   mask broadcasts to (B, H, S, P + L)
 *     Y (B, H, S, F) or (B, S, H*F) */
#include "ops/attention/attention.h"
#include "ops/kit/dims.h"

/* Dimensions of Q, K or V as (batch, heads, length, size). */
static int read_operand(struct call *c, int in, const char *heads_attr, int64_t *batch, int64_t *heads, int64_t *length,
			int64_t *size)
{
	const struct type *t = call_shape(c, in);
	int64_t n = node_int(c->node, heads_attr, 0); /* no default; only packed inputs need it */
	int rc = dim_unify(c, batch, t->dims[0], "batch size");

	if (rc)
		return rc;
	if (t->rank == 4) {
		rc = dim_unify(c, heads, t->dims[1], "number of heads");
		if (!rc)
			rc = dim_unify(c, length, t->dims[2], "sequence length");
		return rc ? rc : dim_unify(c, size, t->dims[3], "head size");
	}
	if (n < 1)
		return call_bad(c, "packed inputs need a positive '%s'", heads_attr);
	if (t->dims[2] >= 0 && t->dims[2] % n)
		return call_bad(c, "input %d: %lld does not split into %lld heads", in, (long long)t->dims[2],
				(long long)n);
	rc = dim_unify(c, heads, n, "number of heads");
	if (!rc)
		rc = dim_unify(c, length, t->dims[1], "sequence length");
	return rc ? rc : dim_unify(c, size, t->dims[2] < 0 ? DIM_UNKNOWN : t->dims[2] / n, "head size");
}

static int read_past(struct call *c, int in, struct attention_sizes *z, int64_t *size)
{
	const struct type *t = call_shape(c, in);
	int rc;

	if (!t)
		return 0;
	if (t->rank != 4)
		return call_bad(c, "input %d has rank %d, wanted 4", in, t->rank);
	rc = dim_unify(c, &z->batch, t->dims[0], "batch size");
	if (!rc)
		rc = dim_unify(c, &z->kv_heads, t->dims[1], "number of heads");
	if (!rc)
		rc = dim_unify(c, &z->past, t->dims[2], "length of the past");
	return rc ? rc : dim_unify(c, size, t->dims[3], "head size");
}

/* Right-aligned broadcasting; from version 24 on the last dimension may be shorter than the keys. */
static int check_mask(struct call *c, const struct attention_sizes *z)
{
	const struct type *t = call_shape(c, ATTENTION_MASK);
	const int64_t full[4] = {z->batch, z->heads, z->queries, z->total};

	if (!t)
		return 0;
	if (t->rank < 1 || t->rank > 4)
		return call_bad(c, "attn_mask has rank %d, wanted 1 to 4", t->rank);
	for (int i = 0; i < t->rank; i++) {
		int64_t d = t->dims[i], wanted = full[4 - t->rank + i];
		int shorter = i == t->rank - 1 && c->version >= 24 && d < wanted;

		if (d >= 0 && wanted >= 0 && d != 1 && d != wanted && !shorter)
			return call_bad(c, "attn_mask has %lld in dimension %d, wanted %lld", (long long)d, i,
					(long long)wanted);
	}
	return 0;
}

static int check_options(struct call *c)
{
	int64_t mode = attr_int(c->node, "qk_matmul_output_mode");

	if (call_has(c, ATTENTION_PAST_K) != call_has(c, ATTENTION_PAST_V))
		return call_bad(c, "past_key and past_value come together or not at all");
	if (call_has(c, ATTENTION_NONPAD) && call_has(c, ATTENTION_PAST_K))
		return call_bad(c, "nonpad_kv_seqlen cannot be used with a past");
	if (mode < 0 || mode > 3)
		return call_bad(c, "qk_matmul_output_mode %lld is not 0 to 3", (long long)mode);
	if (attr_int(c->node, "left_window_size") < -1 || attr_int(c->node, "right_window_size") < -1)
		return call_bad(c, "a window size must be -1 or more");
	return 0;
}

int attention_sizes(struct call *c, struct attention_sizes *z)
{
	const struct type *q = call_shape(c, ATTENTION_Q), *k = call_shape(c, ATTENTION_K);
	const struct type *v = call_shape(c, ATTENTION_V), *nonpad = call_shape(c, ATTENTION_NONPAD);
	int rc = check_options(c);

	*z = (struct attention_sizes){-1, -1, -1, -1, -1, -1, -1, -1, -1, q->rank == 3};
	if (rc)
		return rc;
	if ((q->rank != 3 && q->rank != 4) || k->rank != q->rank || v->rank != q->rank)
		return call_bad(c, "Q, K and V have ranks %d, %d and %d, wanted 3 or 4 for all", q->rank, k->rank,
				v->rank);
	if (!call_has(c, ATTENTION_PAST_K))
		z->past = 0;
	rc = read_operand(c, ATTENTION_Q, "q_num_heads", &z->batch, &z->heads, &z->queries, &z->size);
	if (!rc)
		rc = read_operand(c, ATTENTION_K, "kv_num_heads", &z->batch, &z->kv_heads, &z->keys, &z->size);
	if (!rc)
		rc = read_operand(c, ATTENTION_V, "kv_num_heads", &z->batch, &z->kv_heads, &z->keys, &z->v_size);
	if (!rc)
		rc = read_past(c, ATTENTION_PAST_K, z, &z->size);
	if (!rc)
		rc = read_past(c, ATTENTION_PAST_V, z, &z->v_size);
	if (!rc && nonpad)
		rc = nonpad->rank != 1 ? call_bad(c, "nonpad_kv_seqlen has rank %d, wanted 1", nonpad->rank)
				       : dim_unify(c, &z->batch, nonpad->dims[0], "batch size");
	if (!rc && z->heads >= 0 && z->kv_heads >= 0 && (z->kv_heads == 0 || z->heads % z->kv_heads))
		rc = call_bad(c, "%lld heads cannot share %lld heads of keys", (long long)z->heads,
			      (long long)z->kv_heads);
	if (!rc)
		rc = dim_add(c, z->past, z->keys, &z->total);
	return rc ? rc : check_mask(c, z);
}

int attention_infer(struct call *c)
{
	enum dtype t = c->in_type[ATTENTION_Q].dtype, v = c->in_type[ATTENTION_V].dtype;
	struct attention_sizes z;
	int64_t hidden;
	int rc;

	if (!call_shape(c, ATTENTION_Q) || !call_shape(c, ATTENTION_K) || !call_shape(c, ATTENTION_V)) {
		call_out_rank(c, ATTENTION_Y, t, -1);
		call_out_rank(c, ATTENTION_PRESENT_K, t, 4);
		call_out_rank(c, ATTENTION_PRESENT_V, v, 4);
		call_out_rank(c, ATTENTION_QK, t, 4);
		return 0;
	}
	rc = attention_sizes(c, &z);
	if (!rc)
		rc = dim_mul(c, z.heads, z.v_size, &hidden);
	if (rc)
		return rc;
	if (z.packed)
		call_out(c, ATTENTION_Y, t, 3, (int64_t[]){z.batch, z.queries, hidden});
	else
		call_out(c, ATTENTION_Y, t, 4, (int64_t[]){z.batch, z.heads, z.queries, z.v_size});
	call_out(c, ATTENTION_PRESENT_K, t, 4, (int64_t[]){z.batch, z.kv_heads, z.total, z.size});
	call_out(c, ATTENTION_PRESENT_V, v, 4, (int64_t[]){z.batch, z.kv_heads, z.total, z.v_size});
	call_out(c, ATTENTION_QK, t, 4, (int64_t[]){z.batch, z.heads, z.queries, z.total});
	return 0;
}
