/* limits.h - what targets that run models may take: little, so that none takes long, on a busy machine in an
 * instrumented build either. */
#ifndef TESTS_FUZZ_LIMITS_H
#define TESTS_FUZZ_LIMITS_H

#include "reference/reference.h"

static inline void limits_set(void)
{
	tensor_memory_set_cap((size_t)64 << 20);
	ref_set_max_work(2e7);
}

#endif
