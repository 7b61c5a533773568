/* write_value.c - types and tensors to messages. */
#include <stdint.h>
#include <string.h>

#include "model/write.h"

static Onnx__TensorShapeProto__Dimension *write_dim(struct writer *w, int64_t d, const struct graph *g)
{
	Onnx__TensorShapeProto__Dimension *p =
		NEW(w, Onnx__TensorShapeProto__Dimension, ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT);

	if (!p || d == DIM_UNKNOWN)
		return p;
	if (d >= 0) {
		p->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		p->dim_value = d;
	} else if (DIM_SYMBOL_INDEX(d) < g->model->symbols.n) {
		p->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
		p->dim_param = writer_text(g->model->symbols.at[DIM_SYMBOL_INDEX(d)]);
	}
	return p;
}

static Onnx__TensorShapeProto *write_shape(struct writer *w, const struct type *t, const struct graph *g)
{
	Onnx__TensorShapeProto *p = NEW(w, Onnx__TensorShapeProto, ONNX__TENSOR_SHAPE_PROTO__INIT);

	if (!p)
		return NULL;
	p->n_dim = (size_t)t->rank;
	p->dim = writer_alloc(w, p->n_dim, sizeof *p->dim);
	for (int i = 0; p->dim && i < t->rank; i++)
		p->dim[i] = write_dim(w, t->dims[i], g);
	return p;
}

static void write_tensor_type(struct writer *w, const struct type *t, const struct graph *g, Onnx__TypeProto *out)
{
	Onnx__TypeProto__Tensor *p = NEW(w, Onnx__TypeProto__Tensor, ONNX__TYPE_PROTO__TENSOR__INIT);

	out->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	out->tensor_type = p;
	if (!p)
		return;
	p->has_elem_type = 1;
	p->elem_type = (int32_t)t->dtype;
	if (t->rank >= 0)
		p->shape = write_shape(w, t, g);
}

static void write_sequence_type(struct writer *w, const struct type *t, const struct graph *g, Onnx__TypeProto *out)
{
	Onnx__TypeProto__Sequence *p = NEW(w, Onnx__TypeProto__Sequence, ONNX__TYPE_PROTO__SEQUENCE__INIT);

	out->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
	out->sequence_type = p;
	if (p && t->elem)
		p->elem_type = write_type(w, t->elem, g);
}

static void write_optional_type(struct writer *w, const struct type *t, const struct graph *g, Onnx__TypeProto *out)
{
	Onnx__TypeProto__Optional *p = NEW(w, Onnx__TypeProto__Optional, ONNX__TYPE_PROTO__OPTIONAL__INIT);

	out->value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
	out->optional_type = p;
	if (p && t->elem)
		p->elem_type = write_type(w, t->elem, g);
}

static void write_map_type(struct writer *w, const struct type *t, const struct graph *g, Onnx__TypeProto *out)
{
	Onnx__TypeProto__Map *p = NEW(w, Onnx__TypeProto__Map, ONNX__TYPE_PROTO__MAP__INIT);
	struct type value = TYPE_INIT;

	out->value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
	out->map_type = p;
	if (!p)
		return;
	value.kind = VALUE_TENSOR;
	value.dtype = t->dtype;
	p->has_key_type = 1;
	p->key_type = (int32_t)t->key;
	p->value_type = write_type(w, t->elem ? t->elem : &value, g);
}

Onnx__TypeProto *write_type(struct writer *w, const struct type *t, const struct graph *g)
{
	static void (*const by_kind[])(struct writer *, const struct type *, const struct graph *,
				       Onnx__TypeProto *) = {[VALUE_TENSOR] = write_tensor_type,
							     [VALUE_SEQUENCE] = write_sequence_type,
							     [VALUE_OPTIONAL] = write_optional_type,
							     [VALUE_MAP] = write_map_type};
	Onnx__TypeProto *p = t->kind == VALUE_NONE ? NULL : NEW(w, Onnx__TypeProto, ONNX__TYPE_PROTO__INIT);

	if (p)
		by_kind[t->kind](w, t, g, p);
	return p;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static void write_strings(struct writer *w, const struct tensor *t, Onnx__TensorProto *p)
{
	p->n_string_data = t->count;
	p->string_data = writer_alloc(w, t->count, sizeof *p->string_data);
	for (size_t i = 0; p->string_data && i < t->count; i++) {
		p->string_data[i].data = (uint8_t *)writer_text(t->s[i].p);
		p->string_data[i].len = t->s[i].n;
	}
}

Onnx__TensorProto *write_tensor(struct writer *w, const char *name, const struct tensor *t)
{
	Onnx__TensorProto *p = NEW(w, Onnx__TensorProto, ONNX__TENSOR_PROTO__INIT);

	if (!p)
		return NULL;
	BUG_ON(t->wide && t->dtype != DT_STRING);
	p->name = writer_text(name);
	p->has_data_type = 1;
	p->data_type = (int32_t)t->dtype;
	p->n_dims = (size_t)t->rank;
	p->dims = (int64_t *)(uintptr_t)t->dims;
	if (t->dtype == DT_STRING) {
		write_strings(w, t, p);
	} else {
		p->has_raw_data = 1;
		p->raw_data.data = t->data;
		p->raw_data.len = dtype_packed_size(t->dtype, t->count);
	}
	return p;
}

/* A sparse tensor was made dense when it was read: now each element is a value of its own. */
Onnx__SparseTensorProto *write_sparse(struct writer *w, const struct tensor *t)
{
	Onnx__SparseTensorProto *p = NEW(w, Onnx__SparseTensorProto, ONNX__SPARSE_TENSOR_PROTO__INIT);
	int64_t *count = writer_alloc(w, 1, sizeof *count), *index = writer_alloc(w, t->count, sizeof *index);

	if (!p || !count || !index)
		return NULL;
	*count = (int64_t)t->count;
	p->n_dims = (size_t)t->rank;
	p->dims = (int64_t *)(uintptr_t)t->dims;
	p->values = write_tensor(w, "", t);
	p->indices = NEW(w, Onnx__TensorProto, ONNX__TENSOR_PROTO__INIT);
	if (!p->values || !p->indices)
		return NULL;
	p->values->n_dims = p->indices->n_dims = 1;
	p->values->dims = p->indices->dims = count;
	p->indices->has_data_type = 1;
	p->indices->data_type = DT_INT64;
	p->indices->n_int64_data = t->count;
	p->indices->int64_data = index;
	for (size_t i = 0; i < t->count; i++)
		index[i] = (int64_t)i;
	return p;
}
