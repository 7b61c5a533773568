/* layer_norm.c - layer normalizations of com.microsoft, and of ai.onnx where only ONNX Runtime has them.
 *
 *     SkipLayerNormalization             LayerNormalization(S, gamma, beta), S = input + skip + bias
 *     SkipSimplifiedLayerNormalization   RMSNormalization(S, gamma)
 *     SimplifiedLayerNormalization       RMSNormalization(X, scale); ONNX Runtime has it in the domain of ONNX
 *     EmbedLayerNormalization            LayerNormalization(S, gamma, beta), S = word + position + segment, each a row
 *                                        of its table for each place of input_ids (B, S)
 */
#include "ops/contrib/contrib.h"
#include "ops/kit/domain.h"

#define EPSILON_RULE RULES({.broken = domain_attr_not_positive, .attr = "epsilon"})

/* ---- with a sum in front ----------------------------------------------------------------------------------------- */

enum { SKIP_INPUT, SKIP_SKIP, SKIP_GAMMA, SKIP_BETA, SKIP_BIAS };
enum { SKIP_Y, SKIP_MEAN, SKIP_INV, SKIP_SUM };

/* input + skip + bias; skip may lack the batch, or have 1 there. */
static struct compose_part *skip_sum(struct compose *p, struct compose_part *bias)
{
	struct compose_part *x = compose_input(p, SKIP_INPUT), *skip = compose_input(p, SKIP_SKIP);
	int rank = compose_rank(x), less = rank - compose_rank(skip);

	if (rank >= 0 && rank != 2 && rank != 3)
		compose_fail(p, call_bad(p->c, "input has rank %d, wanted 2 or 3", rank));
	if (rank >= 0 && compose_rank(skip) >= 0 && (less < 0 || less > 1))
		compose_fail(p, call_bad(p->c, "skip has rank %d, input has %d", compose_rank(skip), rank));
	for (int i = 0; rank >= 0 && i < compose_rank(skip); i++) {
		int64_t have = compose_dim(skip, i), want = compose_dim(x, i + less);

		if (have >= 0 && want >= 0 && have != want && !(have == 1 && i + less == 0))
			compose_fail(p, call_bad(p->c, "skip has %lld in dimension %d, wanted %lld", (long long)have, i,
						 (long long)want));
	}
	return contrib_add_vector(p, STEP(p, "Add", NULL, x, skip), bias);
}

static void skip_layer_norm_steps(struct compose *p)
{
	struct compose_part *sum = skip_sum(p, compose_input(p, SKIP_BIAS)), *y;
	double epsilon = attr_float(p->c->node, "epsilon");

	y = STEPS(p, 3, "LayerNormalization", STEP_ATTRS(STEP_FLOAT("epsilon", epsilon)), sum,
		  compose_input(p, SKIP_GAMMA), compose_input(p, SKIP_BETA));
	compose_output(p, SKIP_Y, &y[0]);
	compose_output(p, SKIP_MEAN, &y[1]);
	compose_output(p, SKIP_INV, &y[2]);
	compose_output(p, SKIP_SUM, sum);
}

COMPOSED(skip_layer_norm)

#define SKIP_OUTPUTS                                                              \
	{                                                                         \
		{"output", T_CONTRIB, 'T', 0}, {"mean", T_F32, 0, PORT_OPTIONAL}, \
			{"inv_std_var", T_F32, 0, PORT_OPTIONAL},                 \
			{"input_skip_bias_sum", T_CONTRIB, 'T', PORT_OPTIONAL},   \
	}

const struct op op_skip_layer_normalization = {
	.rules = EPSILON_RULE,
	.in = {{"input", T_CONTRIB, 'T', 0},
	       {"skip", T_CONTRIB, 'T', 0},
	       {"gamma", T_CONTRIB, 'T', 0},
	       {"beta", T_CONTRIB, 'T', PORT_OPTIONAL},
	       {"bias", T_CONTRIB, 'T', PORT_OPTIONAL}},
	.out = SKIP_OUTPUTS,
	.attrs = (const struct op_attr[]){OP_FLOAT("epsilon", 1e-12f), {0}},
	COMPOSED_MEMBERS(skip_layer_norm),
};

