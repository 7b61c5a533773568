/* utf8.c - see utf8.h. */
#include "base/utf8.h"

static int is_scalar(int32_t c)
{
	return c >= 0 && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

size_t utf8_decode(const char *p, size_t n, int32_t *character)
{
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* smallest value that needs so many bytes */
	unsigned char lead = (unsigned char)p[0];
	size_t len = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
	int32_t c;

	*character = UTF8_INVALID;
	if (len == 1)
		*character = lead;
	if (len < 2 || len > n || lead >= 0xf8)
		return 1;
	c = lead & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || !is_scalar(c))
		return 1;
	*character = c;
	return len;
}

int utf8_count(const char *p, size_t n, size_t *count)
{
	size_t found = 0;

	for (size_t at = 0; at < n; found++) {
		int32_t c;

		at += utf8_decode(p + at, n - at, &c);
		if (c == UTF8_INVALID)
			return 0;
	}
	*count = found;
	return 1;
}

size_t utf8_encode(int32_t c, char out[UTF8_MAX_BYTES])
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (!is_scalar(c))
		return 0;
	if (len == 1) {
		out[0] = (char)c;
		return 1;
	}
	for (size_t i = len - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(lead[len] | c);
	return len;
}
