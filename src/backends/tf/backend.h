/* backend.h - TensorFlow as a backend; see tf.h for what is inside. */
#ifndef BACKENDS_TF_BACKEND_H
#define BACKENDS_TF_BACKEND_H

#include "worker/backend.h"

extern const struct backend backend_tf;

#endif
