/* sample_attention.c - what transformers are made of, from opset 23 on: Attention, RotaryEmbedding, TensorScatter. */
#include <math.h>
#include <string.h>

#include "methods/fuzz/maker.h"

/* ---- Attention --------------------------------------------------------------------------------------------------- */

struct heads {
	int64_t batch, queries, keys, past; /* lengths; past: of the cache before */
	int64_t q_heads, kv_heads, size, v_size;
	int flat; /* heads side by side in the last of three axes */
};

static struct wire *draw_heads(struct maker *m, const struct heads *h, int64_t length, int64_t heads, int64_t size)
{
	return h->flat ? weights(m, DT_FLOAT, 3, (int64_t[]){h->batch, length, heads * size})
		       : weights(m, DT_FLOAT, 4, (int64_t[]){h->batch, heads, length, size});
}

/* One that some key is left by for each query: a row without any is open. */
static struct wire *draw_mask(struct maker *m, const struct heads *h)
{
	int64_t dims[4] = {1, 1, h->queries, h->keys + h->past};
	int rank = (int)between(m, 2, 4), is_bool = chance(m, 0.5);
	struct tensor *t;

	if (rank == 4 && chance(m, 0.5))
		dims[0] = h->batch;
	if (rank > 2 && chance(m, 0.5))
		dims[1] = h->q_heads;
	t = m->b.rc ? NULL : tensor_new(is_bool ? DT_BOOL : DT_FLOAT, rank, dims + 4 - rank, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) {
		if (is_bool)
			t->i[i] = i % (size_t)dims[3] == 0 || chance(m, 0.6);
		else
			t->f[i] = 0.25 * (double)between(m, -4, 4);
	}
	return constant(m, t, 4);
}

/* Queries are the block's input, flat or by heads; keys and values are constants. */
static struct wire *make_attention(struct maker *m, struct wire *const *in, int n)
{
	struct heads h = {.batch = between(m, 1, 2), .queries = between(m, 1, 4), .keys = between(m, 1, 5)};
	struct wire *all[6] = {NULL}, *q;
	int count, mask = chance(m, 0.5), past = chance(m, 0.3);
	int64_t total;

	(void)n;
	h.kv_heads = between(m, 1, 2);
	h.q_heads = h.kv_heads * between(m, 1, 2);
	h.size = between(m, 1, 4);
	h.v_size = between(m, 1, 4);
	h.past = past ? between(m, 1, 3) : 0;
	h.flat = chance(m, 0.5);
	total = h.q_heads * h.size;
	q = h.flat ? match(m, in[0], 3, (int64_t[]){h.batch, h.queries, total})
		   : match(m, in[0], 4, (int64_t[]){h.batch, h.q_heads, h.queries, h.size});
	all[0] = calm(m, q, 4);
	all[1] = draw_heads(m, &h, h.keys, h.kv_heads, h.size);
	all[2] = draw_heads(m, &h, h.keys, h.kv_heads, h.v_size);
	all[3] = mask ? draw_mask(m, &h) : NULL;
	if (past) {
		all[4] = weights(m, DT_FLOAT, 4, (int64_t[]){h.batch, h.kv_heads, h.past, h.size});
		all[5] = weights(m, DT_FLOAT, 4, (int64_t[]){h.batch, h.kv_heads, h.past, h.v_size});
	}
	count = past ? 6 : mask ? 4 : 3;
	begin(m, "Attention", all, count, past ? 3 : 1);
	if (h.flat) {
		build_int(&m->b, "q_num_heads", h.q_heads);
		build_int(&m->b, "kv_num_heads", h.kv_heads);
	}
	if (!mask && !past && h.queries == h.keys && chance(m, 0.5)) /* which keys are seen else was mended later */
		build_int(&m->b, "is_causal", 1);
	if (chance(m, 0.4))
		build_float(&m->b, "scale", 0.25 * (double)between(m, 1, 4));
	if (chance(m, 0.3))
		build_float(&m->b, "softcap", (double)between(m, 1, 5));
	done(m);
	if (m->b.rc)
		return NULL;
	if (past && chance(m, 0.5))
		build_output(&m->b, m->b.last->out[1]);
	return set_bound(m, m->b.last->out[0], 2);
}

const struct sampler sampler_attention = {"Attention", TM(DT_FLOAT), make_attention, 0, 0};

/* ---- RotaryEmbedding --------------------------------------------------------------------------------------------- */

static struct wire *make_rotary(struct maker *m, struct wire *const *in, int n)
{
	int64_t batch = between(m, 1, 2), length = between(m, 1, 4), heads = between(m, 1, 3), half = between(m, 1, 3);
	int64_t part = chance(m, 0.3) ? between(m, 1, half) : half, rows = 6; /* of half the size that is turned */
	int flat = chance(m, 0.5), places = chance(m, 0.5);
	struct wire *x, *all[4] = {NULL};

	(void)n;
	x = flat ? match(m, in[0], 3, (int64_t[]){batch, length, heads * 2 * half})
		 : match(m, in[0], 4, (int64_t[]){batch, heads, length, 2 * half});
	all[0] = calm(m, x, 1000);
	for (int i = 1; i < 3; i++)
		all[i] = places ? const_random(m, DT_FLOAT, 2, (int64_t[]){rows, part}, -1, 1)
				: const_random(m, DT_FLOAT, 3, (int64_t[]){batch, length, part}, -1, 1);
	if (places)
		all[3] = const_random(m, DT_INT64, 2, (int64_t[]){batch, length}, 0, (double)rows - 1);
	begin(m, "RotaryEmbedding", all, places ? 4 : 3, 1);
	if (flat || chance(m, 0.3))
		build_int(&m->b, "num_heads", heads);
	if (part != half)
		build_int(&m->b, "rotary_embedding_dim", 2 * part);
	if (chance(m, 0.5))
		build_int(&m->b, "interleaved", between(m, 0, 1));
	return set_bound(m, done(m), 2 * bound_of(m, all[0]));
}

const struct sampler sampler_rotary = {"RotaryEmbedding", TM(DT_FLOAT), make_rotary, 0, 0};

/* ---- TensorScatter ----------------------------------------------------------------------------------------------- */

static struct wire *make_tensor_scatter(struct maker *m, struct wire *const *in, int n)
{
	struct wire *x = in[0]->type.rank < 2 ? as_rank(m, in[0], 2) : in[0], *update, *places = NULL;
	int64_t dims[TENSOR_MAX_RANK], axis, length;
	int circular = chance(m, 0.4);

	(void)n;
	if (m->b.rc)
		return NULL;
	axis = between(m, 1, x->type.rank - 1);
	length = x->type.dims[axis];
	memcpy(dims, x->type.dims, sizeof dims);
	dims[axis] = between(m, 1, length);
	update = weights(m, x->type.dtype, x->type.rank, dims);
	if (chance(m, 0.7))
		places = const_random(m, DT_INT64, 1, dims, 0, (double)(circular ? length - 1 : length - dims[axis]));
	begin(m, "TensorScatter", (struct wire *[]){x, update, places}, places ? 3 : 2, 1);
	build_int(&m->b, "axis", either_end(m, axis, x->type.rank));
	if (circular || chance(m, 0.3))
		build_string(&m->b, "mode", circular ? "circular" : "linear");
	return set_bound(m, done(m), fmax(bound_of(m, x), 2));
}

const struct sampler sampler_tensor_scatter = {"TensorScatter", TM(DT_FLOAT) | TM(DT_INT32) | TM(DT_INT64),
					       make_tensor_scatter, 0, 0};
