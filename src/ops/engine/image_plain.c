/* image_plain.c - images without compression: BMP, and the portable formats PBM, PGM and PPM.  See image_file.h. */
#include <string.h>

#include "base/mem.h"
#include "ops/engine/image_file.h"

int image_new(struct image *m, size_t width, size_t height, struct err *e)
{
	if (width && height > IMAGE_MAX_PIXELS / width)
		return err_set(e, ERR_LIMIT, "an image of %zu x %zu pixels is too large", width, height);
	m->rgb = mem_zalloc(3 * width * height);
	if (!m->rgb)
		return err_nomem(e, "an image", 3 * width * height);
	m->width = width;
	m->height = height;
	return 0;
}

/* ---- PBM, PGM, PPM ----------------------------------------------------------------------------------------------- */

struct pnm {
	const unsigned char *p, *end;
	int binary, bits, channels; /* bits: one a pixel, and 1 is black */
	unsigned max;
};

static int is_space(int ch)
{
	return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

/* The next decimal number, behind white space and comments; with `digits` at most so many.  0: none there. */
static int next_number(struct pnm *s, int digits, unsigned *out)
{
	unsigned x = 0;
	int n = 0;

	while (s->p < s->end && (is_space(*s->p) || *s->p == '#')) {
		if (*s->p == '#')
			while (s->p < s->end && *s->p != '\n' && *s->p != '\r')
				s->p++;
		else
			s->p++;
	}
	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9' && n < digits; n++)
		x = 10 * x + (unsigned)(*s->p++ - '0');
	*out = x;
	return n > 0;
}

/* One sample, 0 … 255; 0 when the data end. */
static int next_sample(struct pnm *s, size_t x, unsigned char *out)
{
	unsigned v;

	if (!s->binary) {
		if (!next_number(s, s->bits ? 1 : 9, &v))
			return 0;
	} else if (s->bits) {
		if (s->p >= s->end)
			return 0;
		v = *s->p >> (7 - x % 8) & 1;
		s->p += x % 8 == 7;
	} else {
		if (s->end - s->p < (s->max > 255 ? 2 : 1))
			return 0;
		v = *s->p++;
		if (s->max > 255)
			v = v << 8 | *s->p++;
	}
	if (v > s->max)
		return 0;
	*out = (unsigned char)((255 * v + s->max / 2) / s->max);
	if (s->bits)
		*out = (unsigned char)(255 - *out);
	return 1;
}

static int pnm_pixels(struct pnm *s, const struct image *m)
{
	unsigned char *to = m->rgb;

	for (size_t y = 0; y < m->height; y++) {
		for (size_t x = 0; x < m->width; x++, to += 3) {
			for (int k = 0; k < s->channels; k++)
				if (!next_sample(s, x, &to[k]))
					return 0;
			if (s->channels == 1)
				to[1] = to[2] = to[0];
		}
		s->p += s->binary && s->bits && m->width % 8; /* a row ends with its byte */
	}
	return 1;
}

enum image_result image_pnm(const unsigned char *p, size_t n, struct image *out, struct err *e)
{
	struct pnm s = {.p = p + 2, .end = p + n, .max = 1};
	unsigned width, height;
	struct image m;

	if (n < 3 || p[0] != 'P' || p[1] < '1' || p[1] > '6')
		return IMAGE_CORRUPT;
	s.binary = p[1] >= '4';
	s.bits = p[1] == '1' || p[1] == '4';
	s.channels = p[1] == '3' || p[1] == '6' ? 3 : 1;
	if (!next_number(&s, 9, &width) || !next_number(&s, 9, &height) || (!s.bits && !next_number(&s, 9, &s.max)))
		return IMAGE_CORRUPT;
	if (!width || !height || !s.max || s.max > 65535 || s.p >= s.end || !is_space(*s.p++))
		return IMAGE_CORRUPT;
	/* Every sample takes a bit at least: a header alone cannot ask for much memory. */
	if ((uint64_t)width * height / 8 > n)
		return IMAGE_CORRUPT;
	if (image_new(&m, width, height, e))
		return IMAGE_FAILED;
	if (!pnm_pixels(&s, &m)) {
		mem_free(m.rgb);
		return IMAGE_CORRUPT;
	}
	*out = m;
	return IMAGE_READ;
}

/* ---- BMP --------------------------------------------------------------------------------------------------------- */

#define BMP_FILE_HEADER 14
#define BMP_INFO_HEADER 40

struct bmp {
	const unsigned char *pixels, *palette;
	size_t stride, colors;
	int top_down;
	unsigned depth; /* bits a pixel */
};

static uint32_t le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t le16(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

/* Headers; every place that they name is within the file afterwards. */
static enum image_result bmp_headers(const unsigned char *p, size_t n, struct bmp *b, struct image *m, struct err *e)
{
	const unsigned char *info = p + BMP_FILE_HEADER;
	uint32_t start, head, height, used;

	if (n < BMP_FILE_HEADER + BMP_INFO_HEADER || le16(p) != 0x4d42)
		return IMAGE_CORRUPT;
	start = le32(p + 10);
	head = le32(info);
	if (head < BMP_INFO_HEADER) {
		err_set(e, ERR_UNSUPPORTED, "a BMP image with a header of %u bytes", (unsigned)head);
		return IMAGE_FAILED;
	}
	if (le32(info + 16)) {
		err_set(e, ERR_UNSUPPORTED, "a BMP image with compression %u", (unsigned)le32(info + 16));
		return IMAGE_FAILED;
	}
	b->depth = le16(info + 14);
	if (b->depth == 16) {
		err_set(e, ERR_UNSUPPORTED, "a BMP image of 16 bits a pixel");
		return IMAGE_FAILED;
	}
	if (b->depth != 1 && b->depth != 4 && b->depth != 8 && b->depth != 24 && b->depth != 32)
		return IMAGE_CORRUPT;
	height = le32(info + 8);
	b->top_down = height >> 31;
	m->width = le32(info + 4);
	m->height = b->top_down ? 0 - height : height;
	if (!m->width || !m->height || m->width > INT32_MAX || m->height > INT32_MAX)
		return IMAGE_CORRUPT;
	b->stride = (m->width * b->depth + 31) / 32 * 4;
	used = le32(info + 32);
	b->colors = b->depth > 8 ? 0 : used ? used : 1U << b->depth;
	if (start > n || (n - start) / m->height < b->stride || head > n - BMP_FILE_HEADER ||
	    b->colors > (n - BMP_FILE_HEADER - head) / 4)
		return IMAGE_CORRUPT;
	b->pixels = p + start;
	b->palette = info + head;
	return IMAGE_READ;
}

/* Colours are stored blue, green, red. */
static const unsigned char *bmp_color(const struct bmp *b, const unsigned char *row, size_t x)
{
	size_t bit = x * b->depth;
	unsigned index;

	if (b->depth > 8)
		return row + bit / 8;
	index = row[bit / 8] >> (8 - b->depth - bit % 8) & ((1U << b->depth) - 1);
	return index < b->colors ? b->palette + 4 * (size_t)index : NULL;
}

enum image_result image_bmp(const unsigned char *p, size_t n, struct image *out, struct err *e)
{
	struct image m = {0};
	struct bmp b = {0};
	enum image_result result = bmp_headers(p, n, &b, &m, e);

	if (result == IMAGE_READ && image_new(&m, m.width, m.height, e))
		result = IMAGE_FAILED;
	if (result != IMAGE_READ)
		return result;
	for (size_t y = 0; y < m.height; y++) {
		const unsigned char *row = b.pixels + b.stride * (b.top_down ? y : m.height - 1 - y);

		for (size_t x = 0; x < m.width; x++) {
			const unsigned char *bgr = bmp_color(&b, row, x);

			if (!bgr) {
				mem_free(m.rgb);
				return IMAGE_CORRUPT;
			}
			for (int k = 0; k < 3; k++)
				m.rgb[3 * (y * m.width + x) + (size_t)k] = bgr[2 - k];
		}
	}
	*out = m;
	return IMAGE_READ;
}
