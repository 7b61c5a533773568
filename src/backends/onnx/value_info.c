/* value_info.c - a model without the declared types of its inner tensors; see onnx.h. */
#include "backends/onnx/onnx.h"
#include "tensor/proto_check.h"

enum { MODEL_GRAPH = 7, GRAPH_VALUE_INFO = 13 };

static void put_varint(struct buf *out, uint64_t x)
{
	do {
		uint8_t byte = (uint8_t)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));

		buf_add(out, &byte, 1);
		x >>= 7;
	} while (x);
}

/* The fields of the message but those called `drop`. */
static int copy_fields(const void *data, size_t n, uint32_t drop, struct buf *out, struct err *e)
{
	struct proto_reader r;
	struct proto_field f;
	enum proto_step step;

	proto_reader_init(&r, data, n);
	for (const uint8_t *begin = r.p; (step = proto_next(&r, &f)) == PROTO_FIELD; begin = r.p)
		if (f.id != drop)
			buf_add(out, begin, (size_t)(r.p - begin));
	return step == PROTO_BAD ? err_set(e, ERR_INPUT, "malformed or cut off: this is no ONNX model")
				 : buf_check(out, e);
}

/* A graph in pieces is one graph to protobuf: each is copied where it stands. */
static int copy_graphs(const void *data, size_t n, struct buf *out, struct err *e)
{
	struct proto_reader r;
	struct proto_field f;
	struct buf graph;
	int rc = 0;

	buf_init(&graph, ONNX_MAX_MODEL);
	proto_reader_init(&r, data, n);
	while (!rc && proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id != MODEL_GRAPH || f.type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
			continue;
		buf_clear(&graph);
		rc = copy_fields(f.data, f.n, GRAPH_VALUE_INFO, &graph, e);
		put_varint(out, MODEL_GRAPH << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
		put_varint(out, graph.len);
		buf_add(out, graph.data, graph.len);
	}
	buf_release(&graph);
	return rc ? rc : buf_check(out, e);
}

int onnx_drop_value_info(const void *model, size_t n, struct buf *out, struct err *e)
{
	int rc = copy_fields(model, n, MODEL_GRAPH, out, e);

	return rc ? rc : copy_graphs(model, n, out, e);
}
