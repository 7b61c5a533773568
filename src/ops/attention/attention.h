/* attention.h - what the files of Attention share: sizes (attention_shape.c), the stages of one head (attention.c), for
 * gradients and rounding (attention_back.c). */
#ifndef OPS_ATTENTION_ATTENTION_H
#define OPS_ATTENTION_ATTENTION_H

#include "ops/call.h"

enum { ATTENTION_Q, ATTENTION_K, ATTENTION_V, ATTENTION_MASK, ATTENTION_PAST_K, ATTENTION_PAST_V, ATTENTION_NONPAD };
enum { ATTENTION_Y, ATTENTION_PRESENT_K, ATTENTION_PRESENT_V, ATTENTION_QK };

/* Each may be negative (not known) during static inference. */
struct attention_sizes {
	int64_t batch, heads, kv_heads;
	int64_t queries, keys, past, total; /* total = past + keys */
	int64_t size, v_size;               /* of one head of Q and K, of V */
	int packed;                         /* 3-D inputs: heads side by side in the last dimension */
};

/* Reads and checks all shapes; call_bad when they do not fit.  Q, K and V must have known ranks. */
int attention_sizes(struct call *c, struct attention_sizes *z);

int attention_infer(struct call *c);
int attention_grad(struct call *c);
int attention_scale(struct call *c, int out, double *s);

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

#define ATTENTION_STAGES 4

struct attention {
	struct call *c;
	struct attention_sizes z;
	size_t queries, total, size, v_size;
	double scale, cap;
	double *k, *v;                   /* [B, G, total, size], [B, G, total, v_size]: past and present */
	double *stage[ATTENTION_STAGES]; /* [queries, total] of the current head */
	size_t mask_stride[4];           /* of (batch, head, query, key) */
	size_t mask_keys;                /* keys that the mask reaches; the others are shut out */
	int64_t left, right;             /* window; negative: open */
	int causal;
};

/* A matrix inside Q, K, V or Y: the rows of one head. */
struct attention_head {
	size_t start, row; /* offset of the first row, distance of rows */
};

struct attention_head attention_query_head(const struct attention *a, size_t b, size_t h);
struct attention_head attention_output_head(const struct attention *a, size_t b, size_t h);

/* Which head of keys and values head h of the queries uses, as an index into a->k and a->v. */
size_t attention_kv_index(const struct attention *a, size_t b, size_t h);

/* Copies between the past and new parts of K or V and one array (B, G, total, size); `gather` 1: into it, 0: adds it
 * back to the parts. */
void attention_join_cache(const struct attention *a, double *past, double *fresh, double *all, int64_t size,
			  int gather);

/* Where the mask has its element for query i and key j, unless the key is shut out whatever the mask says. */
size_t attention_mask_index(const struct attention *a, size_t b, size_t h, size_t i, size_t j);
int attention_is_shut_out(const struct attention *a, size_t b, size_t i, size_t j);

/* The stage that output qk_matmul_output shows, and the place of a head in it. */
int attention_shown_stage(const struct attention *a);
size_t attention_stage_offset(const struct attention *a, size_t b, size_t h);

/* Reads the node and its inputs; memory is the call's scratch. */
int attention_open(struct call *c, struct attention *a);

/* Calls fn for every head after its stages are run. */
typedef int attention_head_fn(const struct attention *a, size_t b, size_t h, void *arg);

int attention_for_each_head(struct call *c, const struct attention *a, attention_head_fn *fn, void *arg);

#endif
