/* spatial.h - one spatial axis is computed as two, the first of size 1: TensorFlow's kernels begin at two. */
#ifndef BACKENDS_TF_SPATIAL_H
#define BACKENDS_TF_SPATIAL_H

#include "backends/tf/tf.h"
#include "ops/kit/spatial.h"

void tf_spatial_widen(struct spatial *s); /* nothing to do for two axes and more */
int tf_spatial_dilated(const struct spatial *s);

struct tf_value *tf_widen(struct bind_call *c, struct tf_value *x);            /* (N, C, d) → (N, C, 1, d) */
struct tf_value *tf_narrow(struct bind_call *c, struct tf_value *x, int rank); /* and back, when rank is 3 */

#endif
