/* fused.c - convolutions and matrix products of com.microsoft with what follows them.
 *
 *     FusedConv     activation(Conv(X, W, B) + Z)
 *     FusedGemm     activation(Gemm(A, B, C))
 *     FusedMatMul   alpha op(A) op(B), as MatMul; op exchanges the last two dimensions (transA), before that it may
 *                   move the first one behind the batch (transBatchA): (M, batch…, K) is read as (batch…, M, K) */
#include "ops/contrib/contrib.h"
#include "ops/kit/domain.h"

/* ---- activations ------------------------------------------------------------------------------------------------- */

#define MAX_PARAMS 2

struct fused_activation {
	const char *name, *op;
	const char *params[MAX_PARAMS]; /* attributes of op: activation_params of FusedConv in this order, … */
	const char *attrs[MAX_PARAMS];  /* … and of FusedGemm by these names */
};

static const struct fused_activation activations[] = {
	{"Relu", "Relu", {NULL}, {NULL}},
	{"Sigmoid", "Sigmoid", {NULL}, {NULL}},
	{"Tanh", "Tanh", {NULL}, {NULL}},
	{"Softplus", "Softplus", {NULL}, {NULL}},
	{"Softsign", "Softsign", {NULL}, {NULL}},
	{"HardSwish", "HardSwish", {NULL}, {NULL}},
	{"LeakyRelu", "LeakyRelu", {"alpha"}, {"activation_alpha"}},
	{"Elu", "Elu", {"alpha"}, {"activation_alpha"}},
	{"ThresholdedRelu", "ThresholdedRelu", {"alpha"}, {"activation_alpha"}},
	{"HardSigmoid", "HardSigmoid", {"alpha", "beta"}, {"activation_alpha", "activation_beta"}},
	{"Selu", "Selu", {"alpha", "gamma"}, {"activation_alpha", "activation_gamma"}},
};

static const struct fused_activation *find_activation(struct compose *p, const char *name)
{
	for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
		if (!strcmp(activations[i].name, name))
			return &activations[i];
	compose_fail(p, call_unsupported(p->c, "activation '%s' is not known", name));
	return NULL;
}

/* The activation of x with the numbers that are given, up to the first NULL; the operator's defaults for others. */
static struct compose_part *activate(struct compose *p, const struct fused_activation *f, struct compose_part *x,
				     const double *const *given)
{
	struct attr attrs[MAX_PARAMS + 1] = {{.name = NULL}};

	for (int i = 0; i < MAX_PARAMS && f->params[i] && given[i]; i++)
		attrs[i] = (struct attr)STEP_FLOAT(f->params[i], *given[i]);
	return STEP(p, f->op, attrs, x);
}

/* Clip has its bounds as inputs. */
static struct compose_part *clip(struct compose *p, struct compose_part *x, const double *bounds)
{
	enum dtype t = x->type.dtype;

	return STEP(p, "Clip", NULL, x, compose_number(p, t, bounds[0]), compose_number(p, t, bounds[1]));
}

/* ---- FusedConv --------------------------------------------------------------------------------------------------- */

struct compose_part *contrib_conv_activation(struct compose *p, struct compose_part *y)
{
	const struct node *n = p->c->node;
	const char *name = node_string(n, "activation", ""); /* no default: none */
	const struct fused_activation *f;
	const double *params, *given[MAX_PARAMS];
	size_t count = 0;

	if (!*name || p->rc)
		return y;
	params = node_floats(n, "activation_params", &count);
	if (!strcmp(name, "Clip") && count == 2)
		return clip(p, y, params);
	f = find_activation(p, name);
	for (size_t i = 0; i < MAX_PARAMS; i++)
		given[i] = params && i < count ? &params[i] : NULL;
	if (f && !!f->params[0] + !!f->params[1] != (int)count)
		compose_fail(p, call_bad(p->c, "%s does not take %zu activation_params", name, count));
	return f ? activate(p, f, y, given) : y;
}

struct attr *contrib_window_attrs(struct compose *p)
{
	const struct node *n = p->c->node;
	struct attr *attrs = call_scratch(p->c, (size_t)n->n_attrs + 1, sizeof *attrs);
	int count = 0;

	if (!attrs)
		compose_fail(p, ERR_MEMORY);
	for (int i = 0; attrs && i < n->n_attrs; i++)
		if (strncmp(n->attrs[i].name, "activation", strlen("activation")) != 0)
			attrs[count++] = n->attrs[i];
	return attrs;
}

static void fused_conv_steps(struct compose *p)
{
	struct compose_part *z = compose_input(p, 3);
	struct compose_part *y =
		STEP(p, "Conv", contrib_window_attrs(p), compose_input(p, 0), compose_input(p, 1), compose_input(p, 2));

	for (int i = 0; z && i < compose_rank(z); i++)
		if (compose_dim(z, i) >= 0 && compose_dim(y, i) >= 0 && compose_dim(z, i) != compose_dim(y, i))
			compose_fail(p, call_bad(p->c, "Z has another shape than the convolution"));
	if (z)
		y = STEP(p, "Add", NULL, y, z);
	compose_output(p, 0, contrib_conv_activation(p, y));
}

