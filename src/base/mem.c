/* mem.c - see mem.h. */
#include "base/mem.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MEM_ALIGN 64

/* Threads share these; while no test has set them they cost one load. */
static struct {
	atomic_size_t fail_at; /* 0: never */
	atomic_size_t made;    /* allocations since mem_fail_after() set fail_at */
	atomic_int forever;
} fault;

static int fails(void)
{
	size_t at = atomic_load_explicit(&fault.fail_at, memory_order_relaxed), made;

	if (!at)
		return 0;
	made = atomic_fetch_add(&fault.made, 1) + 1;
	return made == at || (fault.forever && made > at);
}

size_t mem_fail_after(size_t k, int forever)
{
	size_t made = atomic_exchange(&fault.made, 0);

	fault.forever = forever;
	fault.fail_at = k;
	return made;
}

void *mem_alloc(size_t n)
{
	return fails() ? NULL : malloc(n ? n : 1);
}

void *mem_zalloc(size_t n)
{
	return mem_array(1, n);
}

void *mem_array(size_t count, size_t size)
{
	if (fails())
		return NULL;
	return count && size ? calloc(count, size) : calloc(1, 1);
}

void mem_keep_large(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void mem_give_back(void)
{
	malloc_trim(0);
}

void *mem_aligned(size_t n)
{
	void *p = NULL;

	/* not aligned_alloc(): of a size that is rounded up a sanitizer sees no read behind the end */
	return fails() || posix_memalign(&p, MEM_ALIGN, n ? n : 1) ? NULL : p;
}

void *mem_resize(void *p, size_t n)
{
	return fails() ? NULL : realloc(p, n ? n : 1);
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = mem_alloc(n);

	return copy ? memcpy(copy, s, n) : NULL;
}

void mem_free(void *p)
{
	free(p);
}
