/* sample_resize.h - Resize with parameters from their whole range, where rounding decides nothing. */
#ifndef OPS_IMAGE_SAMPLE_RESIZE_H
#define OPS_IMAGE_SAMPLE_RESIZE_H

#include "ops/image/resize_taps.h"
#include "ops/sample/maker.h"

struct wire *resize_floats(struct maker *m, const double *x, int64_t n); /* a constant vector of float32 */
/* The node, without attributes; of scales and sizes one is NULL. */
void resize_begin(struct maker *m, struct wire *x, struct wire *roi, struct wire *scales, struct wire *sizes);

int resize_is_wide(struct maker *m); /* by chance */
struct wire *resize_wide(struct maker *m, struct wire *x, enum resize_mode mode);
struct wire *resize_region(struct maker *m, struct wire *x); /* tf_crop_and_resize; x has four axes */

#endif
