/* broadcast.h - walking over operands that are broadcast to one output shape.
 *
 * A plan merges neighbouring axes in which every operand behaves alike and leaves one inner loop of constant strides;
 * operands that all have the output's shape give a single row.  Strides within a row are 0 (the operand's element is
 * repeated) or 1.
 *
 *     struct bcast b;
 *     const struct tensor *in[] = {c->in[0], c->in[1]};
 *     bcast_tensors(&b, c->out[0], in, 2);
 *     while (bcast_next(&b))
 *             for (size_t k = 0; k < b.inner; k++)
 *                     y[b.out + k] = x0[b.at[0] + k * b.stride[0]] + x1[b.at[1] + k * b.stride[1]];
 *
 * Shapes must have been checked before (infer does, with call_broadcast()): one that does not fit is a bug here. */
#ifndef OPS_KIT_BROADCAST_H
#define OPS_KIT_BROADCAST_H

#include "tensor/tensor.h"

#define BCAST_MAX 4 /* operands */

struct bcast_shape {
	int rank;
	const int64_t *dims;
};

struct bcast {
	/* the current row, for the caller to read */
	size_t inner;             /* its elements, or those of them that lie in the range */
	size_t out;               /* index of its first element in the output */
	size_t at[BCAST_MAX];     /* … in each operand */
	size_t stride[BCAST_MAX]; /* step from one element to the next, 0 or 1 */

	/* the plan: merged axes around the row, outermost first */
	int n, axes;
	size_t size[TENSOR_MAX_RANK];
	size_t step[TENSOR_MAX_RANK][BCAST_MAX];
	size_t index[TENSOR_MAX_RANK];
	size_t rows_left;
	int begun;
	size_t row;     /* elements of a whole row */
	size_t skipped; /* of the current one, in front of the range */
	size_t left;    /* elements of the range that are to come */
};

/* Plans n <= BCAST_MAX operands broadcast to `out` as numpy does: shapes aligned at the right, 1 is repeated. */
void bcast_init(struct bcast *b, struct bcast_shape out, const struct bcast_shape *operands, int n);
void bcast_tensors(struct bcast *b, const struct tensor *out, const struct tensor *const *operands, int n);

/* Moves to the first, then to each next row; 0 after the last.  An output without elements has no rows. */
int bcast_next(struct bcast *b);

/* Before the first bcast_next(): only elements [first, end) of the output; rows may begin and end in the middle. */
void bcast_range(struct bcast *b, size_t first, size_t end);

/* The gradient of broadcasting: adds g, of shape `out`, into sum, of shape `operand`, over the repeated axes. */
void bcast_sum_into(struct bcast_shape out, const double *g, struct bcast_shape operand, double *sum);

struct bcast_shape bcast_shape_of(const struct tensor *t);

/* The shape that n known shapes broadcast to, in dims[TENSOR_MAX_RANK]. */
struct bcast_shape bcast_union(const struct bcast_shape *shapes, int n, int64_t *dims);

#endif
