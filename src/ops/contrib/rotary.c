/* rotary.c - RotaryEmbedding of com.microsoft, by that of ONNX: the inputs have another order, and position_ids may be
 * one number, the position of the first place. */
#include "ops/contrib/contrib.h"

enum { IN_X, IN_POSITIONS, IN_COS, IN_SIN };

struct compose_part *contrib_positions(struct compose *p, int64_t batch, int64_t length, const int64_t *first)
{
	struct tensor *t = tensor_new(DT_INT64, 2, (int64_t[]){batch, length}, p->c->err);

	/* one beyond all numbers is below all: RotaryEmbedding refuses either */
	for (int64_t at = 0; t && at < batch * length; at++)
		t->i[at] = (int64_t)((uint64_t)first[at / length] + (uint64_t)(at % length));
	return compose_constant(p, t);
}

/* position_ids (B, S), made of one number where that is given. */
static struct compose_part *positions(struct compose *p, const struct compose_part *x)
{
	struct compose_part *ids = compose_input(p, IN_POSITIONS);
	int64_t batch = compose_dim(x, 0), *first;

	if (compose_rank(ids) != 1 || !p->known)
		return ids;
	first = call_scratch(p->c, (size_t)batch + 1, sizeof *first);
	if (!first || compose_dim(ids, 0) != 1) {
		compose_fail(p, first ? call_bad(p->c, "position_ids of rank 1 must be one number") : ERR_MEMORY);
		return ids;
	}
	for (int64_t b = 0; b < batch; b++)
		first[b] = ids->value->i[0];
	return contrib_positions(p, batch, compose_dim(x, -2), first);
}

/* Heads of a packed input: as many as the caches have room for, unless only a part of each head is turned. */
static int64_t packed_heads(struct compose *p, const struct compose_part *x)
{
	int64_t heads = attr_int(p->c->node, "num_heads");
	int64_t half = compose_dim(compose_input(p, IN_COS), 1), hidden = compose_dim(x, 2);

	if (attr_int(p->c->node, "rotary_embedding_dim") > 0 || half <= 0 || hidden < 0)
		return heads;
	return hidden / (2 * half);
}

static void ms_rotary_steps(struct compose *p)
{
	const struct node *n = p->c->node;
	struct compose_part *x = compose_input(p, IN_X), *ids;
	struct attr attrs[] = {
		STEP_INT("interleaved", attr_int(n, "interleaved") != 0),
		STEP_INT("rotary_embedding_dim", attr_int(n, "rotary_embedding_dim")),
		STEP_INT("num_heads", 0),
		{.name = NULL},
	};

	if (attr_int(n, "is_packed_batching") || attr_float(n, "scale") != 1)
		compose_fail(p, call_unsupported(p->c, "is_packed_batching and scale are not known"));
	if (compose_rank(x) < 0 || p->rc)
		return;
	attrs[2].i = compose_rank(x) == 3 ? packed_heads(p, x) : 0;
	if (attrs[2].i == 0)
		attrs[2].name = NULL;
	if (!p->known && (compose_rank(compose_input(p, IN_POSITIONS)) != 2 || !attrs[2].name)) {
		compose_output(p, 0, x);
		return;
	}
	ids = positions(p, x);
	compose_output(p, 0,
		       STEP(p, "RotaryEmbedding", attrs, x, compose_input(p, IN_COS), compose_input(p, IN_SIN), ids));
}

COMPOSED(ms_rotary)

const struct op op_ms_rotary_embedding = {
	.in = {{"input", T_CONTRIB, 'T', 0},
	       {"position_ids", T_I64, 0, 0},
	       {"cos_cache", T_CONTRIB, 'T', 0},
	       {"sin_cache", T_CONTRIB, 'T', 0}},
	.out = {{"output", T_CONTRIB, 'T', 0}},
	.attrs =
		(const struct op_attr[]){
			OP_INT("interleaved", 0),
			OP_INT("is_packed_batching", 0),
			OP_INT("num_heads", 0),
			OP_INT("rotary_embedding_dim", 0),
			OP_FLOAT("scale", 1),
			{0},
		},
	COMPOSED_MEMBERS(ms_rotary),
};
