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

#define IMAGE_CORRUPT 1 /* not an image, or a broken one */

/* Readers return 0, IMAGE_CORRUPT, or a negative status: ERR_UNSUPPORTED for what the format allows and assay does not
 * read, ERR_LIMIT, ERR_MEMORY.  *out is set on 0 only. */
int image_decode(const unsigned char *p, size_t n, struct image *out, struct err *e); /* any format, by its first bytes
										       */

int image_bmp(const unsigned char *p, size_t n, struct image *out, struct err *e);
int image_pnm(const unsigned char *p, size_t n, struct image *out, struct err *e);
int image_png(const unsigned char *p, size_t n, struct image *out, struct err *e);
int image_jpeg(const unsigned char *p, size_t n, struct image *out, struct err *e);

/* Room for width x height pixels, zeroed. */
int image_new(struct image *m, size_t width, size_t height, struct err *e);

#endif
