/* npy.c - numpy's .npy files (declared in io.h).
 *
 * A file is the magic "\x93NUMPY", a version, the length of the header, the header, and the elements.  The header is a
 * Python dictionary:  {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  It is read by npy_head.c. */
#include "tensor/npy_head.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tensor/io.h"

#define HEADER_ALIGN 64 /* numpy pads headers so that the elements are aligned */
#define CHUNK 512       /* elements converted at a time */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Index in the file of element i in C order: the same, or with the axes reversed. */
static size_t source_index(const struct npy_head *h, size_t i)
{
	size_t index[TENSOR_MAX_RANK];
	size_t at = 0;

	if (!h->fortran)
		return i;
	for (int k = h->rank - 1; k >= 0; k--) {
		index[k] = i % (size_t)h->dims[k];
		i /= (size_t)h->dims[k];
	}
	for (int k = h->rank - 1; k >= 0; k--)
		at = at * (size_t)h->dims[k] + index[k];
	return at;
}

/* Copies n bytes, each group of `unit` bytes back to front. */
static void copy_swapped(unsigned char *to, const unsigned char *from, size_t n, size_t unit)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i / unit * unit + (unit - 1 - i % unit)];
}

static void read_numbers(const struct npy_head *h, const unsigned char *data, struct tensor *t)
{
	size_t unit = dtype_wide(h->dtype) == WIDE_C64 ? h->item / 2 : h->item;
	unsigned char *out = t->data;

	if (!h->fortran && !h->swap) {
		if (t->count)
			memcpy(out, data, t->count * h->item);
		return;
	}
	for (size_t i = 0; i < t->count; i++)
		copy_swapped(out + i * h->item, data + source_index(h, i) * h->item, h->item, h->swap ? unit : 1);
}

/* One string of width h->item: bytes, or code points of four bytes each; NULs at the end are padding. */
static int read_string(const struct npy_head *h, const unsigned char *p, struct buf *text, struct err *e)
{
	size_t n = h->item;

	buf_clear(text);
	if (h->kind == 'S') {
		while (n && !p[n - 1])
			n--;
		buf_add(text, p, n);
		return buf_check(text, e);
	}
	for (n /= 4; n; n--) {
		const unsigned char *last = p + (n - 1) * 4;

		if (last[0] | last[1] | last[2] | last[3])
			break;
	}
	for (size_t i = 0; i < n; i++) {
		char utf8[UTF8_MAX_BYTES];
		unsigned char code[4];
		int32_t c;
		size_t bytes;

		copy_swapped(code, p + i * 4, 4, h->swap ? 4 : 1);
		memcpy(&c, code, sizeof c);
		bytes = utf8_encode(c, utf8);
		if (!bytes)
			return err_set(e, ERR_INPUT, "code point %#lx in a string", (unsigned long)(uint32_t)c);
		buf_add(text, utf8, bytes);
	}
	return buf_check(text, e);
}

static int read_strings(const struct npy_head *h, const unsigned char *data, struct tensor *t, struct err *e)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, h->item + 1);
	for (size_t i = 0; !rc && i < t->count; i++) {
		rc = read_string(h, data + source_index(h, i) * h->item, &text, e);
		if (!rc)
			rc = tensor_set_string(t, i, text.data, text.len, e);
	}
	buf_release(&text);
	return rc;
}