/* 1 / sqrt(mean(x^2) + epsilon) along the axes from `axis` on, as it is saved for training: float32. */
static struct compose_part *inverse_rms(struct compose *p, struct compose_part *x, int axis)
{
	int64_t axes[TENSOR_MAX_RANK];
	int n = 0, rank = compose_rank(x);
	double epsilon = attr_float(p->c->node, "epsilon");
	struct compose_part *mean;

	for (int i = axis; i < rank; i++)
		axes[n++] = i;
	x = STEP(p, "Cast", STEP_ATTRS(STEP_INT("to", DT_FLOAT)), x);
	mean = STEP(p, "ReduceMean", NULL, STEP(p, "Mul", NULL, x, x), compose_ints(p, axes, n));
	mean = STEP(p, "Add", NULL, mean, compose_number(p, DT_FLOAT, epsilon));
	return STEP(p, "Reciprocal", NULL, STEP(p, "Sqrt", NULL, mean));
}

static void skip_simplified_steps(struct compose *p)
{
	struct compose_part *sum = skip_sum(p, compose_input(p, 3));
	double epsilon = attr_float(p->c->node, "epsilon");

	compose_output(p, SKIP_Y,
		       STEP(p, "RMSNormalization", STEP_ATTRS(STEP_FLOAT("epsilon", epsilon)), sum,
			    compose_input(p, SKIP_GAMMA)));
	compose_output(p, SKIP_SUM, sum);
	if (call_wants(p->c, SKIP_MEAN))
		compose_fail(p, call_unsupported(p->c, "there is no mean in a root mean square"));
	if (call_wants(p->c, SKIP_INV) && compose_rank(sum) > 0)
		compose_output(p, SKIP_INV, inverse_rms(p, sum, compose_rank(sum) - 1));
}

COMPOSED(skip_simplified)

const struct op op_skip_simplified_layer_normalization = {
	.rules = EPSILON_RULE,
	.in = {{"input", T_CONTRIB, 'T', 0},
	       {"skip", T_CONTRIB, 'T', 0},
	       {"gamma", T_CONTRIB, 'T', 0},
	       {"bias", T_CONTRIB, 'T', PORT_OPTIONAL}},
	.out = SKIP_OUTPUTS,
	.attrs = (const struct op_attr[]){OP_FLOAT("epsilon", 1e-12f), {0}},
	COMPOSED_MEMBERS(skip_simplified),
};

/* ---- SimplifiedLayerNormalization -------------------------------------------------------------------------------- */

static void simplified_steps(struct compose *p)
{
	const struct node *n = p->c->node;
	struct compose_part *x = compose_input(p, 0);
	const struct attr *attrs =
		STEP_ATTRS(STEP_INT("axis", attr_int(n, "axis")), STEP_FLOAT("epsilon", attr_float(n, "epsilon")),
			   STEP_INT("stash_type", attr_int(n, "stash_type")));
	int axis, rank = compose_rank(x);

	compose_output(p, 0, STEP(p, "RMSNormalization", attrs, x, compose_input(p, 1)));
	if (!call_wants(p->c, 1) || rank < 0 || p->rc || call_axis(p->c, attr_int(n, "axis"), rank, &axis))
		return;
	compose_output(p, 1, inverse_rms(p, x, axis));
}

COMPOSED(simplified)

const struct op op_simplified_layer_normalization = {
	.owner = "com.microsoft",
	.rules = EPSILON_RULE,
	.in = {{"X", T_FLOAT, 'T', 0}, {"scale", T_FLOAT, 'V', 0}},
	.out = {{"Y", T_FLOAT, 'V', 0}, {"inv_std_var", T_F32, 0, PORT_OPTIONAL}},
	.attrs =
		(const struct op_attr[]){
			OP_INT("axis", -1),
			OP_FLOAT("epsilon", 1e-5f),
			OP_INT("stash_type", DT_FLOAT),
			{0},
		},
	COMPOSED_MEMBERS(simplified),
};

/* ---- EmbedLayerNormalization ------------------------------------------------------------------------------------- */

enum {
	EMBED_IDS,
	EMBED_SEGMENTS,
	EMBED_WORD,
	EMBED_POSITION,
	EMBED_SEGMENT,
	EMBED_GAMMA,
	EMBED_BETA,
	EMBED_MASK,
	EMBED_POSITIONS
};

