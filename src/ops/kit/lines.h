/* lines.h - the lines of a tensor along some of its axes.
 *
 * Reductions, softmax, cumulative sums and transforms all do one thing to every line of a tensor: the elements that
 * differ only in the index along the chosen axes.  A `struct lines` describes them for any set of axes; neighbouring
 * axes of the same sort are merged, so that the usual cases have one stride.  Kernels then see one contiguous line and
 * know nothing of shapes.
 *
 * All wide elements of 8 bytes (double, int64_t) are handled alike. */
#ifndef OPS_KIT_LINES_H
#define OPS_KIT_LINES_H

#include "ops/call.h"

struct lines_dim {
	size_t size, stride;
};

struct lines {
	size_t count;  /* how many lines; line k is the k-th of the row-major order of the other axes */
	size_t length; /* elements in each; 1 when no axis is chosen */
	int n_across, n_along;
	struct lines_dim across[TENSOR_MAX_RANK + 1]; /* innermost first */
	struct lines_dim along[TENSOR_MAX_RANK + 1];  /* innermost first, at least one */
};

/* axes: bit i set when axis i is chosen. */
void lines_init(struct lines *l, int rank, const int64_t *dims, uint32_t axes);

/* Index of element 0 of line k. */
size_t lines_start(const struct lines *l, size_t k);

/* Line k of x, which lies in x itself when contiguous and is copied to buf (l->length elements) otherwise. */
const void *lines_read(const struct lines *l, const void *x, size_t k, void *buf);

/* Stores (adds) a line. */
void lines_write(const struct lines *l, void *x, size_t k, const void *line);
void lines_add(const struct lines *l, double *x, size_t k, const double *line);

/* Does something about line k; `buf` has room for `buffers` lines, and zeros when a thread sees it first. */
typedef void lines_each_fn(void *arg, size_t k, double *buf);

/* Calls fn for every line, some of them at once: none may write what another reads or writes.  0 or a status (no memory
 * for the buffers). */
int lines_each(struct call *c, const struct lines *l, size_t buffers, lines_each_fn *fn, void *arg);

/* out line of n elements from in lines of n elements. */
typedef void lines_fn(const void *const *in, size_t n, void *out, const void *arg);

#define LINES_MAX_INPUTS 3

struct lines_job {
	const void *in[LINES_MAX_INPUTS]; /* tensors of the same shape, up to the first NULL */
	void *out;                        /* of the same shape too */
	int add;                          /* add to out (doubles) instead of storing */
	lines_fn *fn;
	const void *arg;
};

/* Runs job->fn on every line.  0 or a status (no memory for the line buffers). */
int lines_map(struct call *c, const struct lines *l, const struct lines_job *job);

#endif
