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

int image_png(const unsigned char *p, size_t n, struct image *out, struct err *e)
{
	png_image png = {.version = PNG_IMAGE_VERSION};
	unsigned char *rgba = NULL;
	struct image m = {0};
	int rc;

	if (!png_image_begin_read_from_memory(&png, p, n))
		return IMAGE_CORRUPT;
	png.format = PNG_FORMAT_RGBA;
	png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
	rc = image_new(&m, png.width, png.height, e);
	if (!rc) {
		rgba = mem_alloc(4 * m.width * m.height);
		rc = rgba ? 0 : err_nomem(e, "an image", 4 * m.width * m.height);
	}
	if (!rc && !png_image_finish_read(&png, NULL, rgba, 0, NULL))
		rc = IMAGE_CORRUPT;
	for (size_t i = 0; i < m.width * m.height && !rc; i++)
		memcpy(m.rgb + 3 * i, rgba + 4 * i, 3);
	png_image_free(&png);
	mem_free(rgba);
	if (rc)
		mem_free(m.rgb);
	else
		*out = m;
	return rc;
}

/* ---- JPEG -------------------------------------------------------------------------------------------------------- */

#define JPEG_MAX_SCANS 200 /* a progressive file has ten or so; each may cost as much as the whole image */

struct jpeg {
	struct jpeg_decompress_struct d;
	struct jpeg_error_mgr errors;
	struct jpeg_progress_mgr progress;
	jmp_buf failed;
	struct image m;
	int rc;
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
static void jpeg_pixels(struct jpeg *j, const unsigned char *p, size_t n, struct err *e)
{
	jpeg_create_decompress(&j->d);
	j->d.client_data = j;
	j->progress.progress_monitor = on_progress;
	j->d.progress = &j->progress;
	jpeg_mem_src(&j->d, p, (unsigned long)n);
	jpeg_read_header(&j->d, TRUE);
	if (j->d.jpeg_color_space == JCS_CMYK || j->d.jpeg_color_space == JCS_YCCK) {
		j->rc = err_set(e, ERR_UNSUPPORTED, "a JPEG image of four colours");
		return;
	}
	j->d.out_color_space = JCS_RGB;
	jpeg_calc_output_dimensions(&j->d);
	j->rc = image_new(&j->m, j->d.output_width, j->d.output_height, e);
	if (j->rc)
		return;
	jpeg_start_decompress(&j->d);
	while (j->d.output_scanline < j->d.output_height) {
		JSAMPROW row = j->m.rgb + 3 * j->m.width * j->d.output_scanline;

		jpeg_read_scanlines(&j->d, &row, 1);
	}
	jpeg_finish_decompress(&j->d);
}

int image_jpeg(const unsigned char *p, size_t n, struct image *out, struct err *e)
{
	struct jpeg *j = mem_zalloc(sizeof *j);
	int rc;

	if (!j)
		return err_nomem(e, "an image", sizeof *j);
	j->d.err = jpeg_std_error(&j->errors);
	j->d.client_data = j;
	j->errors.error_exit = on_error;
	j->errors.output_message = on_message;
	if (setjmp(j->failed))
		j->rc = IMAGE_CORRUPT;
	else
		jpeg_pixels(j, p, n, e);
	rc = j->rc ? j->rc : j->errors.num_warnings ? IMAGE_CORRUPT : 0;
	jpeg_destroy_decompress(&j->d);
	if (rc)
		mem_free(j->m.rgb);
	else
		*out = j->m;
	mem_free(j);
	return rc;
}
