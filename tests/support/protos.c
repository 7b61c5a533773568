/* protos.c - see protos.h. */
#include "support/protos.h"

#include <stdlib.h>
#include <string.h>

#define NEW(b, type, init) ((type *)keep(b, &(type)init, sizeof(type)))

static void *take(struct protos *b, size_t n)
{
	void *p = arena_zalloc(&b->arena, n);

	BUG_ON(!p);
	return p;
}

static void *keep(struct protos *b, const void *p, size_t n)
{
	return memcpy(take(b, n), p, n);
}

/* An array one longer, with `item` at its end. */
static void *append(struct protos *b, void *list, size_t *n, void *item)
{
	void **grown = take(b, (*n + 1) * sizeof *grown);

	if (*n)
		memcpy(grown, list, *n * sizeof *grown);
	grown[(*n)++] = item;
	return grown;
}

static char *text(struct protos *b, const char *s)
{
	char *copy = arena_strdup(&b->arena, s);

	BUG_ON(!copy);
	return copy;
}

static char **split(struct protos *b, const char *list, size_t *n)
{
	char **out = NULL;

	*n = 0;
	while (*list) {
		size_t length = strcspn(list, ",");

		out = append(b, out, n, arena_strndup(&b->arena, list, length));
		list += length + (list[length] == ',');
	}
	return out;
}

void protos_init(struct protos *b)
{
	arena_init(&b->arena, 0);
}

void protos_release(struct protos *b)
{
	arena_release(&b->arena);
}

Onnx__GraphProto *protos_graph(struct protos *b, const char *name)
{
	Onnx__GraphProto *g = NEW(b, Onnx__GraphProto, ONNX__GRAPH_PROTO__INIT);

	g->name = text(b, name);
	return g;
}

static Onnx__OperatorSetIdProto *make_import(struct protos *b, const char *domain, int64_t version)
{
	Onnx__OperatorSetIdProto *o = NEW(b, Onnx__OperatorSetIdProto, ONNX__OPERATOR_SET_ID_PROTO__INIT);

	o->domain = text(b, domain);
	o->has_version = 1;
	o->version = version;
	return o;
}

void protos_import(struct protos *b, Onnx__ModelProto *m, const char *domain, int64_t version)
{
	m->opset_import = append(b, m->opset_import, &m->n_opset_import, make_import(b, domain, version));
}

Onnx__ModelProto *protos_model(struct protos *b, int64_t ir, int64_t opset)
{
	Onnx__ModelProto *m = NEW(b, Onnx__ModelProto, ONNX__MODEL_PROTO__INIT);

	m->has_ir_version = 1;
	m->ir_version = ir;
	m->graph = protos_graph(b, "g");
	if (opset)
		protos_import(b, m, "", opset);
	return m;
}

Onnx__NodeProto *protos_make_node(struct protos *b, const char *op, const char *in, const char *out)
{
	Onnx__NodeProto *n = NEW(b, Onnx__NodeProto, ONNX__NODE_PROTO__INIT);

	n->op_type = text(b, op);
	n->input = split(b, in, &n->n_input);
	n->output = split(b, out, &n->n_output);
	return n;
}

Onnx__NodeProto *protos_node(struct protos *b, Onnx__GraphProto *g, const char *op, const char *in, const char *out)
{
	Onnx__NodeProto *n = protos_make_node(b, op, in, out);

	g->node = append(b, g->node, &g->n_node, n);
	return n;
}

static Onnx__TensorShapeProto__Dimension *make_dim(struct protos *b, char *dim)
{
	Onnx__TensorShapeProto__Dimension *d =
		NEW(b, Onnx__TensorShapeProto__Dimension, ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT);
	char *end;
	long long x = strtoll(dim, &end, 10);

	if (*end || end == dim) {
		d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
		d->dim_param = dim;
	} else {
		d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		d->dim_value = x;
	}
	return d;
}

Onnx__TypeProto *protos_type(struct protos *b, int32_t elem, const char *dims)
{
	Onnx__TypeProto *p = NEW(b, Onnx__TypeProto, ONNX__TYPE_PROTO__INIT);
	char **list;
	size_t n;

	p->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	p->tensor_type = NEW(b, Onnx__TypeProto__Tensor, ONNX__TYPE_PROTO__TENSOR__INIT);
	p->tensor_type->has_elem_type = 1;
	p->tensor_type->elem_type = elem;
	if (!dims)
		return p;
	p->tensor_type->shape = NEW(b, Onnx__TensorShapeProto, ONNX__TENSOR_SHAPE_PROTO__INIT);
	list = split(b, dims, &n);
	for (size_t i = 0; i < n; i++)
		p->tensor_type->shape->dim =
			append(b, p->tensor_type->shape->dim, &p->tensor_type->shape->n_dim, make_dim(b, list[i]));
	return p;
}

static Onnx__ValueInfoProto *make_info(struct protos *b, const char *name, const char *dims)
{
	Onnx__ValueInfoProto *v = NEW(b, Onnx__ValueInfoProto, ONNX__VALUE_INFO_PROTO__INIT);

	v->name = text(b, name);
	v->type = protos_type(b, DT_FLOAT, dims);
	return v;
}

Onnx__ValueInfoProto *protos_input(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims)
{
	Onnx__ValueInfoProto *v = make_info(b, name, dims);

	g->input = append(b, g->input, &g->n_input, v);
	return v;
}

Onnx__ValueInfoProto *protos_output(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims)
{
	Onnx__ValueInfoProto *v = make_info(b, name, dims);

	g->output = append(b, g->output, &g->n_output, v);
	return v;
}