/* Rows 0 … S - 1 of the table of positions, or those that position_ids says. */
static struct compose_part *positions(struct compose *p, int64_t length)
{
	struct compose_part *ids = compose_input(p, EMBED_POSITIONS), *table = compose_input(p, EMBED_POSITION);

	if (ids)
		return STEP(p, "Gather", NULL, table, ids);
	if (compose_dim(table, 0) >= 0 && length > compose_dim(table, 0))
		compose_fail(p, call_bad(p->c, "%lld places, but only %lld rows of positions", (long long)length,
					 (long long)compose_dim(table, 0)));
	return STEP(p, "Slice", NULL, table, compose_ints(p, (int64_t[]){0}, 1), compose_ints(p, &length, 1),
		    compose_ints(p, (int64_t[]){0}, 1));
}

/* How many words of each line the mask has as 1; without a mask 0. */
static struct compose_part *mask_index(struct compose *p, struct compose_part *ids)
{
	struct compose_part *mask = compose_input(p, EMBED_MASK), *one, *is_word;
	struct tensor *t = tensor_scalar_i(DT_INT32, 1, p->c->err);

	one = compose_constant(p, t);
	is_word = STEP(p, "Cast", STEP_ATTRS(STEP_INT("to", DT_INT32)),
		       STEP(p, "Equal", NULL, mask ? mask : ids, mask ? one : STEP(p, "Sub", NULL, ids, one)));
	return STEP(p, "ReduceSum", STEP_ATTRS(STEP_INT("keepdims", 0)), is_word, compose_ints(p, (int64_t[]){1}, 1));
}

static void embed_steps(struct compose *p)
{
	struct compose_part *ids = compose_input(p, EMBED_IDS), *segments = compose_input(p, EMBED_SEGMENTS), *sum;
	double epsilon = attr_float(p->c->node, "epsilon");
	int64_t length = compose_dim(ids, 1);

	if (compose_rank(ids) >= 0 && compose_rank(ids) != 2)
		compose_fail(p, call_bad(p->c, "input_ids have rank %d, wanted 2", compose_rank(ids)));
	if (!segments != !compose_input(p, EMBED_SEGMENT))
		compose_fail(p, call_bad(p->c, "segment_ids and segment_embedding come together or not at all"));
	sum = STEP(p, "Gather", NULL, compose_input(p, EMBED_WORD), ids);
	if (length >= 0 || p->known) /* else the shape is known already */
		sum = STEP(p, "Add", NULL, sum, positions(p, length));
	if (segments)
		sum = STEP(p, "Add", NULL, sum, STEP(p, "Gather", NULL, compose_input(p, EMBED_SEGMENT), segments));
	compose_output(p, 0,
		       STEP(p, "LayerNormalization", STEP_ATTRS(STEP_FLOAT("epsilon", epsilon)), sum,
			    compose_input(p, EMBED_GAMMA), compose_input(p, EMBED_BETA)));
	if (call_wants(p->c, 1))
		compose_output(p, 1, mask_index(p, ids));
	compose_output(p, 2, sum);
}

COMPOSED(embed)

#define T_EMBED (TM(DT_FLOAT) | TM(DT_FLOAT16))

const struct op op_embed_layer_normalization = {
	.rules = EPSILON_RULE,
	.in = {{"input_ids", T_I32, 0, 0},
	       {"segment_ids", T_I32, 0, PORT_OPTIONAL},
	       {"word_embedding", T_EMBED, 'T', 0},
	       {"position_embedding", T_EMBED, 'T', 0},
	       {"segment_embedding", T_EMBED, 'T', PORT_OPTIONAL},
	       {"gamma", T_EMBED, 'T', 0},
	       {"beta", T_EMBED, 'T', 0},
	       {"mask", T_I32, 0, PORT_OPTIONAL},
	       {"position_ids", T_I32, 0, PORT_OPTIONAL}},
	.out = {{"output", T_EMBED, 'T', 0},
		{"mask_index", T_I32, 0, PORT_OPTIONAL},
		{"embedding_sum", T_EMBED, 'T', PORT_OPTIONAL}},
	.attrs = (const struct op_attr[]){OP_FLOAT("epsilon", 1e-12f), OP_ATTR("mask_index_type", ATTR_INT), {0}},
	COMPOSED_MEMBERS(embed),
};
