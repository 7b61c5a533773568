/* transpose.c - Transpose, DepthToSpace, SpaceToDepth: axes change places. */
#include <inttypes.h>
#include <string.h>

#include "ops/kit/dims.h"
#include "ops/kit/move.h"
#include "ops/shape/samplers.h"

/* ---- Transpose --------------------------------------------------------------------------------------------------- */

/* perm[a]: which input axis output axis a is; all reversed when the attribute is absent. */
static int transpose_perm(struct call *c, int rank, int *perm)
{
	const int64_t *list;
	size_t n;

	if (!node_has(c->node, "perm")) {
		for (int a = 0; a < rank; a++)
			perm[a] = rank - 1 - a;
		return 0;
	}
	list = node_ints(c->node, "perm", &n);
	if (n != (size_t)rank)
		return call_bad(c, "'perm' has %zu axes, the input has rank %d", n, rank);
	return dims_axes(c, list, n, rank, perm);
}

static int transpose_infer(struct call *c)
{
	const struct type *in = call_shape(c, 0);
	int64_t dims[TENSOR_MAX_RANK];
	int perm[TENSOR_MAX_RANK], rc;

	if (!in) {
		size_t n = 0;
		int known = node_has(c->node, "perm") && node_ints(c->node, "perm", &n) && n <= TENSOR_MAX_RANK;

		call_out_rank(c, 0, c->in_type[0].dtype, known ? (int)n : -1);
		return 0;
	}
	if ((rc = transpose_perm(c, in->rank, perm)))
		return rc;
	for (int a = 0; a < in->rank; a++)
		dims[a] = in->dims[perm[a]];
	call_out(c, 0, c->in_type[0].dtype, in->rank, dims);
	return 0;
}

static int transpose_move(struct mover *m)
{
	const struct tensor *x = m->c->in[0];
	const int64_t *dims = m->c->out_type[0].dims;
	int64_t from[TENSOR_MAX_RANK], to[TENSOR_MAX_RANK];
	int perm[TENSOR_MAX_RANK], rc;
	struct strided s;

	if ((rc = transpose_perm(m->c, x->rank, perm)))
		return rc;
	dims_strides(x->rank, x->dims, from);
	dims_strides(x->rank, dims, to);
	strided_init(&s, 0, 0);
	for (int a = 0; a < x->rank; a++)
		strided_axis(&s, dims[a], to[a], from[perm[a]]);
	return move_strided(m, 0, 0, &s);
}
MOVE_DEFINE(transpose, MOVE_INPUT_0)

static const struct op_attr transpose_attrs[] = {OP_ATTR("perm", ATTR_INTS), {0}};

const struct op op_transpose = {
	.samples = SAMPLES({.by = &sampler_transpose}),
	.in = {{"data", T_ANY, 'T', 0}},
	.out = {{"transposed", T_ANY, 'T', 0}},
	.attrs = transpose_attrs,
	.infer = transpose_infer,
	MOVE_FUNCTIONS(transpose),
};

/* ---- DepthToSpace, SpaceToDepth ---------------------------------------------------------------------------------- */

static int block_mode(struct call *c, int *crd)
{
	const char *mode = attr_string(c->node, "mode");

	*crd = !strcmp(mode, "CRD");
	if (!*crd && strcmp(mode, "DCR"))
		return call_bad(c, "mode '%s' is neither DCR nor CRD", mode);
	return 0;
}

static int block_size(struct call *c, int64_t *b)
{
	*b = attr_int(c->node, "blocksize");
	if (*b < 1 || *b > INT32_MAX)
		return call_bad(c, "blocksize is %" PRId64, *b);
	return 0;
}

/* d / by; call_bad when it leaves a rest. */
static int dim_divide(struct call *c, int64_t d, int64_t by, int64_t *out)
{
	if (dim_known(d) && d % by)
		return call_bad(c, "a dimension of %" PRId64 " is not a multiple of %" PRId64, d, by);
	*out = dim_known(d) ? d / by : by == 1 ? d : DIM_UNKNOWN;
	return 0;
}

