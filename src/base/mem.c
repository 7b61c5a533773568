/* mem.c - see mem.h. */
#include "base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MEM_ALIGN 64

static struct {
	size_t made;    /* allocations since mem_fail_after() */
	size_t fail_at; /* 0: never */
	int forever;
} fault;

static int fails(void)
{
	fault.made++;
	return fault.fail_at && (fault.made == fault.fail_at || (fault.forever && fault.made > fault.fail_at));
}

size_t mem_fail_after(size_t k, int forever)
{
	size_t made = fault.made;

	fault.made = 0;
	fault.fail_at = k;
	fault.forever = forever;
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

/* Tensors come and go by the megabyte.  Left alone, the C library returns each to the system and gets zeroed pages for
 * the next: a fifth of the time of a noisy run.  So it is told to keep what it has. */
static void keep_large_blocks(void)
{
	static int done;

	if (done)
		return;
	done = 1;
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void *mem_aligned(size_t n)
{
	if (fails() || n > SIZE_MAX - MEM_ALIGN)
		return NULL;
	keep_large_blocks();
	n = (n + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
	return aligned_alloc(MEM_ALIGN, n ? n : MEM_ALIGN);
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
