/* fuzz_npz.c - the .npz reader. */
#include <stdint.h>

#include "tensor/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tensor_set set = TENSOR_SET_INIT;
	struct err e = ERR_INIT;

	tensor_memory_set_cap((size_t)64 << 20);
	if (!npz_parse(data, size, &set, &e))
		tensor_set_release(&set);
	BUG_ON(tensor_memory_live());
	return 0;
}
