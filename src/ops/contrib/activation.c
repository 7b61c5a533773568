/* activation.c - activations of com.microsoft: Gelu, BiasGelu, FastGelu, QuickGelu, BiasSplitGelu.
 *
 *     Gelu           X Φ(X)
 *     BiasGelu       Gelu(A + B)                        B [n], n the last dimension of A
 *     FastGelu       Gelu by tanh of X + bias           bias [n]
 *     QuickGelu      X sigmoid(alpha X)
 *     BiasSplitGelu  L Gelu(R), L and R the halves of X + bias along the last dimension */
#include "ops/contrib/contrib.h"

struct compose_part *contrib_add_vector(struct compose *p, struct compose_part *x, struct compose_part *v)
{
	int64_t have = compose_dim(v, 0), want = compose_dim(x, -1);

	if (!v)
		return x;
	if (compose_rank(v) >= 0 && compose_rank(v) != 1)
		compose_fail(p, call_bad(p->c, "a bias has rank %d, wanted 1", compose_rank(v)));
	else if (have >= 0 && want >= 0 && have != want)
		compose_fail(p,
			     call_bad(p->c, "a bias has %lld elements, wanted %lld", (long long)have, (long long)want));
	return STEP(p, "Add", NULL, x, v);
}

static void ms_gelu_steps(struct compose *p)
{
	compose_output(p, 0, STEP(p, "Gelu", NULL, compose_input(p, 0)));
}

COMPOSED(ms_gelu)

const struct op op_ms_gelu = {
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	COMPOSED_MEMBERS(ms_gelu),
};

static void bias_gelu_steps(struct compose *p)
{
	struct compose_part *sum = contrib_add_vector(p, compose_input(p, 0), compose_input(p, 1));

	compose_output(p, 0, STEP(p, "Gelu", NULL, sum));
}

COMPOSED(bias_gelu)

const struct op op_bias_gelu = {
	.in = {{"A", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', 0}},
	.out = {{"C", T_FLOAT, 'T', 0}},
	COMPOSED_MEMBERS(bias_gelu),
};

static void fast_gelu_steps(struct compose *p)
{
	struct compose_part *sum = contrib_add_vector(p, compose_input(p, 0), compose_input(p, 1));

	compose_output(p, 0, STEP(p, "Gelu", STEP_ATTRS(STEP_STRING("approximate", "tanh")), sum));
}

COMPOSED(fast_gelu)

const struct op op_fast_gelu = {
	.in = {{"X", T_FLOAT, 'T', 0}, {"bias", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	COMPOSED_MEMBERS(fast_gelu),
};

static void quick_gelu_steps(struct compose *p)
{
	double alpha = attr_float(p->c->node, "alpha");

	compose_output(p, 0, STEP(p, "Swish", STEP_ATTRS(STEP_FLOAT("alpha", alpha)), compose_input(p, 0)));
}

COMPOSED(quick_gelu)

const struct op op_quick_gelu = {
	.in = {{"X", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_FLOAT("alpha", 1.702f), {0}},
	COMPOSED_MEMBERS(quick_gelu),
};

static void bias_split_gelu_steps(struct compose *p)
{
	struct compose_part *sum = contrib_add_vector(p, compose_input(p, 0), compose_input(p, 1)), *half;

	if (compose_dim(sum, -1) >= 0 && compose_dim(sum, -1) % 2)
		compose_fail(p, call_bad(p->c, "%lld elements have no halves", (long long)compose_dim(sum, -1)));
	half = STEPS(p, 2, "Split", STEP_ATTRS(STEP_INT("axis", -1), STEP_INT("num_outputs", 2)), sum);
	compose_output(p, 0, STEP(p, "Mul", NULL, &half[0], STEP(p, "Gelu", NULL, &half[1])));
}

COMPOSED(bias_split_gelu)

const struct op op_bias_split_gelu = {
	.in = {{"X", T_FLOAT, 'T', 0}, {"bias", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	COMPOSED_MEMBERS(bias_split_gelu),
};