COMPOSED(fused_conv)

#define T_FUSED (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

const struct op op_fused_conv = {
	.rules = RULES({.broken = domain_jumps}),
	.in = {{"X", T_FUSED, 'T', 0},
	       {"W", T_FUSED, 'T', 0},
	       {"B", T_FUSED, 'T', PORT_OPTIONAL},
	       {"Z", T_FUSED, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FUSED, 'T', 0}},
	.attrs =
		(const struct op_attr[]){
			OP_ATTR("activation", ATTR_STRING),
			OP_ATTR("activation_params", ATTR_FLOATS),
			OP_CONV_ATTRS,
			{0},
		},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(fused_conv),
};

/* ---- FusedGemm --------------------------------------------------------------------------------------------------- */

static void fused_gemm_steps(struct compose *p)
{
	const struct node *n = p->c->node;
	const struct attr *attrs =
		STEP_ATTRS(STEP_FLOAT("alpha", attr_float(n, "alpha")), STEP_FLOAT("beta", attr_float(n, "beta")),
			   STEP_INT("transA", attr_int(n, "transA")), STEP_INT("transB", attr_int(n, "transB")));
	struct compose_part *y = STEP(p, "Gemm", attrs, compose_input(p, 0), compose_input(p, 1), compose_input(p, 2));
	const char *name = node_string(n, "activation", ""); /* no default: none */
	const struct fused_activation *f = *name ? find_activation(p, name) : NULL;
	const double *given[MAX_PARAMS] = {NULL};

	for (int i = 0; f && i < MAX_PARAMS && f->attrs[i]; i++) {
		const struct attr *a = node_attr(n, f->attrs[i]);

		given[i] = a ? &a->f : NULL;
	}
	compose_output(p, 0, f ? activate(p, f, y, given) : y);
}

COMPOSED(fused_gemm)

const struct op op_fused_gemm = {
	.in = {{"A", T_FUSED, 'T', 0}, {"B", T_FUSED, 'T', 0}, {"C", T_FUSED, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FUSED, 'T', 0}},
	.attrs =
		(const struct op_attr[]){
			OP_ATTR("activation", ATTR_STRING),
			OP_ATTR("activation_alpha", ATTR_FLOAT),
			OP_ATTR("activation_beta", ATTR_FLOAT),
			OP_ATTR("activation_gamma", ATTR_FLOAT),
			OP_FLOAT("alpha", 1),
			OP_FLOAT("beta", 1),
			OP_INT("transA", 0),
			OP_INT("transB", 0),
			{0},
		},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(fused_gemm),
};

/* ---- FusedMatMul ------------------------------------------------------------------------------------------------- */

/* An operand as MatMul wants it; vectors stay as they are. */
static struct compose_part *turned(struct compose *p, struct compose_part *x, int batch, int last)
{
	int64_t perm[TENSOR_MAX_RANK], kept;
	int rank = compose_rank(x);

	if (rank < 2 || (!batch && !last))
		return x;
	for (int i = 0; i < rank; i++)
		perm[i] = i;
	for (int i = 0; batch && i < rank - 1; i++)
		perm[i] = i == rank - 2 ? 0 : i + 1;
	if (last) {
		kept = perm[rank - 1];
		perm[rank - 1] = perm[rank - 2];
		perm[rank - 2] = kept;
	}
	return STEP(p, "Transpose", STEP_ATTRS(STEP_INTS("perm", perm, rank)), x);
}

/* Only FusedMatMul has the attributes of the batch. */
static int turns_batch(const struct node *n, const char *name)
{
	return attr_row(n->op, name, n->version) && attr_int(n, name) != 0;
}

static void fused_matmul_steps(struct compose *p)
{
	const struct node *n = p->c->node;
	struct compose_part *a = compose_input(p, 0), *b = compose_input(p, 1), *y;
	double alpha = attr_float(n, "alpha");

	if (compose_rank(a) < 0 || compose_rank(b) < 0)
		return;
	y = STEP(p, "MatMul", NULL, turned(p, a, turns_batch(n, "transBatchA"), attr_int(n, "transA") != 0),
		 turned(p, b, turns_batch(n, "transBatchB"), attr_int(n, "transB") != 0));
	if (alpha != 1)
		y = STEP(p, "Mul", NULL, y, compose_number(p, a->type.dtype, alpha));
	compose_output(p, 0, y);
}

COMPOSED(fused_matmul)

#define MATMUL_ATTRS OP_FLOAT("alpha", 1), OP_INT("transA", 0), OP_INT("transB", 0)

const struct op op_fused_matmul = {
	.in = {{"A", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = (const struct op_attr[]){MATMUL_ATTRS, OP_INT("transBatchA", 0), OP_INT("transBatchB", 0), {0}},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(fused_matmul),
};

const struct op op_transpose_matmul = {
	.in = {{"A", T_FLOAT, 'T', 0}, {"B", T_FLOAT, 'T', 0}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = (const struct op_attr[]){MATMUL_ATTRS, {0}},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(fused_matmul),
};
