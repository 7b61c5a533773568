/* broadcast.c - plans for operands that are broadcast to one output shape. */
#include "ops/kit/broadcast.h"

#include <string.h>

#include "base/err.h"

struct bcast_shape bcast_shape_of(const struct tensor *t)
{
	return (struct bcast_shape){t->rank, t->dims};
}

struct bcast_shape bcast_union(const struct bcast_shape *shapes, int n, int64_t *dims)
{
	struct bcast_shape all = {0, dims};

	for (int k = 0; k < n; k++)
		if (shapes[k].rank > all.rank)
			all.rank = shapes[k].rank;
	for (int axis = 0; axis < all.rank; axis++) {
		dims[axis] = 1;
		for (int k = 0; k < n; k++) {
			int own = axis - (all.rank - shapes[k].rank);

			if (own >= 0 && shapes[k].dims[own] != 1)
				dims[axis] = shapes[k].dims[own];
		}
	}
	return all;
}

/* Size of the operand along output axis `axis`; axes it does not have count as 1. */
static size_t operand_dim(struct bcast_shape out, struct bcast_shape s, int axis)
{
	int own = axis - (out.rank - s.rank);

	return own < 0 ? 1 : (size_t)s.dims[own];
}

/* Appends a merged axis (innermost first here), or widens the last one when all operands move in both alike. */
static void add_axis(struct bcast *b, size_t size, unsigned moves, unsigned *last_moves, const size_t *step)
{
	if (b->axes && moves == *last_moves) {
		b->size[b->axes - 1] *= size;
		return;
	}
	b->size[b->axes] = size;
	memcpy(b->step[b->axes], step, sizeof b->step[0]);
	b->axes++;
	*last_moves = moves;
}

/* The innermost merged axis becomes the row; the others are turned round: outermost first. */
static void split_row(struct bcast *b)
{
	b->inner = 1;
	if (b->axes) {
		b->inner = b->size[0];
		memcpy(b->stride, b->step[0], sizeof b->stride);
		b->axes--;
		memmove(b->size, b->size + 1, (size_t)b->axes * sizeof b->size[0]);
		memmove(b->step, b->step + 1, (size_t)b->axes * sizeof b->step[0]);
	}
	for (int lo = 0, hi = b->axes - 1; lo < hi; lo++, hi--) {
		size_t size = b->size[lo], step[BCAST_MAX];

		b->size[lo] = b->size[hi];
		b->size[hi] = size;
		memcpy(step, b->step[lo], sizeof step);
		memcpy(b->step[lo], b->step[hi], sizeof step);
		memcpy(b->step[hi], step, sizeof step);
	}
}

void bcast_init(struct bcast *b, struct bcast_shape out, const struct bcast_shape *operands, int n)
{
	size_t reach[BCAST_MAX]; /* product of the operand's dimensions inside the current axis */
	unsigned last_moves = 0;
	int empty = 0;

	BUG_ON(n < 0 || n > BCAST_MAX);
	memset(b, 0, sizeof *b);
	b->n = n;
	for (int k = 0; k < n; k++) {
		BUG_ON(operands[k].rank > out.rank);
		reach[k] = 1;
	}
	for (int axis = out.rank - 1; axis >= 0; axis--) {
		size_t size = (size_t)out.dims[axis], step[BCAST_MAX] = {0};
		unsigned moves = 0;

		for (int k = 0; k < n; k++) {
			size_t d = operand_dim(out, operands[k], axis);

			BUG_ON(d != size && d != 1);
			if (d == size && size != 1) {
				step[k] = reach[k];
				moves |= 1u << k;
			}
			reach[k] *= d;
		}
		empty |= size == 0;
		if (size != 1)
			add_axis(b, size, moves, &last_moves, step);
	}
	split_row(b);
	b->rows_left = !empty;
	for (int i = 0; i < b->axes; i++)
		b->rows_left *= b->size[i];
	b->row = b->inner;
	b->left = b->rows_left * b->row;
}

void bcast_tensors(struct bcast *b, const struct tensor *out, const struct tensor *const *operands, int n)
{
	struct bcast_shape shapes[BCAST_MAX];

	BUG_ON(n < 0 || n > BCAST_MAX);
	for (int k = 0; k < n; k++)
		shapes[k] = bcast_shape_of(operands[k]);
	bcast_init(b, bcast_shape_of(out), shapes, n);
}

void bcast_range(struct bcast *b, size_t first, size_t end)
{
	size_t rest = b->row ? first / b->row : 0;

	b->rows_left = b->rows_left > rest ? b->rows_left - rest : 0;
	b->skipped = first - rest * b->row;
	b->out = first;
	b->left = end - first;
	for (int axis = b->axes - 1; axis >= 0; axis--) {
		b->index[axis] = rest % b->size[axis];
		rest /= b->size[axis];
		for (int k = 0; k < b->n; k++)
			b->at[k] += b->step[axis][k] * b->index[axis];
	}
	for (int k = 0; k < b->n; k++)
		b->at[k] += b->skipped * b->stride[k];
}

/* To the beginning of the next row. */
static void advance(struct bcast *b)
{
	b->out += b->inner;
	for (int k = 0; k < b->n && b->skipped; k++)
		b->at[k] -= b->skipped * b->stride[k];
	b->skipped = 0;
	for (int axis = b->axes - 1; axis >= 0; axis--) {
		int wraps = ++b->index[axis] == b->size[axis];

		for (int k = 0; k < b->n; k++) {
			b->at[k] += b->step[axis][k];
			if (wraps)
				b->at[k] -= b->step[axis][k] * b->size[axis];
		}
		if (!wraps)
			break;
		b->index[axis] = 0;
	}
}

int bcast_next(struct bcast *b)
{
	if (!b->rows_left || !b->left)
		return 0;
	b->rows_left--;
	if (b->begun)
		advance(b);
	b->begun = 1;
	b->inner = b->row - b->skipped < b->left ? b->row - b->skipped : b->left;
	b->left -= b->inner;
	return 1;
}

void bcast_sum_into(struct bcast_shape out, const double *g, struct bcast_shape operand, double *sum)
{
	struct bcast b;

	bcast_init(&b, out, &operand, 1);
	while (bcast_next(&b)) {
		const double *row = g + b.out;
		double *to = sum + b.at[0];

		if (b.stride[0]) {
			for (size_t k = 0; k < b.inner; k++)
				to[k] += row[k];
		} else {
			double total = 0;

			for (size_t k = 0; k < b.inner; k++)
				total += row[k];
			*to += total;
		}
	}
}
