/* image_decoder.c - ImageDecoder (20): the bytes of an image file → uint8[height, width, channels].
 *
 *   pixel_format   "RGB", "BGR": three channels   "Grayscale": one, Y = 0.299 R + 0.587 G + 0.114 B rounded
 *
 * What cannot be decoded gives an empty matrix, as the specification says; a file of a kind that assay does not read is
 * unsupported instead, since other libraries may read it. */
#include <string.h>

#include "base/mem.h"
#include "ops/call.h"
#include "ops/engine/image_file.h"

static const struct {
	const char *name, *magic; /* '?' stands for any byte */
	size_t n;
	image_reader *read; /* NULL: not read */
} formats[] = {
	{"BMP", "BM", 2, image_bmp},
	{"JPEG", "\xff\xd8\xff", 3, image_jpeg},
	{"PNG", "\x89PNG\r\n\x1a\n", 8, image_png},
	{"PBM", "P1", 2, image_pnm},
	{"PGM", "P2", 2, image_pnm},
	{"PPM", "P3", 2, image_pnm},
	{"PBM", "P4", 2, image_pnm},
	{"PGM", "P5", 2, image_pnm},
	{"PPM", "P6", 2, image_pnm},
	{"PAM", "P7", 2, NULL},
	{"TIFF", "II*\0", 4, NULL},
	{"TIFF", "MM\0*", 4, NULL},
	{"WebP", "RIFF????WEBP", 12, NULL},
	{"JPEG 2000", "\0\0\0\x0cjP  ", 8, NULL},
	{"JPEG 2000", "\xff\x4f\xff\x51", 4, NULL},
};

static int begins_with(const unsigned char *p, size_t n, const char *magic, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (i >= n || (magic[i] != '?' && p[i] != (unsigned char)magic[i]))
			return 0;
	return 1;
}

enum image_result image_decode(const unsigned char *p, size_t n, struct image *out, struct err *e)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (!begins_with(p, n, formats[i].magic, formats[i].n))
			continue;
		if (!formats[i].read) {
			err_set(e, ERR_UNSUPPORTED, "images in %s format are not read", formats[i].name);
			return IMAGE_FAILED;
		}
		return formats[i].read(p, n, out, e);
	}
	return IMAGE_CORRUPT;
}

static int pixel_format(struct call *c, const char **format, int *channels)
{
	int gray;

	*format = attr_string(c->node, "pixel_format");
	gray = !strcmp(*format, "Grayscale");
	*channels = gray ? 1 : 3;
	if (!gray && strcmp(*format, "RGB") != 0 && strcmp(*format, "BGR") != 0)
		return call_bad(c, "pixel_format '%s' is none of RGB, BGR, Grayscale", *format);
	return 0;
}

static int image_decoder_infer(struct call *c)
{
	const struct type *t = call_shape(c, 0);
	const char *format;
	int channels, rc = pixel_format(c, &format, &channels);
	int64_t dims[3] = {DIM_UNKNOWN, DIM_UNKNOWN, channels};

	if (rc)
		return rc;
	if (t && t->rank != 1)
		return call_bad(c, "the encoded stream has rank %d, not 1", t->rank);
	call_out(c, 0, DT_UINT8, 3, dims);
	return 0;
}

static void convert(const struct image *m, const char *format, int64_t *out)
{
	size_t n = m->width * m->height;

	for (size_t i = 0; i < n; i++) {
		const unsigned char *p = m->rgb + 3 * i;

		if (!strcmp(format, "Grayscale")) {
			out[i] = (19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16;
		} else {
			int blue_first = format[0] == 'B';

			out[3 * i] = p[blue_first ? 2 : 0];
			out[3 * i + 1] = p[1];
			out[3 * i + 2] = p[blue_first ? 0 : 2];
		}
	}
}

static int image_decoder_eval(struct call *c)
{
	const struct tensor *x = c->in[0];
	unsigned char *file = call_scratch(c, x->count + 1, 1);
	struct image m = {0};
	const char *format;
	int channels, rc = pixel_format(c, &format, &channels);
	int64_t dims[3] = {0, 0, channels};

	if (!file || rc)
		return c->err->code;
	for (size_t i = 0; i < x->count; i++)
		file[i] = (unsigned char)x->i[i];
	if (image_decode(file, x->count, &m, c->err) == IMAGE_FAILED) /* what is corrupt gives no pixels */
		return c->err->code;
	dims[0] = (int64_t)m.height;
	dims[1] = (int64_t)m.width;
	if (call_alloc(c, 0, DT_UINT8, 3, dims))
		convert(&m, format, c->out[0]->i);
	else
		rc = c->err->code;
	mem_free(m.rgb);
	return rc;
}

static const struct op_attr image_decoder_attrs[] = {OP_STRING("pixel_format", "RGB"), {0}};

const struct op op_image_decoder = {
	.undrawn = "its input is a file",
	.in = {{"encoded_stream", TM(DT_UINT8), 0, 0}},
	.out = {{"image", TM(DT_UINT8), 0, 0}},
	.attrs = image_decoder_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = image_decoder_infer,
	.eval = image_decoder_eval,
};
