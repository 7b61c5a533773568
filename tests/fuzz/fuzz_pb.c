/* fuzz_pb.c - the .pb reader.  The first byte picks tensor, sequence or optional: the bytes of a message do not. */
#include <stdint.h>

#include "base/mem.h"
#include "tensor/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum value_kind kinds[] = {VALUE_TENSOR, VALUE_SEQUENCE, VALUE_OPTIONAL};
	struct err e = ERR_INIT;
	struct tensor *wide;
	struct value *v;
	char *name;

	tensor_memory_set_cap((size_t)64 << 20);
	if (!size || pb_parse_value(data + 1, size - 1, kinds[data[0] % 3], &v, &name, &e))
		return 0;
	wide = v->tensor ? tensor_widen(v->tensor, &e) : NULL;
	tensor_unref(wide);
	value_unref(v);
	mem_free(name);
	BUG_ON(tensor_memory_live());
	return 0;
}
