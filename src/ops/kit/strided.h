/* strided.h - copying between two strided blocks of elements, the one loop behind all operators that move data.
 *
 * A block has dims and, for each axis, a step in the destination and one in the source, in elements: positive, negative
 * or 0 (0 in the source repeats, 0 in the destination sums when adding).  Transposes, slices, tiles, pads, splits and
 * joins are all such blocks. */
#ifndef OPS_KIT_STRIDED_H
#define OPS_KIT_STRIDED_H

#include <stddef.h>
#include <stdint.h>

#define STRIDED_MAX_RANK 68 /* Tile sees each of up to 32 axes as two; lanes are one more */

struct strided {
	int rank;
	int64_t dims[STRIDED_MAX_RANK];
	int64_t dst_step[STRIDED_MAX_RANK];
	int64_t src_step[STRIDED_MAX_RANK];
	int64_t dst, src; /* where element (0, …, 0) lies */
};

void strided_init(struct strided *s, int64_t dst, int64_t src);
void strided_axis(struct strided *s, int64_t dim, int64_t dst_step, int64_t src_step); /* adds an innermost axis */

/* dst = src for elements of 4, 8 or 16 bytes. */
void strided_copy(const struct strided *s, size_t elem, void *dst, const void *src);

/* src += dst, the adjoint of strided_copy: what a copy read gets back what it wrote. */
void strided_add_back(const struct strided *s, const double *dst, double *src);

/* Calls fn with the two indices of every element; a non-zero result ends the walk and is returned. */
typedef int strided_fn(void *arg, size_t dst, size_t src);
int strided_each(const struct strided *s, strided_fn *fn, void *arg);

#endif
