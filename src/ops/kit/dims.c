/* dims.c - see dims.h. */
#include "ops/kit/dims.h"

#include <inttypes.h>

int dim_mul(struct call *c, int64_t a, int64_t b, int64_t *out)
{
	if (a == 0 || b == 0)
		*out = 0;
	else if (a == 1 || b == 1)
		*out = a == 1 ? b : a;
	else if (!dim_known(a) || !dim_known(b))
		*out = DIM_UNKNOWN;
	else if (__builtin_mul_overflow(a, b, out))
		return call_bad(c, "a dimension of %" PRId64 " times %" PRId64 " is too large", a, b);
	return 0;
}

int dim_add(struct call *c, int64_t a, int64_t b, int64_t *out)
{
	if (a == 0 || b == 0)
		*out = a == 0 ? b : a;
	else if (!dim_known(a) || !dim_known(b))
		*out = DIM_UNKNOWN;
	else if (__builtin_add_overflow(a, b, out))
		return call_bad(c, "a dimension of %" PRId64 " plus %" PRId64 " is too large", a, b);
	return 0;
}

int dim_product(struct call *c, const int64_t *dims, int from, int to, int64_t *out)
{
	int64_t product = 1;

	for (int a = from; a < to; a++)
		if (dims[a] == 0) {
			*out = 0;
			return 0;
		}
	for (int a = from; a < to; a++) {
		int rc = dim_mul(c, product, dims[a], &product);

		if (rc)
			return rc;
	}
	*out = product;
	return 0;
}

int dim_unify(struct call *c, int64_t *into, int64_t d, const char *what)
{
	if (dim_known(*into) && dim_known(d) && *into != d)
		return call_bad(c, "%s is %" PRId64 ", wanted %" PRId64, what, d, *into);
	if (dim_known(d) || *into == DIM_UNKNOWN)
		*into = d;
	return 0;
}

int dims_check_rank(struct call *c, int64_t rank)
{
	if (rank < 0 || rank > TENSOR_MAX_RANK)
		return call_bad(c, "rank %" PRId64 " is not supported, at most %d", rank, TENSOR_MAX_RANK);
	return 0;
}

int dims_axes(struct call *c, const int64_t *axes, size_t n, int rank, int *out)
{
	uint32_t seen = 0;

	if (n > (size_t)rank)
		return call_bad(c, "%zu axes for rank %d", n, rank);
	for (size_t k = 0; k < n; k++) {
		int rc = call_axis(c, axes[k], rank, &out[k]);

		if (rc)
			return rc;
		if (seen >> out[k] & 1)
			return call_bad(c, "axis %" PRId64 " is named twice", axes[k]);
		seen |= UINT32_C(1) << out[k];
	}
	return 0;
}

int64_t dims_list_length(const struct call *c, int i)
{
	const struct type *t = call_shape(c, i);

	return t && t->rank == 1 && dim_known(t->dims[0]) ? t->dims[0] : -1;
}

int dims_check_square(struct call *c, const struct type *t)
{
	int64_t rows, columns;

	if (t->rank < 2)
		return call_bad(c, "the input has rank %d, at least 2 is needed", t->rank);
	rows = t->dims[t->rank - 2], columns = t->dims[t->rank - 1];
	if (rows >= 0 && columns >= 0 && rows != columns)
		return call_bad(c, "matrices of %lld rows and %lld columns are not square", (long long)rows,
				(long long)columns);
	return 0;
}
