/* read_tensor.c - TensorProto and SparseTensorProto to tensors that the model holds.
 *
 * A message is made a tensor once: the body of a function is read again at every call, its constants are not. */
#include <stdio.h>
#include <string.h>

#include "model/read.h"
#include "tensor/io.h"

typedef int make_fn(struct reader *r, const void *message, struct tensor **out);

static int read_once(struct reader *r, const void *message, make_fn *make, struct tensor **out)
{
	struct tensor *t;
	char key[32];
	int rc;

	snprintf(key, sizeof key, "%p", message);
	t = map_get(&r->tensors, key);
	if (!t) {
		rc = make(r, message, &t);
		if (!rc)
			rc = model_hold(r->m, t, r->e);
		if (!rc && map_put(&r->tensors, key, t))
			rc = err_nomem(r->e, "a table of tensors", sizeof key);
		if (rc)
			return rc;
	}
	*out = t;
	return 0;
}

static int make_tensor(struct reader *r, const void *message, struct tensor **out)
{
	const Onnx__TensorProto *p = message;
	int rc;

	if (p->has_data_location && p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
		return external_load(r->folder, p, out, r->e);
	rc = tensor_from_proto(p, read_proto_unref, read_proto_ref(r->proto), out, r->e);
	if (rc)
		read_proto_unref(r->proto);
	return rc;
}

int read_tensor(struct reader *r, const Onnx__TensorProto *p, struct tensor **out)
{
	return read_once(r, p, make_tensor, out);
}

/* ---- sparse ------------------------------------------------------------------------------------------------------ */

/* Position in the dense tensor of value k: indices are [n], linear, or [n, rank], a coordinate each. */
static int sparse_position(const struct tensor *dense, const struct tensor *indices, size_t k, size_t *out,
			   struct err *e)
{
	const int64_t *at = indices->data;
	size_t position = 0;

	if (indices->rank == 1) {
		if (at[k] < 0 || (uint64_t)at[k] >= dense->count)
			return err_set(e, ERR_INPUT, "index %lld is outside of %zu elements", (long long)at[k],
				       dense->count);
		*out = (size_t)at[k];
		return 0;
	}
	for (int d = 0; d < dense->rank; d++) {
		int64_t i = at[k * (size_t)dense->rank + (size_t)d];

		if (i < 0 || i >= dense->dims[d])
			return err_set(e, ERR_INPUT, "index %lld is outside of dimension %d of size %lld", (long long)i,
				       d, (long long)dense->dims[d]);
		position = position * (size_t)dense->dims[d] + (size_t)i;
	}
	*out = position;
	return 0;
}

static int check_sparse(const struct tensor *values, const struct tensor *indices, int rank, struct err *e)
{
	char text[128];

	if (values->rank != 1)
		return err_set(e, ERR_INPUT, "values are %s, wanted one dimension",
			       tensor_describe(values, text, sizeof text));
	if (!dtype_bits(values->dtype) || dtype_bits(values->dtype) % 8)
		return err_set(e, ERR_UNSUPPORTED, "sparse values of type %s", dtype_name(values->dtype));
	if (indices->dtype != DT_INT64 || indices->rank < 1 || indices->rank > 2 ||
	    indices->dims[0] != values->dims[0] || (indices->rank == 2 && indices->dims[1] != rank))
		return err_set(e, ERR_INPUT, "indices are %s, which does not fit %lld values of rank %d",
			       tensor_describe(indices, text, sizeof text), (long long)values->dims[0], rank);
	return 0;
}

/* Puts the values where the indices, which must ascend, say. */
static int scatter(struct tensor *dense, const struct tensor *values, const struct tensor *indices, struct err *e)
{
	size_t size = dtype_bits(dense->dtype) / 8, position = 0, last = 0;

	memset(dense->data, 0, dense->count * size);
	for (size_t k = 0; k < values->count; k++) {
		int rc = sparse_position(dense, indices, k, &position, e);

		if (rc)
			return rc;
		if (k && position <= last)
			return err_set(e, ERR_INPUT, "indices do not ascend");
		memcpy((char *)dense->data + position * size, (const char *)values->data + k * size, size);
		last = position;
	}
	return 0;
}

static int make_dense(const Onnx__SparseTensorProto *p, const struct tensor *values, const struct tensor *indices,
		      struct tensor **out, struct err *e)
{
	struct tensor *dense;
	size_t count;
	int rc = check_sparse(values, indices, (int)p->n_dims, e);

	if (!rc)
		rc = tensor_shape_count((int)p->n_dims, p->dims, &count, e);
	if (rc)
		return rc;
	if (dtype_packed_size(values->dtype, count) > READ_MAX_SPARSE)
		return err_set(e, ERR_LIMIT, "%zu elements when made dense, more than the limit of %zu bytes", count,
			       READ_MAX_SPARSE);
	dense = tensor_new_packed(values->dtype, (int)p->n_dims, p->dims, e);
	if (!dense)
		return status_of(e);
	rc = scatter(dense, values, indices, e);
	if (rc)
		tensor_unref(dense);
	else
		*out = dense;
	return rc;
}

static int make_sparse(struct reader *r, const void *message, struct tensor **out)
{
	const Onnx__SparseTensorProto *p = message;
	struct tensor *values = NULL, *indices = NULL;
	int rc;

	if (!p->values || !p->indices)
		return err_set(r->e, ERR_INPUT, "a sparse tensor without %s", p->values ? "indices" : "values");
	if (p->n_dims > TENSOR_MAX_RANK)
		return err_set(r->e, ERR_LIMIT, "a sparse tensor of rank %zu, more than %d", p->n_dims,
			       TENSOR_MAX_RANK);
	rc = make_tensor(r, p->values, &values);
	if (!rc)
		rc = make_tensor(r, p->indices, &indices);
	if (!rc)
		rc = make_dense(p, values, indices, out, r->e);
	tensor_unref(values);
	tensor_unref(indices);
	return rc;
}

int read_sparse(struct reader *r, const Onnx__SparseTensorProto *p, struct tensor **out)
{
	return read_once(r, p, make_sparse, out);
}
