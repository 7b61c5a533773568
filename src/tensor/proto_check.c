/* proto_check.c - see proto_check.h. */
#include "tensor/proto_check.h"

#include <string.h>

#include "base/mem.h"

/* What protobuf-c takes for each field beside the data: its note of where the field lies (less than 48 bytes), and the
 * pointer, length and heap header of a string. */
#define FIELD_COST 96
#define MAX_FIELDS 64 /* of one message type: one bit each */

/* Takes a note in *data, an int, when memory runs out: protobuf-c says no more than that it failed. */
static void *allocate(void *data, size_t n)
{
	void *p = mem_alloc(n);

	if (!p && data)
		*(int *)data = 1;
	return p;
}

static void release(void *data, void *p)
{
	(void)data;
	mem_free(p);
}

ProtobufCAllocator *proto_allocator(void)
{
	static ProtobufCAllocator a = {.alloc = allocate, .free = release};

	return &a;
}

void proto_reader_init(struct proto_reader *r, const void *data, size_t n)
{
	r->p = data;
	r->end = n ? r->p + n : r->p;
}

static int read_varint(struct proto_reader *r, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte;

		if (r->p == r->end)
			return -1;
		byte = *r->p++;
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = v;
			return 0;
		}
	}
	return -1;
}

static int read_fixed(struct proto_reader *r, size_t n, uint64_t *out)
{
	*out = 0;
	if ((size_t)(r->end - r->p) < n)
		return -1;
	memcpy(out, r->p, n); /* little endian, as the machine is: dtype.c insists */
	r->p += n;
	return 0;
}

static int read_block(struct proto_reader *r, struct proto_field *f)
{
	uint64_t n;

	if (read_varint(r, &n) || n > (uint64_t)(r->end - r->p))
		return -1;
	f->data = r->p;
	f->n = (size_t)n;
	r->p += n;
	return 0;
}

enum proto_step proto_next(struct proto_reader *r, struct proto_field *f)
{
	uint64_t tag;
	int rc;

	if (r->p == r->end)
		return PROTO_END;
	if (read_varint(r, &tag) || tag >> 3 == 0 || tag > UINT32_MAX)
		return PROTO_BAD;
	*f = (struct proto_field){.id = (uint32_t)(tag >> 3), .type = (ProtobufCWireType)(tag & 7)};
	switch (f->type) {
	case PROTOBUF_C_WIRE_TYPE_VARINT:
		rc = read_varint(r, &f->value);
		break;
	case PROTOBUF_C_WIRE_TYPE_64BIT:
		rc = read_fixed(r, 8, &f->value);
		break;
	case PROTOBUF_C_WIRE_TYPE_32BIT:
		rc = read_fixed(r, 4, &f->value);
		break;
	case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
		rc = read_block(r, f);
		break;
	default: /* groups, which ONNX never had */
		rc = -1;
	}
	return rc ? PROTO_BAD : PROTO_FIELD;
}

/* Bytes that one byte of a length-prefixed field may become: a packed list of varints may hold one in each byte. */
static size_t growth(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_UINT64:
		return 8;
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_ENUM:
	case PROTOBUF_C_TYPE_BOOL:
		return 4;
	default:
		return 1;
	}
}

struct proto_walk {
	size_t left; /* of PROTO_MAX_MEMORY */
	int max_depth;
	struct err *e;
};

static int check_message(struct proto_walk *c, const ProtobufCMessageDescriptor *d, const void *data, size_t n,
			 int depth);

static int charge(struct proto_walk *c, size_t bytes)
{
	if (bytes > c->left)
		return err_set(c->e, ERR_LIMIT, "unpacks to more than %zu bytes", PROTO_MAX_MEMORY);
	c->left -= bytes;
	return 0;
}

/* Fields are sorted by id. */
static const ProtobufCFieldDescriptor *field_of(const ProtobufCMessageDescriptor *d, uint32_t id)
{
	unsigned lo = 0, hi = d->n_fields;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (d->fields[mid].id == id)
			return &d->fields[mid];
		if (d->fields[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static int check_submessage(struct proto_walk *c, const ProtobufCMessageDescriptor *d,
			    const ProtobufCFieldDescriptor *fd, const struct proto_field *f, uint64_t *seen, int depth)
{
	uint64_t bit = UINT64_C(1) << (fd - d->fields);

	if (f->type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
		return err_set(c->e, ERR_INPUT, "field '%s' of %s is not a message", fd->name, d->short_name);
	if (fd->label != PROTOBUF_C_LABEL_REPEATED && *seen & bit)
		return err_set(c->e, ERR_INPUT, "field '%s' of %s is there twice", fd->name, d->short_name);
	*seen |= bit;
	return check_message(c, fd->descriptor, f->data, f->n, depth + 1);
}

static int check_message(struct proto_walk *c, const ProtobufCMessageDescriptor *d, const void *data, size_t n,
			 int depth)
{
	struct proto_reader r;
	struct proto_field f;
	uint64_t seen = 0;
	enum proto_step step;
	int rc;

	BUG_ON(d->n_fields > MAX_FIELDS);
	if (depth > c->max_depth)
		return err_set(c->e, ERR_LIMIT, "%s nested more than %d levels deep", d->short_name, c->max_depth);
	rc = charge(c, d->sizeof_message);
	proto_reader_init(&r, data, n);
	while (!rc && (step = proto_next(&r, &f)) != PROTO_END) {
		const ProtobufCFieldDescriptor *fd;
		size_t per_byte;

		if (step == PROTO_BAD)
			return err_set(c->e, ERR_INPUT, "damaged or cut off (in a %s), or not an ONNX file at all",
				       d->short_name);
		fd = field_of(d, f.id);
		per_byte = fd ? growth(fd->type) : 1;
		rc = charge(c, FIELD_COST);
		if (!rc && fd && fd->type == PROTOBUF_C_TYPE_MESSAGE)
			rc = check_submessage(c, d, fd, &f, &seen, depth);
		else if (!rc)
			rc = charge(c, f.n > SIZE_MAX / per_byte ? SIZE_MAX : f.n * per_byte);
	}
	return rc;
}

int proto_check(const ProtobufCMessageDescriptor *d, const void *data, size_t n, int max_depth, struct err *e)
{
	struct proto_walk c = {PROTO_MAX_MEMORY, max_depth, e};

	return check_message(&c, d, data, n, 1);
}

int proto_unpack(const ProtobufCMessageDescriptor *d, const void *data, size_t n, int max_depth, ProtobufCMessage **out,
		 struct err *e)
{
	int out_of_memory = 0;
	ProtobufCAllocator a = {allocate, release, &out_of_memory};
	ProtobufCMessage *m;
	int rc = proto_check(d, data, n, max_depth, e);

	if (rc)
		return rc;
	m = protobuf_c_message_unpack(d, &a, n, data);
	if (!m && out_of_memory)
		return err_nomem(e, d->short_name, n);
	if (!m)
		return err_set(e, ERR_INPUT, "not a valid %s", d->short_name);
	*out = m;
	return 0;
}
