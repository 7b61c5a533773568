/* vec.c - see vec.h. */
#include "base/vec.h"

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

int vec_reserve_(void **at, size_t n, size_t *size, size_t item)
{
	size_t want = *size ? *size * 2 : 8;
	void *p;

	if (n < *size)
		return 0;
	if (want > SIZE_MAX / item)
		return ERR_MEMORY;
	p = mem_resize(*at, want * item);
	if (!p)
		return ERR_MEMORY;
	*at = p;
	*size = want;
	return 0;
}

void vec_release_(void **at, size_t *n, size_t *size)
{
	mem_free(*at);
	*at = NULL;
	*n = *size = 0;
}
