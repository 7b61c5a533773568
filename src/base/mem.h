/* mem.h - the only door to the heap.
 *
 * All allocations of the program go through here, so that tests can make the n-th one fail and see that nothing
 * crashes and nothing leaks.  Functions return NULL on failure and never abort; callers report ERR_MEMORY. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t n);                  /* uninitialised; n == 0 gives a unique pointer */
void *mem_zalloc(size_t n);                 /* zeroed */
void *mem_array(size_t count, size_t size); /* zeroed; NULL when count * size overflows */
void *mem_aligned(size_t n);                /* uninitialised, 64-byte aligned, for numeric buffers */
void *mem_resize(void *p, size_t n);        /* as realloc; p stays valid on failure */
char *mem_strdup(const char *s);
void mem_free(void *p); /* for all of the above; NULL is fine */

/* For the main() of a program that runs models; a library does not do this to its host.  Tensors come and go by the
 * megabyte: left alone, the C library returns each to the system and gets zeroed pages for the next, a fifth of the
 * time of a noisy run.  This tells it to keep what it has. */
void mem_keep_large(void);
/* … and this to return what is free now: for a process that goes on for days with little. */
void mem_give_back(void);

/* For tests: the k-th allocation from now on (1 = the next) fails, and all after it too when `forever`.
 * k = 0 switches this off.  Returns how many allocations were made since it was switched on. */
size_t mem_fail_after(size_t k, int forever);

#endif