Onnx__ValueInfoProto *protos_value_info(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims)
{
	Onnx__ValueInfoProto *v = make_info(b, name, dims);

	g->value_info = append(b, g->value_info, &g->n_value_info, v);
	return v;
}

Onnx__TensorProto *protos_tensor(struct protos *b, const char *name, const char *dims)
{
	Onnx__TensorProto *t = NEW(b, Onnx__TensorProto, ONNX__TENSOR_PROTO__INIT);
	char **list = split(b, dims, &t->n_dims);
	size_t count = 1;
	float *data;

	t->name = text(b, name);
	t->has_data_type = 1;
	t->data_type = DT_FLOAT;
	t->dims = take(b, t->n_dims * sizeof *t->dims + 1);
	for (size_t i = 0; i < t->n_dims; i++) {
		t->dims[i] = strtoll(list[i], NULL, 10);
		count *= (size_t)t->dims[i];
	}
	data = take(b, count * sizeof *data + 1);
	for (size_t i = 0; i < count; i++)
		data[i] = (float)i;
	t->has_raw_data = 1;
	t->raw_data.data = (uint8_t *)data;
	t->raw_data.len = count * sizeof *data;
	return t;
}

Onnx__TensorProto *protos_init_tensor(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims)
{
	Onnx__TensorProto *t = protos_tensor(b, name, dims);

	g->initializer = append(b, g->initializer, &g->n_initializer, t);
	return t;
}

void protos_external(struct protos *b, Onnx__TensorProto *t, const char *key, const char *value)
{
	Onnx__StringStringEntryProto *s = NEW(b, Onnx__StringStringEntryProto, ONNX__STRING_STRING_ENTRY_PROTO__INIT);

	s->key = text(b, key);
	s->value = text(b, value);
	t->has_data_location = 1;
	t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
	t->has_raw_data = 0;
	t->external_data = append(b, t->external_data, &t->n_external_data, s);
}

Onnx__ModelProto *protos_example(struct protos *b)
{
	Onnx__ModelProto *p = protos_model(b, 8, 17);

	protos_input(b, p->graph, "x", "2");
	protos_init_tensor(b, p->graph, "w", "2");
	protos_node(b, p->graph, "Add", "x,w", "y");
	protos_output(b, p->graph, "y", "2");
	return p;
}

static Onnx__AttributeProto *make_attr(struct protos *b, const char *name, int type)
{
	Onnx__AttributeProto *a = NEW(b, Onnx__AttributeProto, ONNX__ATTRIBUTE_PROTO__INIT);

	a->name = text(b, name);
	a->has_type = type != 0;
	a->type = (Onnx__AttributeProto__AttributeType)type;
	return a;
}

Onnx__AttributeProto *protos_attr(struct protos *b, Onnx__NodeProto *n, const char *name, int type)
{
	Onnx__AttributeProto *a = make_attr(b, name, type);

	n->attribute = append(b, n->attribute, &n->n_attribute, a);
	return a;
}

void protos_attr_int(struct protos *b, Onnx__NodeProto *n, const char *name, int64_t x)
{
	Onnx__AttributeProto *a = protos_attr(b, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	a->has_i = 1;
	a->i = x;
}

void protos_attr_graph(struct protos *b, Onnx__NodeProto *n, const char *name, Onnx__GraphProto *g)
{
	protos_attr(b, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH)->g = g;
}

void protos_attr_ref(struct protos *b, Onnx__NodeProto *n, const char *name, int type, const char *ref)
{
	protos_attr(b, n, name, type)->ref_attr_name = text(b, ref);
}

Onnx__FunctionProto *protos_function(struct protos *b, Onnx__ModelProto *m, const char *domain, const char *name,
				     const char *in, const char *out, int64_t opset)
{
	Onnx__FunctionProto *f = NEW(b, Onnx__FunctionProto, ONNX__FUNCTION_PROTO__INIT);

	f->domain = text(b, domain);
	f->name = text(b, name);
	f->input = split(b, in, &f->n_input);
	f->output = split(b, out, &f->n_output);
	if (opset)
		f->opset_import = append(b, f->opset_import, &f->n_opset_import, make_import(b, "", opset));
	m->functions = append(b, m->functions, &m->n_functions, f);
	return f;
}

Onnx__NodeProto *protos_body(struct protos *b, Onnx__FunctionProto *f, const char *op, const char *in, const char *out)
{
	Onnx__NodeProto *n = protos_make_node(b, op, in, out);

	f->node = append(b, f->node, &f->n_node, n);
	return n;
}

void protos_function_attr(struct protos *b, Onnx__FunctionProto *f, const char *name)
{
	f->attribute = append(b, f->attribute, &f->n_attribute, text(b, name));
}

Onnx__AttributeProto *protos_function_default(struct protos *b, Onnx__FunctionProto *f, const char *name, int64_t x)
{
	Onnx__AttributeProto *a = make_attr(b, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

	a->has_i = 1;
	a->i = x;
	f->attribute_proto = append(b, f->attribute_proto, &f->n_attribute_proto, a);
	return a;
}

uint8_t *protos_pack(struct protos *b, const Onnx__ModelProto *m, size_t *n)
{
	uint8_t *data;

	*n = onnx__model_proto__get_packed_size(m);
	data = take(b, *n + 1);
	onnx__model_proto__pack(m, data);
	return data;
}

int protos_parse(const Onnx__ModelProto *m, struct model **out, struct err *e)
{
	struct protos tmp;
	uint8_t *data;
	size_t n;
	int rc;

	protos_init(&tmp);
	data = protos_pack(&tmp, m, &n);
	rc = model_parse(data, n, "t.onnx", out, e);
	protos_release(&tmp);
	return rc;
}
