/* utf8.h - code points and UTF-8, strict: no surrogates, nothing above U+10FFFF, no longer form than needed. */
#ifndef TENSOR_UTF8_H
#define TENSOR_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes written to out (1 … 4); 0 when c is not a code point. */
size_t utf8_encode(uint32_t c, unsigned char out[4]);

/* Bytes of the first code point of the n bytes at p (1 … 4); 0 when they are not UTF-8. */
size_t utf8_decode(const char *p, size_t n, uint32_t *c);

/* True when all n bytes are UTF-8; *points is then how many code points they are. */
int utf8_count(const char *p, size_t n, size_t *points);

#endif
