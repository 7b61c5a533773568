/* processor.c - see processor.h. */
#include "base/processor.h"

#ifdef __x86_64__
#include <cpuid.h>

#define FEATURES 7         /* of these, the second table */
#define AVX_VNNI (1U << 4) /* a bit of it; compilers of 2022 have no name for this one */

int processor_has_vnni(void)
{
	unsigned a = 0, b, c, d;

	if (__builtin_cpu_supports("avx512vnni"))
		return 1;
	return __builtin_cpu_supports("avx2") && __get_cpuid_count(FEATURES, 1, &a, &b, &c, &d) && (a & AVX_VNNI);
}
#else
int processor_has_vnni(void)
{
	return 0;
}
#endif
