/* proto_check.h - protobuf messages from outside, before protobuf-c unpacks them.
 *
 * protobuf-c checks lengths, but it recurses as deep as the bytes ask for, merges a singular message that is repeated
 * in quadratic time, and turns two bytes of file into hundreds of bytes of memory.  proto_check() walks the bytes first
 * and refuses all three. */
#ifndef TENSOR_PROTO_CHECK_H
#define TENSOR_PROTO_CHECK_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PROTO_MAX_MEMORY ((size_t)16 << 30) /* most bytes a message may take once unpacked */

/* 0 when the n bytes are well-formed fields of message d, nested at most max_depth levels (1: no message inside), and
 * do not unpack to more than PROTO_MAX_MEMORY.  ERR_INPUT or ERR_LIMIT with the message and the field otherwise. */
int proto_check(const ProtobufCMessageDescriptor *d, const void *data, size_t n, int max_depth, struct err *e);

/* proto_check() and protobuf_c_message_unpack() together.  Free *out with
 * protobuf_c_message_free_unpacked(*out, proto_allocator()). */
int proto_unpack(const ProtobufCMessageDescriptor *d, const void *data, size_t n, int max_depth, ProtobufCMessage **out,
		 struct err *e);

/* mem_alloc() and mem_free() for protobuf-c. */
ProtobufCAllocator *proto_allocator(void);

/* Field by field, for messages protobuf-c has no descriptor of. */
struct proto_reader {
	const uint8_t *p, *end;
};

struct proto_field {
	uint32_t id;
	ProtobufCWireType type;
	uint64_t value;      /* varint and fixed fields */
	const uint8_t *data; /* length-prefixed fields */
	size_t n;
};

void proto_reader_init(struct proto_reader *r, const void *data, size_t n);

enum proto_step { PROTO_BAD = -1 /* the bytes are not a message */, PROTO_END, PROTO_FIELD };

/* The next field, into *f. */
enum proto_step proto_next(struct proto_reader *r, struct proto_field *f);

#endif