static int block_infer(struct call *c, int to_space)
{
	const struct type *in = call_shape(c, 0);
	int64_t b, dims[4];
	int crd, rc;

	if ((rc = block_size(c, &b)) || (rc = block_mode(c, &crd)))
		return rc;
	if (!in) {
		call_out_rank(c, 0, c->in_type[0].dtype, 4);
		return 0;
	}
	if (in->rank != 4)
		return call_bad(c, "input has rank %d, wanted 4", in->rank);
	dims[0] = in->dims[0];
	if (to_space)
		rc = dim_divide(c, in->dims[1], b * b, &dims[1]);
	else
		rc = dim_mul(c, in->dims[1], b * b, &dims[1]);
	for (int a = 2; a < 4 && !rc; a++)
		rc = to_space ? dim_mul(c, in->dims[a], b, &dims[a]) : dim_divide(c, in->dims[a], b, &dims[a]);
	if (rc)
		return rc;
	call_out(c, 0, c->in_type[0].dtype, 4, dims);
	return 0;
}

static int depth_to_space_infer(struct call *c)
{
	return block_infer(c, 1);
}

static int space_to_depth_infer(struct call *c)
{
	return block_infer(c, 0);
}

/* One block of axes (n, c, h, i, w, j): in space the element lies at [n, c, h * b + i, w * b + j], in depth at
 * [n, (i * b + j) * C + c, h, w] (DCR) or [n, (c * b + i) * b + j, h, w] (CRD). */
static int block_move(struct mover *m, int to_space)
{
	const int64_t *in = m->c->in[0]->dims, *out = m->c->out_type[0].dims;
	const int64_t *space = to_space ? out : in, *deep = to_space ? in : out;
	int64_t n = in[0], ch = space[1], h = deep[2], w = deep[3], hw = h * w, b;
	int crd, rc;

	if ((rc = block_size(m->c, &b)) || (rc = block_mode(m->c, &crd)))
		return rc;
	const int64_t dims[6] = {n, ch, h, b, w, b};
	const int64_t in_space[6] = {ch * hw * b * b, hw * b * b, w * b * b, w * b, b, 1};
	const int64_t in_depth[6] = {ch * hw * b * b,   crd ? b * b * hw : hw, w, crd ? b * hw : b * ch * hw, 1,
				     crd ? hw : ch * hw};
	struct strided s;

	strided_init(&s, 0, 0);
	for (int a = 0; a < 6; a++)
		strided_axis(&s, dims[a], to_space ? in_space[a] : in_depth[a], to_space ? in_depth[a] : in_space[a]);
	return move_strided(m, 0, 0, &s);
}

static int depth_to_space_move(struct mover *m)
{
	return block_move(m, 1);
}
MOVE_DEFINE(depth_to_space, MOVE_INPUT_0)

static int space_to_depth_move(struct mover *m)
{
	return block_move(m, 0);
}
MOVE_DEFINE(space_to_depth, MOVE_INPUT_0)

static const struct op_attr block_attrs[] = {OP_NEEDS("blocksize", ATTR_INT), OP_STRING("mode", "DCR"), {0}};

const struct op op_depth_to_space = {
	.samples = SAMPLES({.by = &sampler_depth_to_space}),
	.in = {{"input", T_ANY, 'T', 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = block_attrs,
	.infer = depth_to_space_infer,
	MOVE_FUNCTIONS(depth_to_space),
};

const struct op op_space_to_depth = {
	.samples = SAMPLES({.by = &sampler_space_to_depth}),
	.in = {{"input", T_ANY, 'T', 0}},
	.out = {{"output", T_ANY, 'T', 0}},
	.attrs = block_attrs,
	.infer = space_to_depth_infer,
	MOVE_FUNCTIONS(space_to_depth),
};
