/* exam_model.c - models and tensors that a worker is tried with (declared in internal_exam.h). */
#include <string.h>

#include "onnx-ml.pb-c.h"
#include "worker/parent/internal_exam.h"

#define MAX_RANK 4
#define OPSET 13
#define IR_VERSION 7

/* A value of a graph, with all the messages that it consists of. */
struct model_port {
	Onnx__ValueInfoProto info;
	Onnx__TypeProto type;
	Onnx__TypeProto__Tensor tensor;
	Onnx__TensorShapeProto shape;
	Onnx__TensorShapeProto__Dimension dims[MAX_RANK], *list[MAX_RANK];
	char names[MAX_RANK][2];
};

static Onnx__ValueInfoProto *make_port(struct model_port *p, char *name, enum dtype t, int rank)
{
	onnx__value_info_proto__init(&p->info);
	onnx__type_proto__init(&p->type);
	onnx__type_proto__tensor__init(&p->tensor);
	onnx__tensor_shape_proto__init(&p->shape);
	for (int i = 0; i < rank; i++) {
		p->names[i][0] = (char)('a' + i);
		p->names[i][1] = '\0';
		onnx__tensor_shape_proto__dimension__init(&p->dims[i]);
		p->dims[i].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
		p->dims[i].dim_param = p->names[i];
		p->list[i] = &p->dims[i];
	}
	p->shape.n_dim = (size_t)rank;
	p->shape.dim = p->list;
	p->tensor.has_elem_type = 1;
	p->tensor.elem_type = (int32_t)t;
	p->tensor.shape = &p->shape;
	p->type.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	p->type.tensor_type = &p->tensor;
	p->info.name = name;
	p->info.type = &p->type;
	return &p->info;
}

int exam_model(const char *op, const char *domain, enum dtype t, int rank, struct buf *out, struct err *e)
{
	char x[] = "x", y[] = "y", node_name[] = "n", graph_name[] = "g", none[] = "", *in[] = {x}, *made[] = {y};
	struct model_port from, to;
	Onnx__ValueInfoProto *inputs[] = {make_port(&from, x, t, rank)}, *outputs[] = {make_port(&to, y, t, rank)};
	Onnx__NodeProto node = ONNX__NODE_PROTO__INIT, *nodes[] = {&node};
	Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
	Onnx__OperatorSetIdProto onnx = ONNX__OPERATOR_SET_ID_PROTO__INIT, other = onnx, *opsets[] = {&onnx, &other};
	Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
	size_t n;

	node.n_input = node.n_output = 1;
	node.input = in;
	node.output = made;
	node.name = node_name;
	node.op_type = (char *)(uintptr_t)op;
	node.domain = (char *)(uintptr_t)domain;
	graph.name = graph_name;
	graph.n_node = graph.n_input = graph.n_output = 1;
	graph.node = nodes;
	graph.input = inputs;
	graph.output = outputs;
	onnx.domain = none;
	onnx.has_version = other.has_version = 1;
	onnx.version = OPSET;
	other.domain = node.domain;
	other.version = 1;
	model.has_ir_version = 1;
	model.ir_version = IR_VERSION;
	model.n_opset_import = *domain ? 2 : 1;
	model.opset_import = opsets;
	model.graph = &graph;
	n = onnx__model_proto__get_packed_size(&model);
	buf_clear(out);
	while (out->len < n && !out->failed)
		buf_add(out, "", 1);
	if (!out->failed)
		onnx__model_proto__pack(&model, (uint8_t *)out->data);
	return buf_check(out, e);
}

struct value *exam_value(enum dtype t, int rank, const int64_t *dims, struct err *e)
{
	struct tensor *wide = tensor_zeros(t, rank, dims, e), *packed = NULL;

	for (size_t i = 0; wide && i < wide->count; i++) {
		if (dtype_wide(t) == WIDE_F64)
			wide->f[i] = (double)(i % 50) / 4;
		else
			wide->i[i] = (int64_t)(i % 2);
	}
	packed = wide ? tensor_pack(wide, e) : NULL;
	tensor_unref(wide);
	return packed ? value_tensor(packed, e) : NULL;
}

int exam_same(const struct value *a, const struct value *b)
{
	const struct tensor *x = a->tensor, *y = b->tensor;

	return a->kind == VALUE_TENSOR && b->kind == VALUE_TENSOR && x->dtype == y->dtype && tensor_same_shape(x, y) &&
	       (!x->count || !memcmp(x->data, y->data, dtype_packed_size(x->dtype, x->count)));
}
