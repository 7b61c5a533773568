/* tf_families.h - the binding functions, one prototype a row of bindings.def. */
#ifndef BACKENDS_TF_TF_FAMILIES_H
#define BACKENDS_TF_TF_FAMILIES_H

#include "backends/tf/tf.h"

#define ROW(op, function) int function(struct bind_call *c);
#include "backends/tf/bindings.def"
#undef ROW

#endif
