/* tf_native.h - TensorFlow's own operations: the list of them, and one run by its name. */
#ifndef BACKENDS_TF_TF_NATIVE_H
#define BACKENDS_TF_TF_NATIVE_H

#include "backends/tf/tf.h"
#include "worker/backend.h"

int tf_native_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		   struct err *e);
int tf_native_invoke(void *ctx, const char *operation, const struct backend_argument *args, size_t n_args, int gradient,
		     struct value ***out, size_t *n_out, struct tensor ***grads, size_t *n_grads, struct err *e);

/* The definition of one operation, for invoke: names of inputs in order.  Borrowed until the library is closed. */
struct tf_definition {
	const char **inputs;
	int *is_list;
	size_t n_inputs;
};
int tf_definition(struct tf *t, const char *operation, const struct tf_definition **out, struct err *e);

#endif
