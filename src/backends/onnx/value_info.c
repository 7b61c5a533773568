/* value_info.c - a model without the declared types of its inner tensors, in subgraphs too; see onnx.h. */
#include "backends/onnx/onnx.h"
#include "tensor/proto_check.h"

#define MAX_DEPTH 128 /* of messages in messages; a graph in a graph takes three */

enum message { MODEL, GRAPH, NODE, ATTRIBUTE };

/* By message: the field to drop, and those that hold messages to look into (0: none). */
static const struct {
	uint32_t drop;
	struct {
		uint32_t id;
		enum message message;
	} inner[2];
} messages[] = {
	[MODEL] = {.inner = {{7, GRAPH}}},
	[GRAPH] = {.drop = 13, .inner = {{1, NODE}}},
	[NODE] = {.inner = {{5, ATTRIBUTE}}},
	[ATTRIBUTE] = {.inner = {{6, GRAPH}, {11, GRAPH}}},
};

static void put_varint(struct buf *out, uint64_t x)
{
	do {
		uint8_t byte = (uint8_t)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));

		buf_add(out, &byte, 1);
		x >>= 7;
	} while (x);
}

/* The message in a field, or -1. */
static int message_in(enum message m, const struct proto_field *f)
{
	for (int i = 0; i < 2 && f->type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED; i++)
		if (messages[m].inner[i].id == f->id)
			return (int)messages[m].inner[i].message;
	return -1;
}

static int copy_message(enum message m, const void *data, size_t n, int depth, struct buf *out, struct err *e);

static int copy_inner(enum message m, const struct proto_field *f, int depth, struct buf *out, struct err *e)
{
	struct buf inner;
	int rc;

	buf_init(&inner, ONNX_MAX_MODEL);
	rc = copy_message(m, f->data, f->n, depth + 1, &inner, e);
	put_varint(out, f->id << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
	put_varint(out, inner.len);
	buf_add(out, inner.data, inner.len);
	buf_release(&inner);
	return rc;
}

static int copy_message(enum message m, const void *data, size_t n, int depth, struct buf *out, struct err *e)
{
	struct proto_reader r;
	struct proto_field f;
	enum proto_step step = PROTO_BAD;
	int rc = depth < MAX_DEPTH ? 0 : err_set(e, ERR_INPUT, "graphs are nested too deep");

	if (rc)
		return rc;
	proto_reader_init(&r, data, n);
	for (const uint8_t *begin = r.p; !rc && (step = proto_next(&r, &f)) == PROTO_FIELD; begin = r.p) {
		int inner = message_in(m, &f);

		if (messages[m].drop && f.id == messages[m].drop)
			continue;
		if (inner >= 0)
			rc = copy_inner((enum message)inner, &f, depth, out, e);
		else
			buf_add(out, begin, (size_t)(r.p - begin));
	}
	if (!rc && step == PROTO_BAD)
		rc = err_set(e, ERR_INPUT, "not an ONNX model, damaged, or cut off");
	return rc ? rc : buf_check(out, e);
}

int onnx_drop_value_info(const void *model, size_t n, struct buf *out, struct err *e)
{
	return copy_message(MODEL, model, n, 0, out, e);
}
