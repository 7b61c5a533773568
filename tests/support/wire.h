/* wire.h - protobuf messages by hand, field by field, for tests of what reads them. */
#ifndef TESTS_SUPPORT_WIRE_H
#define TESTS_SUPPORT_WIRE_H

#include "base/buf.h"
#include "tensor/io.h"

void wire_varint(struct buf *b, uint64_t v);
void wire_number(struct buf *b, unsigned id, uint64_t v);
void wire_block(struct buf *b, unsigned id, const void *data, size_t n);

/* pb_parse_value() of the bytes, which are released; the name is thrown away. */
int wire_parse(struct buf *b, enum value_kind kind, struct value **out, struct err *e);

/* A teardown: no tensor is left. */
int wire_nothing_is_live(void **state);

#endif
