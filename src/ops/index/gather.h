/* gather.h - indices into tensors, for the operators that read (gather.c) and those that write (scatter.c). */
#ifndef OPS_INDEX_GATHER_H
#define OPS_INDEX_GATHER_H

#include "ops/call.h"

/* An index into an axis of `dim` elements, made >= 0; call_bad when it is outside. */
int gather_index(struct call *c, int64_t index, int64_t dim, int64_t *out);

/* pos[i]: the element of x that index[i] names, at i's own place on all axes but `axis`.  The other dimensions of
 * `index` must be at most x's. */
int gather_element_positions(struct call *c, const struct tensor *x, const struct tensor *index, int axis, size_t *pos);

/* Offset in x of the slice that index[0 … depth-1] name on the axes from `axis` on. */
int gather_nd_position(struct call *c, const struct tensor *x, int axis, const int64_t *index, int depth, size_t *pos);

#endif
