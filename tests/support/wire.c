/* wire.c - see wire.h. */
#include "support/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

int wire_nothing_is_live(void **state)
{
	(void)state;
	assert_int_equal(tensor_memory_live(), 0);
	return 0;
}

void wire_varint(struct buf *b, uint64_t v)
{
	do {
		unsigned char byte = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));

		buf_add(b, &byte, 1);
		v >>= 7;
	} while (v);
}

void wire_number(struct buf *b, unsigned id, uint64_t v)
{
	wire_varint(b, id << 3);
	wire_varint(b, v);
}

void wire_block(struct buf *b, unsigned id, const void *data, size_t n)
{
	wire_varint(b, id << 3 | 2);
	wire_varint(b, n);
	buf_add(b, data, n);
}

int wire_parse(struct buf *b, enum value_kind kind, struct value **out, struct err *e)
{
	char *name = NULL;
	int rc = pb_parse_value(b->data, b->len, kind, out, &name, e);

	buf_release(b);
	mem_free(name);
	return rc;
}
