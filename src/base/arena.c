/* arena.c - see arena.h.  A chain of blocks; each new one is at least twice the last, up to a megabyte. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define ARENA_ALIGN 16
#define ARENA_FIRST_BLOCK ((size_t)4096)
#define ARENA_LARGEST_STEP ((size_t)1 << 20)

struct arena_block {
	struct arena_block *next;
	size_t size, used; /* of data[] */
	_Alignas(ARENA_ALIGN) unsigned char data[];
};

void arena_init(struct arena *a, size_t cap)
{
	*a = (struct arena){NULL, 0, cap};
}

static void free_chain(struct arena_block *b)
{
	while (b) {
		struct arena_block *next = b->next;

		mem_free(b);
		b = next;
	}
}

void arena_release(struct arena *a)
{
	free_chain(a->blocks);
	arena_init(a, a->cap);
}

void arena_reset(struct arena *a)
{
	a->used = 0;
	if (!a->blocks)
		return;
	free_chain(a->blocks->next);
	a->blocks->next = NULL;
	a->blocks->used = 0;
}

static struct arena_block *add_block(struct arena *a, size_t n)
{
	size_t size = a->blocks ? a->blocks->size * 2 : ARENA_FIRST_BLOCK;
	struct arena_block *b;

	if (size > ARENA_LARGEST_STEP)
		size = ARENA_LARGEST_STEP;
	if (size < n)
		size = n;
	if (size > SIZE_MAX - sizeof *b)
		return NULL;
	b = mem_alloc(sizeof *b + size);
	if (!b)
		return NULL;
	*b = (struct arena_block){.next = a->blocks, .size = size};
	a->blocks = b;
	return b;
}

void *arena_alloc(struct arena *a, size_t n)
{
	struct arena_block *b = a->blocks;
	void *p;

	if (n > SIZE_MAX - ARENA_ALIGN)
		return NULL;
	n = (n + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	if (a->cap && n > a->cap - a->used)
		return NULL;
	if (!b || b->size - b->used < n)
		b = add_block(a, n);
	if (!b)
		return NULL;
	p = b->data + b->used;
	b->used += n;
	a->used += n;
	return p;
}

void *arena_zalloc(struct arena *a, size_t n)
{
	void *p = arena_alloc(a, n);

	return p ? memset(p, 0, n) : NULL;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	return arena_zalloc(a, count * size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *copy = n < SIZE_MAX ? arena_alloc(a, n + 1) : NULL;

	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	char *text = NULL;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0)
		text = arena_alloc(a, (size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return text;
}
