/* shape.c - dimensions of tensors, and as text (declared in tensor.h). */
#include <stdio.h>
#include <string.h>

#include "tensor/tensor.h"

/* With at most 16 bytes for a wide element, no byte offset or stride can overflow. */
#define MAX_COUNT ((size_t)PTRDIFF_MAX / 16)

const char *tensor_dims_text(int rank, const int64_t *dims, char *out, size_t size)
{
	size_t at = 0;

	if (!size)
		return out;
	out[0] = '\0';
	for (int i = 0; i < rank && at < size; i++) {
		int n = snprintf(out + at, size - at, "%s%lld", i ? "," : "", (long long)dims[i]);

		at += n > 0 ? (size_t)n : 0;
	}
	return out;
}

int tensor_shape_count(int rank, const int64_t *dims, size_t *count, struct err *e)
{
	char text[256];
	size_t n = 1;
	int empty = 0;

	if (rank < 0 || rank > TENSOR_MAX_RANK)
		return err_set(e, ERR_LIMIT, "a tensor of rank %d, more than %d", rank, TENSOR_MAX_RANK);
	for (int i = 0; i < rank; i++) {
		if (dims[i] < 0)
			return err_set(e, ERR_LIMIT, "a tensor of shape [%s] has a negative dimension",
				       tensor_dims_text(rank, dims, text, sizeof text));
		if (!dims[i]) { /* the others must fit all the same: operators take products of a part of them */
			empty = 1;
			continue;
		}
		if ((uint64_t)dims[i] > MAX_COUNT / n)
			return err_set(e, ERR_LIMIT, "a tensor of shape [%s] has too many elements",
				       tensor_dims_text(rank, dims, text, sizeof text));
		n *= (size_t)dims[i];
	}
	*count = empty ? 0 : n;
	return 0;
}

int tensor_same_shape(const struct tensor *a, const struct tensor *b)
{
	return a->rank == b->rank && (!a->rank || !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims));
}

const char *tensor_describe(const struct tensor *t, char *out, size_t size)
{
	int n = snprintf(out, size, "%s[", dtype_name(t->dtype));
	size_t at = n > 0 ? (size_t)n : 0;

	if (at < size) {
		tensor_dims_text(t->rank, t->dims, out + at, size - at);
		at += strlen(out + at);
		snprintf(out + at, size - at, "]");
	}
	return out;
}
