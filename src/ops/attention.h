/* attention.h - sizes of an Attention node, read once and shared by inference and evaluation. */
#ifndef OPS_ATTENTION_H
#define OPS_ATTENTION_H

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

#endif
