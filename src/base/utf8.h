/* utf8.h - one character at a time. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID (-1)
#define UTF8_MAX_BYTES 4

/* Reads the character at p (n > 0 bytes are there) and returns how many bytes it takes.  What is no shortest-form UTF-8
 * of a Unicode scalar value gives UTF8_INVALID and takes one byte. */
size_t utf8_decode(const char *p, size_t n, int32_t *character);

/* True when all n bytes are characters; *count is then how many. */
int utf8_count(const char *p, size_t n, size_t *count);

/* Writes a character; returns its bytes (0: no Unicode scalar value). */
size_t utf8_encode(int32_t character, char out[UTF8_MAX_BYTES]);

#endif
