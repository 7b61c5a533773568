/* image_file.h - image files in memory → pixels, for ImageDecoder. */
#ifndef OPS_ENGINE_IMAGE_FILE_H
#define OPS_ENGINE_IMAGE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define IMAGE_MAX_PIXELS ((size_t)1 << 26) /* a few bytes of a compressed file may claim any size */

struct image {
	size_t width, height;
	unsigned char *rgb; /* [height, width, 3]; mem_free() */
};

enum image_result {
	IMAGE_FAILED = -1, /* ERR_UNSUPPORTED: what the format allows and assay does not read; ERR_LIMIT, ERR_MEMORY */
	IMAGE_READ,
	IMAGE_CORRUPT /* not an image, or a broken one */
};

/* *out is set on IMAGE_READ only. */
typedef enum image_result image_reader(const unsigned char *p, size_t n, struct image *out, struct err *e);

image_reader image_decode; /* any format, by its first bytes */
image_reader image_bmp, image_pnm, image_png, image_jpeg;

/* Room for width x height pixels, zeroed. */
int image_new(struct image *m, size_t width, size_t height, struct err *e);

#endif
