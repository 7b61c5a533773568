/* hash.h - FNV-1a, 64 bits: to tell texts and contents apart where nobody tries to make them collide. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* h, HASH_BEGIN or what came before, with n more bytes. */
static inline uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ c[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* A word at once: one multiplication in place of eight; the shift brings the high bits down, as bytes would. */
static inline uint64_t hash_number(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static inline uint64_t hash_text(const char *s)
{
	return hash_bytes(HASH_BEGIN, s, strlen(s));
}

#endif
