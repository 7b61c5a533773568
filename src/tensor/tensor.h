/* tensor.h - tensors: a dtype, dimensions, and a buffer that several tensors may share.
 *
 * A tensor is either packed (as in files and in libraries) or wide (as assay computes, see dtype.h).  Operators only
 * ever see wide ones.  Tensors are counted references: tensor_ref() / tensor_unref(); buffers are shared by views that
 * differ in dims only (tensor_view).  Not thread-safe: a tensor belongs to one thread.
 *
 * A tensor whose buffer is shared must not be written; tensor_new*() gives an unshared one. */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/refs.h"
#include "base/rng.h"
#include "tensor/dtype.h"

#define TENSOR_MAX_RANK 32 /* as numpy had it for long; libraries themselves stop between 5 and 254 */

struct tensor_buf; /* reference count, bytes, memory */

struct tensor {
	enum dtype dtype;
	int wide;                      /* 1: data is f, i, s or c below; 0: data is packed bytes */
	int rank;                      /* 0 … TENSOR_MAX_RANK */
	int64_t dims[TENSOR_MAX_RANK]; /* each >= 0 */
	size_t count;                  /* product of dims */
	union {
		void *data;      /* packed bytes */
		double *f;       /* WIDE_F64; WIDE_C64: 2 * count */
		int64_t *i;      /* WIDE_I64 */
		struct bytes *s; /* WIDE_STR, also for "packed" strings: those have one form only */
	};
	atomic_int refs;
	struct tensor_buf *buf;
};

/* Element count of a shape; ERR_LIMIT when a dimension is negative or the product does not fit, with a message. */
int tensor_shape_count(int rank, const int64_t *dims, size_t *count, struct err *e);

/* New tensors, uninitialised (strings: empty).  NULL on failure, e says why (ERR_LIMIT, ERR_MEMORY). */
struct tensor *tensor_new(enum dtype t, int rank, const int64_t *dims, struct err *e); /* wide */
struct tensor *tensor_new_packed(enum dtype t, int rank, const int64_t *dims, struct err *e);
struct tensor *tensor_zeros(enum dtype t, int rank, const int64_t *dims, struct err *e); /* wide, all zero */
struct tensor *tensor_scalar_f(enum dtype t, double x, struct err *e);                   /* wide, rank 0 */
struct tensor *tensor_scalar_i(enum dtype t, int64_t x, struct err *e);                  /* wide, rank 0 */

/* Packed elements that somebody else owns. */
struct tensor_memory {
	const void *data;
	size_t bytes;
	void (*drop)(void *owner); /* (optional) called with the last reference to a tensor over it */
	void *owner;
};

/* A packed tensor over memory of somebody else; ERR_INPUT when that has too few bytes, and nothing is dropped. */
struct tensor *tensor_wrap(enum dtype t, int rank, const int64_t *dims, const struct tensor_memory *m, struct err *e);

/* The same elements under other dimensions (same count), sharing the buffer. */
struct tensor *tensor_view(struct tensor *t, int rank, const int64_t *dims, struct err *e);

struct tensor *tensor_ref(struct tensor *t); /* NULL stays NULL */
void tensor_unref(struct tensor *t);         /* NULL is fine */

/* True when nobody else holds t or its buffer: t may be overwritten in place. */
int tensor_is_unique(const struct tensor *t);

/* A wide (packed) form of t: t itself with one more reference when it is so already, else a new tensor. */
struct tensor *tensor_widen(struct tensor *t, struct err *e);
struct tensor *tensor_pack(struct tensor *t, struct err *e);

/* An unshared deep copy in the same form. */
struct tensor *tensor_copy(const struct tensor *t, struct err *e);

/* Sets element i of a string tensor to a copy of n bytes. */
int tensor_set_string(struct tensor *t, size_t i, const char *p, size_t n, struct err *e);

/* Rounds every element of a wide tensor to its dtype (floats), or wraps it (integers), in place. */
void tensor_round(struct tensor *t);
/* Subnormal numbers of the float types become 0. */
void tensor_flush(struct tensor *t);
/* tensor_widen() into a tensor of its own, and that. */
struct tensor *tensor_widen_flushed(struct tensor *t, struct err *e);
void tensor_wrap_ints(struct tensor *t);

/* Element i as a double, whatever the form (uint64 read as unsigned; strings give NaN).  Judges read millions of
 * elements one by one, nearly all of them float32: those cost no call. */
double tensor_get_any(const struct tensor *t, size_t i);
static inline double tensor_get(const struct tensor *t, size_t i)
{
	float x;

	if (t->dtype != DT_FLOAT || i >= t->count)
		return tensor_get_any(t, i);
	if (t->wide)
		return t->f[i];
	memcpy(&x, (const char *)t->data + i * sizeof x, sizeof x); /* a file's bytes may lie anywhere */
	return (double)x;
}

/* Numbers in its buffer: a complex element has two. */
static inline size_t tensor_parts(const struct tensor *t)
{
	return dtype_wide(t->dtype) == WIDE_C64 ? 2 * t->count : t->count;
}

int tensor_same_shape(const struct tensor *a, const struct tensor *b);
/* Same type, shape, form and bytes. */
int tensor_same_bits(const struct tensor *a, const struct tensor *b);

/* "float32[1,3,224,224]" into out; returns out. */
const char *tensor_describe(const struct tensor *t, char *out, size_t size);
const char *tensor_dims_text(int rank, const int64_t *dims, char *out, size_t size); /* "1,3,224,224" */

/* Bytes of all live tensor buffers of this process, the most there have been, and the cap above which new ones are
 * refused with ERR_LIMIT (default: half of the machine's memory, at most 16 GiB). */
size_t tensor_memory_live(void);
size_t tensor_memory_peak(void);
void tensor_memory_reset_peak(void);
void tensor_memory_set_cap(size_t bytes);
int tensor_memory_has(
	size_t bytes); /* so much more is below the cap: for other memory that sizes of tensors decide on */

#endif
