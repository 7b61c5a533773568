/* read_type.c - TypeProto to struct type. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/read.h"

static int read_dtype(struct reader *r, int has, int32_t code, enum dtype *out)
{
	*out = has ? dtype_from_code(code) : DT_UNDEFINED;
	if (*out == DT_UNDEFINED && has && code)
		return err_set(r->e, ERR_UNSUPPORTED, "unknown element type %d", (int)code);
	return 0;
}

/* Symbols of a function's body are its own in each call, so they get the prefix of the call. */
static int read_symbol(struct reader *r, const char *name, const char *prefix, int64_t *out)
{
	size_t size = strlen(prefix) + strlen(name) + 1;
	char *full = mem_alloc(size);
	uintptr_t known;
	int64_t k;
	int rc = 0;

	if (!full)
		return err_nomem(r->e, "a dimension's name", size);
	snprintf(full, size, "%s%s", prefix, name);
	known = (uintptr_t)map_get(&r->symbols, full);
	k = known ? (int64_t)known - 1 : model_symbol(r->m, full);
	if (k == ERR_LIMIT)
		rc = err_set(r->e, ERR_LIMIT, "more than %d symbolic dimensions", MODEL_MAX_SYMBOLS);
	else if (k < 0)
		rc = err_nomem(r->e, "a dimension's name", size);
	else if (!known && map_put(&r->symbols, full, (void *)(uintptr_t)(k + 1)))
		rc = err_nomem(r->e, "a dimension's name", size);
	mem_free(full);
	if (!rc)
		*out = DIM_SYMBOL(k);
	return rc;
}

static int read_dim(struct reader *r, const Onnx__TensorShapeProto__Dimension *d, const char *prefix, int64_t *out)
{
	int rc;

	*out = DIM_UNKNOWN;
	switch (d->value_case) {
	case ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE:
		/* exporters write -1 for a dimension they do not know */
		if (d->dim_value < -1)
			return err_set(r->e, ERR_INPUT, "a dimension of size %lld", (long long)d->dim_value);
		*out = d->dim_value;
		return 0;
	case ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM:
		rc = read_name(r, d->dim_param, "a dimension's name");
		return rc || !*read_text(d->dim_param) ? rc : read_symbol(r, d->dim_param, prefix, out);
	default:
		return 0;
	}
}

static int read_shape(struct reader *r, const Onnx__TensorShapeProto *p, const char *prefix, struct type *out)
{
	int rc = 0;

	out->rank = -1;
	if (!p)
		return 0;
	if (p->n_dim > TENSOR_MAX_RANK)
		return err_set(r->e, ERR_LIMIT, "a shape of rank %zu, more than %d", p->n_dim, TENSOR_MAX_RANK);
	out->rank = (int)p->n_dim;
	for (size_t i = 0; i < p->n_dim && !rc; i++)
		rc = read_dim(r, p->dim[i], prefix, &out->dims[i]);
	return rc;
}

static int read_nested(struct reader *r, const Onnx__TypeProto *p, const char *prefix, int depth, struct type *out);

static int read_elem(struct reader *r, const Onnx__TypeProto *p, const char *prefix, int depth, struct type *out)
{
	struct type *elem;
	int rc;

	if (!p)
		return 0;
	elem = model_carve(r->m, 1, sizeof *elem, "a type", r->e);
	if (!elem)
		return status_of(r->e);
	rc = read_nested(r, p, prefix, depth + 1, elem);
	out->elem = elem;
	out->dtype = elem->dtype;
	return rc;
}

static int read_map(struct reader *r, const Onnx__TypeProto__Map *p, const char *prefix, int depth, struct type *out)
{
	int rc = read_dtype(r, p->has_key_type, p->key_type, &out->key);

	out->kind = VALUE_MAP;
	return rc ? rc : read_elem(r, p->value_type, prefix, depth, out);
}

static int read_nested(struct reader *r, const Onnx__TypeProto *p, const char *prefix, int depth, struct type *out)
{
	int rc;

	*out = (struct type)TYPE_INIT;
	if (depth > MODEL_MAX_DEPTH)
		return err_set(r->e, ERR_LIMIT, "types nested deeper than %d", MODEL_MAX_DEPTH);
	switch (p->value_case) {
	case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
		out->kind = VALUE_TENSOR;
		rc = read_dtype(r, p->tensor_type->has_elem_type, p->tensor_type->elem_type, &out->dtype);
		return rc ? rc : read_shape(r, p->tensor_type->shape, prefix, out);
	case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE: /* sparse tensors are made dense */
		out->kind = VALUE_TENSOR;
		rc = read_dtype(r, p->sparse_tensor_type->has_elem_type, p->sparse_tensor_type->elem_type, &out->dtype);
		return rc ? rc : read_shape(r, p->sparse_tensor_type->shape, prefix, out);
	case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
		out->kind = VALUE_SEQUENCE;
		return read_elem(r, p->sequence_type->elem_type, prefix, depth, out);
	case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
		out->kind = VALUE_OPTIONAL;
		return read_elem(r, p->optional_type->elem_type, prefix, depth, out);
	case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
		return read_map(r, p->map_type, prefix, depth, out);
	case ONNX__TYPE_PROTO__VALUE_OPAQUE_TYPE:
		return err_set(r->e, ERR_UNSUPPORTED, "an opaque type");
	default:
		return 0;
	}
}

int read_type(struct reader *r, const Onnx__TypeProto *p, const char *prefix, struct type *out)
{
	return read_nested(r, p, prefix, 0, out);
}
