/* write_attr.c - attributes to messages. */
#include <stdint.h>

#include "model/write.h"

#define KIND(x) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##x

static const int kind_of[] = {
	[ATTR_NONE] = KIND(UNDEFINED),  [ATTR_FLOAT] = KIND(FLOAT),   [ATTR_INT] = KIND(INT),
	[ATTR_STRING] = KIND(STRING),   [ATTR_TENSOR] = KIND(TENSOR), [ATTR_GRAPH] = KIND(GRAPH),
	[ATTR_FLOATS] = KIND(FLOATS),   [ATTR_INTS] = KIND(INTS),     [ATTR_STRINGS] = KIND(STRINGS),
	[ATTR_TENSORS] = KIND(TENSORS), [ATTR_GRAPHS] = KIND(GRAPHS), [ATTR_SPARSE] = KIND(SPARSE_TENSOR),
	[ATTR_TYPE] = KIND(TYPE_PROTO)};

static ProtobufCBinaryData bytes_of(struct bytes b)
{
	return (ProtobufCBinaryData){.len = b.n, .data = (uint8_t *)writer_text(b.p)};
}

static void write_floats(struct writer *w, const struct attr *a, Onnx__AttributeProto *p)
{
	p->n_floats = a->n;
	p->floats = writer_alloc(w, a->n, sizeof *p->floats);
	for (size_t i = 0; p->floats && i < a->n; i++)
		p->floats[i] = (float)a->floats[i];
}

static void write_strings(struct writer *w, const struct attr *a, Onnx__AttributeProto *p)
{
	p->n_strings = a->n;
	p->strings = writer_alloc(w, a->n, sizeof *p->strings);
	for (size_t i = 0; p->strings && i < a->n; i++)
		p->strings[i] = bytes_of(a->strings[i]);
}

static void write_tensors(struct writer *w, const struct attr *a, Onnx__AttributeProto *p)
{
	p->n_tensors = a->n;
	p->tensors = writer_alloc(w, a->n, sizeof *p->tensors);
	for (size_t i = 0; p->tensors && i < a->n; i++)
		p->tensors[i] = write_tensor(w, "", a->tensors[i]);
}

static void write_graphs(struct writer *w, const struct attr *a, Onnx__AttributeProto *p)
{
	p->n_graphs = a->n;
	p->graphs = writer_alloc(w, a->n, sizeof *p->graphs);
	for (size_t i = 0; p->graphs && i < a->n; i++)
		p->graphs[i] = write_graph(w, a->graphs[i]);
}

static void write_value(struct writer *w, const struct attr *a, const struct graph *g, Onnx__AttributeProto *p)
{
	switch (a->type) {
	case ATTR_FLOAT:
		p->has_f = 1;
		p->f = (float)a->f;
		break;
	case ATTR_INT:
		p->has_i = 1;
		p->i = a->i;
		break;
	case ATTR_STRING:
		p->has_s = 1;
		p->s = bytes_of(a->s);
		break;
	case ATTR_TENSOR:
		p->t = write_tensor(w, "", a->t);
		break;
	case ATTR_SPARSE:
		p->sparse_tensor = write_sparse(w, a->t);
		break;
	case ATTR_TYPE:
		p->tp = write_type(w, a->tp, g);
		if (!p->tp) /* a type of which nothing is known is a message all the same */
			p->tp = NEW(w, Onnx__TypeProto, ONNX__TYPE_PROTO__INIT);
		break;
	case ATTR_GRAPH:
		p->g = write_graph(w, a->g);
		break;
	case ATTR_FLOATS:
		write_floats(w, a, p);
		break;
	case ATTR_INTS:
		p->n_ints = a->n;
		p->ints = a->ints;
		break;
	case ATTR_STRINGS:
		write_strings(w, a, p);
		break;
	case ATTR_TENSORS:
		write_tensors(w, a, p);
		break;
	case ATTR_GRAPHS:
		write_graphs(w, a, p);
		break;
	case ATTR_NONE:
		break;
	}
}

Onnx__AttributeProto *write_attr(struct writer *w, const struct attr *a, const struct graph *g)
{
	Onnx__AttributeProto *p = NEW(w, Onnx__AttributeProto, ONNX__ATTRIBUTE_PROTO__INIT);

	if (!p)
		return NULL;
	p->name = writer_text(a->name);
	p->has_type = 1;
	p->type = (Onnx__AttributeProto__AttributeType)kind_of[a->type];
	write_value(w, a, g, p);
	return p;
}