int npy_parse(const void *data, size_t n, struct tensor **out, struct err *e)
{
	struct npy_head h;
	struct tensor *t;
	size_t count;
	int rc = npy_head_parse(data, n, &h, e);

	if (!rc)
		rc = tensor_shape_count(h.rank, h.dims, &count, e);
	if (rc)
		return rc;
	if (count > (n - h.size) / h.item || count * h.item != n - h.size)
		return err_set(e, ERR_INPUT, "%zu elements of %zu bytes claimed, %zu bytes there", count, h.item,
			       n - h.size);
	t = tensor_new_packed(h.dtype, h.rank, h.dims, e);
	if (!t)
		return e ? e->code : ERR_MEMORY;
	if (h.dtype != DT_STRING)
		read_numbers(&h, (const unsigned char *)data + h.size, t);
	else
		rc = read_strings(&h, (const unsigned char *)data + h.size, t, e);
	if (rc)
		tensor_unref(t);
	else
		*out = t;
	return rc;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_head(struct buf *out, const char *descr, const struct tensor *t)
{
	char dims[512], head[1024];
	size_t n, pad;

	tensor_dims_text(t->rank, t->dims, dims, sizeof dims);
	snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }", descr, dims,
		 t->rank == 1 ? "," : "");
	n = strlen(head);
	pad = HEADER_ALIGN - (NPY_PREFIX + n + 1) % HEADER_ALIGN;
	n += pad + 1;
	buf_add(out, NPY_MAGIC "\1\0", NPY_PREFIX - 2);
	buf_add(out, &(unsigned char){n & 0xff}, 1);
	buf_add(out, &(unsigned char){n >> 8 & 0xff}, 1);
	buf_printf(out, "%s%*s\n", head, (int)pad, "");
}

/* The type that holds t's elements in a .npy file. */
static enum dtype stored_type(enum dtype t)
{
	if (*dtype_npy(t))
		return t;
	if (dtype_is_float(t))
		return DT_FLOAT;
	return dtype_is_unsigned(t) ? DT_UINT8 : DT_INT8;
}

static void write_numbers(struct buf *out, const struct tensor *t)
{
	enum dtype as = stored_type(t->dtype);
	size_t wide_size = dtype_wide_size(t->dtype);
	double wide[2 * CHUNK]; /* room for complex numbers; integers take the same space */
	unsigned char packed[16 * CHUNK];

	if (!t->wide && as == t->dtype) {
		buf_add(out, t->data, dtype_packed_size(as, t->count));
		return;
	}
	for (size_t i = 0; i < t->count && !out->failed; i += CHUNK) {
		size_t n = t->count - i < CHUNK ? t->count - i : CHUNK;

		if (t->wide)
			memcpy(wide, (const char *)t->data + i * wide_size, n * wide_size);
		else
			dtype_unpack(t->dtype, t->data, i, n, wide);
		dtype_pack(as, wide, n, packed);
		buf_add(out, packed, dtype_packed_size(as, n));
	}
}

/* Strings are stored with the width of the longest: as code points when all are UTF-8, else as bytes. */
static int strings_width(const struct tensor *t, size_t *width)
{
	size_t points = 1, bytes = 1;
	int all_utf8 = 1;

	for (size_t i = 0; i < t->count; i++) {
		size_t n;

		if (t->s[i].n > bytes)
			bytes = t->s[i].n;
		if (!utf8_count(t->s[i].p, t->s[i].n, &n))
			all_utf8 = 0;
		else if (n > points)
			points = n;
	}
	*width = all_utf8 ? points : bytes;
	return all_utf8;
}

static void write_code_points(struct buf *out, const struct bytes *s, size_t width)
{
	const int32_t padding = 0;
	size_t at = 0, n = 0;

	while (at < s->n) {
		int32_t c;

		at += utf8_decode(s->p + at, s->n - at, &c);
		buf_add(out, &c, sizeof c);
		n++;
	}
	for (; n < width && !out->failed; n++)
		buf_add(out, &padding, sizeof padding);
}

static void write_strings(struct buf *out, const struct tensor *t)
{
	char descr[64];
	size_t width;
	int as_points = strings_width(t, &width);

	snprintf(descr, sizeof descr, "%s%zu", as_points ? "<U" : "|S", width);
	write_head(out, descr, t);
	for (size_t i = 0; i < t->count && !out->failed; i++) {
		if (as_points) {
			write_code_points(out, &t->s[i], width);
			continue;
		}
		buf_add(out, t->s[i].p, t->s[i].n);
		for (size_t k = t->s[i].n; k < width && !out->failed; k++)
			buf_add(out, "", 1);
	}
}

int npy_write(const struct tensor *t, struct buf *out, struct err *e)
{
	if (t->dtype == DT_STRING) {
		write_strings(out, t);
	} else {
		write_head(out, dtype_npy(stored_type(t->dtype)), t);
		write_numbers(out, t);
	}
	return buf_check(out, e);
}
