/* nchwc.c - com.microsoft.nchwc: what ONNX Runtime's optimizer makes of convolutions, in blocks of channels.
 *
 * A tensor of shape (N, C, H, W), C a multiple of the block B, has its numbers in the order (N, C/B, H, W, B).  B is 16
 * on processors with AVX-512, else 8: a saved model is for one of them, and nothing in it says which.
 *
 *     ReorderInput    (N, C, H, W), or (N, H, W, C), to blocks; more channels, of zeros, fill the last one up
 *     ReorderOutput   blocks to (N, channels, H, W), or (N, H, W, channels)
 *     Conv            activation(Conv(X, W, B) + Sum); W of shape (M, C/group, kH, kW) has its numbers in the order
 *                     (M/B, C/B, kH, kW, B of C, B of M).  It is (M/B, C/group, kH, kW, B of M) for fewer channels than
 * a block, where X is no tensor of blocks, and for one filter to each channel. Upsample        Resize by whole factors
 *     pools           as those of ONNX
 *
 * Blocks change no shape, so types come from the plain operators. */
#include "ops/contrib/contrib.h"
#include "ops/kit/spatial.h"

#define RANK 4
#define T_NCHWC T_F32

static int64_t block_size(void)
{
#if defined __x86_64__
	return __builtin_cpu_supports("avx512f") ? 16 : 8;
#else
	return 16;
#endif
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* x read as of shape `from`, transposed, and of its own shape again. */
static struct compose_part *reorder(struct compose *p, struct compose_part *x, const int64_t *from, const int64_t *perm,
				    int rank)
{
	const struct attr *zeros = STEP_ATTRS(STEP_INT("allowzero", 1)); /* a size of 0 is one */
	struct compose_part *y;

	if (p->rc)
		return x;
	y = STEP(p, "Reshape", zeros, x, compose_ints(p, from, rank));
	y = STEP(p, "Transpose", STEP_ATTRS(STEP_INTS("perm", perm, rank)), y);
	return STEP(p, "Reshape", zeros, y, compose_ints(p, x->type.dims, RANK));
}

/* Whether dimension d is made of whole blocks; what is not was saved for another processor, or is no such tensor. */
static int is_whole(struct compose *p, const struct compose_part *x, int d)
{
	int64_t block = block_size(), size = compose_dim(x, d);

	if (!p->rc && size % block != 0)
		compose_fail(p, call_unsupported(
					p->c, "%lld channels are not made of blocks of %lld, those of this processor",
					(long long)size, (long long)block));
	return !p->rc;
}

static int is_image(struct compose *p, const struct compose_part *x)
{
	if (!p->rc && compose_rank(x) >= 0 && compose_rank(x) != RANK)
		compose_fail(p, call_bad(p->c, "rank %d, expected %d", compose_rank(x), RANK));
	return !p->rc && compose_rank(x) == RANK;
}

static struct compose_part *from_blocks(struct compose *p, struct compose_part *x)
{
	const int64_t *d = x->type.dims, block = block_size();

	if (!p->known || !is_image(p, x) || !is_whole(p, x, 1))
		return x;
	return reorder(p, x, (int64_t[]){d[0], d[1] / block, d[2], d[3], block}, (int64_t[]){0, 1, 4, 2, 3}, 5);
}

static struct compose_part *to_blocks(struct compose *p, struct compose_part *x)
{
	const int64_t *d = x->type.dims, block = block_size();

	if (!p->known || !is_image(p, x) || !is_whole(p, x, 1))
		return x;
	return reorder(p, x, (int64_t[]){d[0], d[1] / block, block, d[2], d[3]}, (int64_t[]){0, 1, 3, 4, 2}, 5);
}

/* ---- ReorderInput, ReorderOutput --------------------------------------------------------------------------------- */

static const int64_t to_last[] = {0, 2, 3, 1}, to_first[] = {0, 3, 1, 2};

static void reorder_input_steps(struct compose *p)
{
	struct compose_part *x = compose_input(p, 0);
	int64_t block = block_size(), more;

	if (!is_image(p, x))
		return;
	if (attr_int(p->c->node, "channels_last"))
		x = STEP(p, "Transpose", STEP_ATTRS(STEP_INTS("perm", to_first, RANK)), x);
	if (compose_dim(x, 1) < 0)
		return;
	more = (block - compose_dim(x, 1) % block) % block;
	x = STEP(p, "Pad", NULL, x, compose_ints(p, (int64_t[]){0, 0, 0, 0, 0, more, 0, 0}, 2 * RANK));
	compose_output(p, 0, to_blocks(p, x));
}

COMPOSED(reorder_input)

const struct op op_nchwc_reorder_input = {
	.owner = "com.microsoft",
	.in = {{"X", T_NCHWC, 'T', 0}},
	.out = {{"Y", T_NCHWC, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_INT("channels_last", 0), {0}},
	COMPOSED_MEMBERS(reorder_input),
};

static void reorder_output_steps(struct compose *p)
{
	struct compose_part *x = compose_input(p, 0);
	const struct node *n = p->c->node;
	int64_t channels = attr_int(n, "channels");

	if (!is_image(p, x))
		return;
	if (channels < 1 || (compose_dim(x, 1) >= 0 && channels > compose_dim(x, 1)))
		compose_fail(p, call_bad(p->c, "channels is %lld", (long long)channels));
	x = STEP(p, "Slice", NULL, from_blocks(p, x), compose_ints(p, (int64_t[]){0}, 1), compose_ints(p, &channels, 1),
		 compose_ints(p, (int64_t[]){1}, 1));
	if (attr_int(n, "channels_last"))
		x = STEP(p, "Transpose", STEP_ATTRS(STEP_INTS("perm", to_last, RANK)), x);
	compose_output(p, 0, x);
}

COMPOSED(reorder_output)

const struct op op_nchwc_reorder_output = {
	.owner = "com.microsoft",
	.in = {{"X", T_NCHWC, 'T', 0}},
	.out = {{"Y", T_NCHWC, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_NEEDS("channels", ATTR_INT), OP_INT("channels_last", 0), {0}},
	COMPOSED_MEMBERS(reorder_output),
};

/* ---- Conv -------------------------------------------------------------------------------------------------------- */

/* Filters as Conv has them; *plain: the input is no tensor of blocks. */
static struct compose_part *filters(struct compose *p, struct compose_part *w, int *plain)
{
	int64_t group = attr_int(p->c->node, "group"), block = block_size();
	const int64_t *d = w->type.dims;

	*plain = 0;
	if (!p->known || !is_image(p, w) || !is_whole(p, w, 0))
		return w;
	*plain = group == 1 && d[1] < block;
	if (*plain || (group > 1 && d[1] == 1 && d[0] == group))
		return reorder(p, w, (int64_t[]){d[0] / block, d[1], d[2], d[3], block}, (int64_t[]){0, 4, 1, 2, 3}, 5);
	if (!is_whole(p, w, 1))
		return w;
	return reorder(p, w, (int64_t[]){d[0] / block, d[1] / block, d[2], d[3], block, block},
		       (int64_t[]){0, 5, 1, 4, 2, 3}, 6);
}

static void nchwc_conv_steps(struct compose *p)
{
	struct compose_part *x = compose_input(p, 0), *sum = compose_input(p, 3), *w, *y;
	int plain;

	if (!is_image(p, x) || !is_image(p, compose_input(p, 1)))
		return;
	w = filters(p, compose_input(p, 1), &plain);
	y = STEP(p, "Conv", contrib_window_attrs(p), plain ? x : from_blocks(p, x), w, compose_input(p, 2));
	if (sum)
		y = STEP(p, "Add", NULL, y, from_blocks(p, sum));
	compose_output(p, 0, to_blocks(p, contrib_conv_activation(p, y)));
}

COMPOSED(nchwc_conv)

const struct op op_nchwc_conv = {
	.owner = "com.microsoft",
	.in = {{"X", T_NCHWC, 'T', 0},
	       {"W", T_NCHWC, 'T', 0},
	       {"B", T_NCHWC, 'T', PORT_OPTIONAL},
	       {"Sum", T_NCHWC, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_NCHWC, 'T', 0}},
	.attrs =
		(const struct op_attr[]){
			OP_ATTR("activation", ATTR_STRING),
			OP_ATTR("activation_params", ATTR_FLOATS),
			OP_CONV_ATTRS,
			{0},
		},
	.flags = OP_PRODUCTS,
	COMPOSED_MEMBERS(nchwc_conv),
};

/* ---- pools and Upsample ------------------------------------------------------------------------------------------ */

/* The operator of ONNX with the same name and attributes. */
static void plain_pool_steps(struct compose *p)
{
	struct compose_part *x = compose_input(p, 0);

	if (is_image(p, x))
		compose_output(p, 0,
			       to_blocks(p, STEP(p, p->c->node->op_type, contrib_window_attrs(p), from_blocks(p, x))));
}

COMPOSED(plain_pool)

#define POOL_ATTRS                                                                        \
	OP_STRING("auto_pad", "NOTSET"), OP_INT("ceil_mode", 0), OP_INTS("dilations", 1), \
		OP_NEEDS("kernel_shape", ATTR_INTS), OP_INTS("pads", 0), OP_INTS("strides", 1)
#define POOL_MEMBERS                                                                               \
	.owner = "com.microsoft", .in = {{"X", T_NCHWC, 'T', 0}}, .out = {{"Y", T_NCHWC, 'T', 0}}, \
	COMPOSED_MEMBERS(plain_pool)

const struct op op_nchwc_max_pool = {
	.attrs = (const struct op_attr[]){POOL_ATTRS, OP_INT("storage_order", 0), {0}},
	POOL_MEMBERS,
};

const struct op op_nchwc_average_pool = {
	.attrs = (const struct op_attr[]){POOL_ATTRS, OP_INT("count_include_pad", 0), {0}},
	.flags = OP_MONOMIALS,
	POOL_MEMBERS,
};

const struct op op_nchwc_global_max_pool = {POOL_MEMBERS};
const struct op op_nchwc_global_average_pool = {.flags = OP_MONOMIALS, POOL_MEMBERS};

static void upsample_steps(struct compose *p)
{
	const struct node *n = p->c->node;
	struct compose_part *x = compose_input(p, 0);
	size_t count = 0;
	const int64_t *scales = node_ints(n, "scales", &count);
	const struct attr *attrs = STEP_ATTRS(
		STEP_STRING("mode", attr_string(n, "mode")), STEP_STRING("nearest_mode", "floor"),
		STEP_STRING("coordinate_transformation_mode", attr_string(n, "coordinate_transformation_mode")));
	struct tensor *t;

	if (!is_image(p, x))
		return;
	if (count != RANK || scales[0] != 1 || scales[1] != 1)
		compose_fail(p, call_bad(p->c, "scales must be 1, 1 and two factors"));
	t = tensor_new(DT_FLOAT, 1, (int64_t[]){RANK}, p->c->err);
	for (size_t i = 0; t && i < RANK; i++)
		t->f[i] = !p->rc ? (double)scales[i] : 1;
	x = STEP(p, "Resize", attrs, from_blocks(p, x), NULL, compose_constant(p, t));
	compose_output(p, 0, to_blocks(p, x));
}

COMPOSED(upsample)

const struct op op_nchwc_upsample = {
	.owner = "com.microsoft",
	.in = {{"X", T_NCHWC, 'T', 0}},
	.out = {{"Y", T_NCHWC, 'T', 0}},
	.attrs = (const struct op_attr[]){OP_STRING("coordinate_transformation_mode", "asymmetric"),
					  OP_STRING("mode", "nearest"),
					  OP_NEEDS("scales", ATTR_INTS),
					  {0}},
	COMPOSED_MEMBERS(upsample),
};
