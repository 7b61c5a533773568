/* sample_attention.c - what transformers are made of, from opset 23 on: Attention, RotaryEmbedding. */
#include "ops/attention/samplers.h"
#include "ops/sample/maker.h"

/* ---- Attention --------------------------------------------------------------------------------------------------- */

struct heads {
	int64_t batch, queries, keys, past; /* lengths; past: of the cache before */
	int64_t q_heads, kv_heads, size, v_size;
	int flat; /* heads side by side in the last of three axes */
};

static struct wire *draw_heads(struct maker *m, const struct heads *h, int64_t length, int64_t heads, int64_t size)
{
	return h->flat ? make_weights(m, DT_FLOAT, 3, (int64_t[]){h->batch, length, heads * size})
		       : make_weights(m, DT_FLOAT, 4, (int64_t[]){h->batch, heads, length, size});
}

/* One that some key is left by for each query: a row without any is open. */
static struct wire *draw_mask(struct maker *m, const struct heads *h)
{
	int64_t dims[4] = {1, 1, h->queries, h->keys + h->past};
	int rank = (int)make_between(m, 2, 4), is_bool = make_chance(m, 0.5);
	struct tensor *t;

	if (rank == 4 && make_chance(m, 0.5))
		dims[0] = h->batch;
	if (rank > 2 && make_chance(m, 0.5))
		dims[1] = h->q_heads;
	t = m->b.rc ? NULL : tensor_new(is_bool ? DT_BOOL : DT_FLOAT, rank, dims + 4 - rank, m->b.err);
	for (size_t i = 0; t && i < t->count; i++) {
		if (is_bool)
			t->i[i] = i % (size_t)dims[3] == 0 || make_chance(m, 0.6);
		else
			t->f[i] = 0.25 * (double)make_between(m, -4, 4);
	}
	return make_const(m, t, 4);
}

/* Queries are the block's input, flat or by heads; keys and values are constants. */
static struct wire *sample_attention(struct maker *m, struct wire *const *in, int n)
{
	struct heads h = {
		.batch = make_between(m, 1, 2), .queries = make_between(m, 1, 4), .keys = make_between(m, 1, 5)};
	struct wire *all[6] = {NULL}, *q;
	int count, mask = make_chance(m, 0.5), past = make_chance(m, 0.3);
	int64_t total;

	(void)n;
	h.kv_heads = make_between(m, 1, 2);
	h.q_heads = h.kv_heads * make_between(m, 1, 2);
	h.size = make_between(m, 1, 4);
	h.v_size = make_between(m, 1, 4);
	h.past = past ? make_between(m, 1, 3) : 0;
	h.flat = make_chance(m, 0.5);
	total = h.q_heads * h.size;
	q = h.flat ? make_match(m, in[0], 3, (int64_t[]){h.batch, h.queries, total})
		   : make_match(m, in[0], 4, (int64_t[]){h.batch, h.q_heads, h.queries, h.size});
	all[0] = make_calm(m, q, 4);
	all[1] = draw_heads(m, &h, h.keys, h.kv_heads, h.size);
	all[2] = draw_heads(m, &h, h.keys, h.kv_heads, h.v_size);
	all[3] = mask ? draw_mask(m, &h) : NULL;
	if (past) {
		all[4] = make_weights(m, DT_FLOAT, 4, (int64_t[]){h.batch, h.kv_heads, h.past, h.size});
		all[5] = make_weights(m, DT_FLOAT, 4, (int64_t[]){h.batch, h.kv_heads, h.past, h.v_size});
	}
	count = past ? 6 : mask ? 4 : 3;
	make_begin(m, "Attention", all, count, past ? 3 : 1);
	if (h.flat) {
		build_int(&m->b, "q_num_heads", h.q_heads);
		build_int(&m->b, "kv_num_heads", h.kv_heads);
	}
	if (!mask && !past && h.queries == h.keys &&
	    make_chance(m, 0.5)) /* which keys are seen else was mended later */
		build_int(&m->b, "is_causal", 1);
	if (make_chance(m, 0.4))
		build_float(&m->b, "scale", 0.25 * (double)make_between(m, 1, 4));
	if (make_chance(m, 0.3))
		build_float(&m->b, "softcap", (double)make_between(m, 1, 5));
	make_done(m);
	if (m->b.rc)
		return NULL;
	if (past && make_chance(m, 0.5))
		build_output(&m->b, m->b.last->out[1]);
	return make_set_bound(m, m->b.last->out[0], 2);
}

const struct sampler sampler_attention = {
	.summary = "Attention",
	.types = T_F32,
	.make = sample_attention,
};

/* ---- RotaryEmbedding --------------------------------------------------------------------------------------------- */

static struct wire *sample_rotary(struct maker *m, struct wire *const *in, int n)
{
	int64_t batch = make_between(m, 1, 2), length = make_between(m, 1, 4), heads = make_between(m, 1, 3),
		half = make_between(m, 1, 3);
	int64_t part = make_chance(m, 0.3) ? make_between(m, 1, half) : half,
		rows = 6; /* of half the size that is turned */
	int flat = make_chance(m, 0.5), places = make_chance(m, 0.5);
	struct wire *x, *all[4] = {NULL};

	(void)n;
	x = flat ? make_match(m, in[0], 3, (int64_t[]){batch, length, heads * 2 * half})
		 : make_match(m, in[0], 4, (int64_t[]){batch, heads, length, 2 * half});
	all[0] = make_calm(m, x, 1000);
	for (int i = 1; i < 3; i++)
		all[i] = places ? make_random(m, DT_FLOAT, 2, (int64_t[]){rows, part}, -1, 1)
				: make_random(m, DT_FLOAT, 3, (int64_t[]){batch, length, part}, -1, 1);
	if (places)
		all[3] = make_random(m, DT_INT64, 2, (int64_t[]){batch, length}, 0, (double)rows - 1);
	make_begin(m, "RotaryEmbedding", all, places ? 4 : 3, 1);
	if (flat || make_chance(m, 0.3))
		build_int(&m->b, "num_heads", heads);
	if (part != half)
		build_int(&m->b, "rotary_embedding_dim", 2 * part);
	if (make_chance(m, 0.5))
		build_int(&m->b, "interleaved", make_between(m, 0, 1));
	return make_set_bound(m, make_done(m), 2 * make_bound_of(m, all[0]));
}

const struct sampler sampler_rotary = {
	.summary = "RotaryEmbedding",
	.types = T_F32,
	.make = sample_rotary,
};
