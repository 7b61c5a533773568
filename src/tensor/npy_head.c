/* npy_head.c - see npy_head.h.  A reader for just as much Python as numpy writes: a dictionary with three keys, whose
 * values are a string, a boolean and a tuple of integers. */
#include "tensor/npy_head.h"

#include <stdio.h>
#include <string.h>

#define MAX_HEADER ((size_t)1 << 20)
#define MAX_ITEM ((size_t)1 << 28) /* widest string */

struct cursor {
	const char *p, *end;
};

static void skip_space(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'))
		c->p++;
}

/* The next character that is not a space; '\0' at the end. */
static char peek(struct cursor *c)
{
	skip_space(c);
	return c->p < c->end ? *c->p : '\0';
}

static int accept(struct cursor *c, char wanted)
{
	if (peek(c) != wanted)
		return 0;
	c->p++;
	return 1;
}

static int parse_string(struct cursor *c, char *out, size_t size)
{
	char quote = peek(c);
	size_t n = 0;

	if (quote != '\'' && quote != '"')
		return -1;
	for (c->p++; c->p < c->end && *c->p != quote; c->p++) {
		if (n + 1 >= size || *c->p == '\\')
			return -1;
		out[n++] = *c->p;
	}
	if (c->p == c->end)
		return -1;
	c->p++;
	out[n] = '\0';
	return 0;
}

static int parse_word(struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	skip_space(c);
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n))
		return 0;
	c->p += n;
	return 1;
}

static int parse_bool(struct cursor *c, int *out)
{
	*out = parse_word(c, "True");
	return *out || parse_word(c, "False") ? 0 : -1;
}

static int parse_dim(struct cursor *c, int64_t *out)
{
	int64_t v = 0;
	int digits = 0;

	skip_space(c);
	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++, digits++) {
		if (v > (INT64_MAX - 9) / 10)
			return -1;
		v = v * 10 + (*c->p - '0');
	}
	if (c->p < c->end && *c->p == 'L') /* Python 2 wrote long integers so */
		c->p++;
	*out = v;
	return digits ? 0 : -1;
}

static int parse_shape(struct cursor *c, struct npy_head *h, struct err *e)
{
	h->rank = 0;
	if (!accept(c, '('))
		return err_set(e, ERR_INPUT, "shape is not a tuple");
	while (!accept(c, ')')) {
		if (h->rank == TENSOR_MAX_RANK)
			return err_set(e, ERR_LIMIT, "more than %d dimensions", TENSOR_MAX_RANK);
		if (parse_dim(c, &h->dims[h->rank]))
			return err_set(e, ERR_INPUT, "dimension %d is not a size", h->rank);
		h->rank++;
		if (!accept(c, ',') && peek(c) != ')')
			return err_set(e, ERR_INPUT, "shape is not a tuple");
	}
	return 0;
}

/* The number after the kind: bytes of an element, or characters of a string. */
static int parse_width(const char *s, size_t *out)
{
	size_t v = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || v > MAX_ITEM)
			return -1;
		v = v * 10 + (size_t)(*s - '0');
	}
	*out = v;
	return v && v <= MAX_ITEM ? 0 : -1;
}

static int parse_descr(struct cursor *c, struct npy_head *h, struct err *e)
{
	char descr[32];
	size_t width;

	if (peek(c) == '[')
		return err_set(e, ERR_UNSUPPORTED, "structured elements");
	if (parse_string(c, descr, sizeof descr) || !strchr("<>|=", descr[0]) || !descr[0])
		return err_set(e, ERR_INPUT, "descr is not a type");
	h->swap = descr[0] == '>';
	h->kind = descr[1];
	h->dtype = DT_UNDEFINED;
	if (!h->kind || parse_width(descr + 2, &width))
		return err_set(e, ERR_UNSUPPORTED, "elements of type '%s'", descr);
	if (h->kind == 'S' || h->kind == 'U') {
		h->dtype = DT_STRING;
		h->item = h->kind == 'U' ? 4 * width : width;
		return 0;
	}
	for (int t = DT_UNDEFINED + 1; t < DT_COUNT; t++)
		if (*dtype_npy((enum dtype)t) && !strcmp(dtype_npy((enum dtype)t) + 1, descr + 1))
			h->dtype = (enum dtype)t;
	if (h->dtype == DT_UNDEFINED)
		return err_set(e, ERR_UNSUPPORTED, "elements of type '%s'", descr);
	h->item = width;
	return 0;
}

enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

static int parse_entry(struct cursor *c, struct npy_head *h, unsigned *seen, struct err *e)
{
	char key[32];

	if (parse_string(c, key, sizeof key) || !accept(c, ':'))
		return err_set(e, ERR_INPUT, "header is not a dictionary");
	if (!strcmp(key, "descr")) {
		*seen |= SEEN_DESCR;
		return parse_descr(c, h, e);
	}
	if (!strcmp(key, "shape")) {
		*seen |= SEEN_SHAPE;
		return parse_shape(c, h, e);
	}
	if (strcmp(key, "fortran_order"))
		return err_set(e, ERR_INPUT, "unknown key '%s' in the header", key);
	*seen |= SEEN_ORDER;
	return parse_bool(c, &h->fortran) ? err_set(e, ERR_INPUT, "fortran_order is neither True nor False") : 0;
}

static int parse_dictionary(struct cursor *c, struct npy_head *h, struct err *e)
{
	unsigned seen = 0;

	if (!accept(c, '{'))
		return err_set(e, ERR_INPUT, "header is not a dictionary");
	while (!accept(c, '}')) {
		int rc = parse_entry(c, h, &seen, e);

		if (rc)
			return rc;
		if (!accept(c, ',') && peek(c) != '}')
			return err_set(e, ERR_INPUT, "header is not a dictionary");
	}
	if (peek(c))
		return err_set(e, ERR_INPUT, "something follows the dictionary in the header");
	if (seen != SEEN_ALL)
		return err_set(e, ERR_INPUT, "header lacks descr, fortran_order or shape");
	return 0;
}

int npy_head_parse(const void *data, size_t n, struct npy_head *out, struct err *e)
{
	const unsigned char *p = data;
	size_t magic = sizeof NPY_MAGIC - 1, prefix, length;
	struct npy_head h = {0};
	struct cursor c;
	int rc;

	if (n < NPY_PREFIX + 2 || memcmp(p, NPY_MAGIC, magic))
		return err_set(e, ERR_INPUT, "not a .npy file");
	if (p[magic] < 1 || p[magic] > 3)
		return err_set(e, ERR_UNSUPPORTED, ".npy version %d", p[magic]);
	prefix = p[magic] == 1 ? NPY_PREFIX : NPY_PREFIX + 2;
	length = p[8] | (size_t)p[9] << 8;
	if (p[magic] > 1)
		length |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
	if (length > MAX_HEADER || length > n - prefix)
		return err_set(e, ERR_INPUT, "header of %zu bytes claimed, %zu there", length, n - prefix);
	c = (struct cursor){(const char *)p + prefix, (const char *)p + prefix + length};
	h.size = prefix + length;
	rc = parse_dictionary(&c, &h, e);
	if (!rc)
		*out = h;
	return rc;
}
