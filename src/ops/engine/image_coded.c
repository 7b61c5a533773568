/* image_coded.c - PNG and JPEG through libpng and libjpeg.  See image_file.h.
 *
 * Transparency is dropped, as the operator has no place for it.  JPEG is decoded with the accurate integer transform
 * and smooth upsampling of colour, which the specification of ImageDecoder describes. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

#include "base/mem.h"
#include "ops/engine/image_file.h"

/* ---- PNG --------------------------------------------------------------------------------------------------------- */

enum image_result image_png(const unsigned char *p, size_t n, struct image *out, struct err *e)
{
	png_image png = {.version = PNG_IMAGE_VERSION};
	unsigned char *rgba = NULL;
	struct image m = {0};
	enum image_result result = IMAGE_READ;

	if (!png_image_begin_read_from_memory(&png, p, n))
		return IMAGE_CORRUPT;
	png.format = PNG_FORMAT_RGBA;
	png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
	if (image_new(&m, png.width, png.height, e)) {
		result = IMAGE_FAILED;
	} else if (!(rgba = mem_alloc(4 * m.width * m.height))) {
		err_nomem(e, "an image", 4 * m.width * m.height);
		result = IMAGE_FAILED;
	} else if (!png_image_finish_read(&png, NULL, rgba, 0, NULL)) {
		result = IMAGE_CORRUPT;
	}
	for (size_t i = 0; i < m.width * m.height && result == IMAGE_READ; i++)
		memcpy(m.rgb + 3 * i, rgba + 4 * i, 3);
	png_image_free(&png);
	mem_free(rgba);
	if (result == IMAGE_READ)
		*out = m;
	else
		mem_free(m.rgb);
	return result;
}

/* ---- JPEG -------------------------------------------------------------------------------------------------------- */

#define JPEG_MAX_SCANS 200 /* a progressive file has ten or so; each may cost as much as the whole image */

struct jpeg {
	struct jpeg_decompress_struct d;
	struct jpeg_error_mgr errors;
	struct jpeg_progress_mgr progress;
	jmp_buf failed;
	struct image m;
	enum image_result result;
};

static void on_error(j_common_ptr d)
{
	longjmp(((struct jpeg *)d->client_data)->failed, 1);
}

static void on_message(j_common_ptr d)
{
	(void)d; /* the library would print it */
}

static void on_progress(j_common_ptr d)
{
	if (((j_decompress_ptr)d)->input_scan_number > JPEG_MAX_SCANS)
		on_error(d);
}

/* Everything that may jump to j->failed. */
static enum image_result jpeg_pixels(struct jpeg *j, const unsigned char *p, size_t n, struct err *e)
{
	jpeg_create_decompress(&j->d);
	j->d.client_data = j;
	j->progress.progress_monitor = on_progress;
	j->d.progress = &j->progress;
	jpeg_mem_src(&j->d, p, (unsigned long)n);
	jpeg_read_header(&j->d, TRUE);
	if (j->d.jpeg_color_space == JCS_CMYK || j->d.jpeg_color_space == JCS_YCCK) {
		err_set(e, ERR_UNSUPPORTED, "a JPEG image of four colours");
		return IMAGE_FAILED;
	}
	j->d.out_color_space = JCS_RGB;
	jpeg_calc_output_dimensions(&j->d);
	if (image_new(&j->m, j->d.output_width, j->d.output_height, e))
		return IMAGE_FAILED;
	jpeg_start_decompress(&j->d);
	while (j->d.output_scanline < j->d.output_height) {
		JSAMPROW row = j->m.rgb + 3 * j->m.width * j->d.output_scanline;

		jpeg_read_scanlines(&j->d, &row, 1);
	}
	jpeg_finish_decompress(&j->d);
	return j->errors.num_warnings ? IMAGE_CORRUPT : IMAGE_READ;
}

enum image_result image_jpeg(const unsigned char *p, size_t n, struct image *out, struct err *e)
{
	struct jpeg *j = mem_zalloc(sizeof *j);
	enum image_result result;

	if (!j) {
		err_nomem(e, "an image", sizeof *j);
		return IMAGE_FAILED;
	}
	j->d.err = jpeg_std_error(&j->errors);
	j->d.client_data = j;
	j->errors.error_exit = on_error;
	j->errors.output_message = on_message;
	if (setjmp(j->failed))
		j->result = IMAGE_CORRUPT;
	else
		j->result = jpeg_pixels(j, p, n, e);
	result = j->result;
	jpeg_destroy_decompress(&j->d);
	if (result == IMAGE_READ)
		*out = j->m;
	else
		mem_free(j->m.rgb);
	mem_free(j);
	return result;
}
