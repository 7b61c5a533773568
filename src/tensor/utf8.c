/* utf8.c - see utf8.h. */
#include "tensor/utf8.h"

static int is_code_point(uint32_t c)
{
	return c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

/* Bytes that code point c takes. */
static size_t length_of(uint32_t c)
{
	if (c < 0x80)
		return 1;
	if (c < 0x800)
		return 2;
	return c < 0x10000 ? 3 : 4;
}

size_t utf8_encode(uint32_t c, unsigned char out[4])
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = length_of(c);

	if (!is_code_point(c))
		return 0;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (unsigned char)(0x80 | (c & 0x3f));
	out[0] = (unsigned char)(lead[n] | c);
	return n;
}

size_t utf8_decode(const char *p, size_t n, uint32_t *c)
{
	unsigned char first = n ? (unsigned char)p[0] : 0xff;
	size_t len = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
	uint32_t v;

	if (!len || len > n)
		return 0;
	v = len == 1 ? first : first & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | ((unsigned char)p[i] & 0x3f);
	}
	if (!is_code_point(v) || length_of(v) != len)
		return 0;
	*c = v;
	return len;
}

int utf8_count(const char *p, size_t n, size_t *points)
{
	size_t count = 0;

	while (n) {
		uint32_t c;
		size_t len = utf8_decode(p, n, &c);

		if (!len)
			return 0;
		p += len;
		n -= len;
		count++;
	}
	*points = count;
	return 1;
}
