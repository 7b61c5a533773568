/* fuzz_npy.c - the .npy reader: what it accepts, the writer writes, and the reader takes that again. */
#include <stdint.h>

#include "tensor/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct tensor *t, *again;
	struct buf b;

	tensor_memory_set_cap((size_t)64 << 20);
	if (npy_parse(data, size, &t, &e))
		return 0;
	buf_init(&b, (size_t)64 << 20);
	if (!npy_write(t, &b, &e)) {
		BUG_ON(npy_parse(b.data, b.len, &again, &e));
		BUG_ON(again->dtype != t->dtype || !tensor_same_shape(again, t));
		tensor_unref(again);
	}
	buf_release(&b);
	tensor_unref(t);
	BUG_ON(tensor_memory_live());
	return 0;
}
