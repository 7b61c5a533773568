/* native.h - TensorFlow's own operations: the list of them, and one run by its name. */
#ifndef BACKENDS_TF_NATIVE_H
#define BACKENDS_TF_NATIVE_H

#include "backends/tf/tf.h"
#include "tensor/proto_check.h"
#include "worker/backend.h"

int tf_native_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		   struct err *e);
int tf_native_invoke(void *ctx, const struct backend_call *asked, struct backend_answer *out, struct err *e);

/* Calls use() with the text of every item of a ListValue (an attribute's value that is a list). */
typedef int tf_item_fn(void *arg, const char *text);
int tf_list_items(const struct proto_field *list, tf_item_fn *use, void *arg);

/* Marks operations that have no kernel on this processor, and takes element types from type attributes that no kernel
 * has.  `ops` are in the order of their names.  A library that does not list its kernels changes nothing. */
int tf_kernels_narrow(struct tf *t, struct arena *arena, struct backend_operation *ops, size_t n, struct err *e);

/* The definition of one operation, for invoke: names of inputs in order.  Borrowed until the library is closed. */
struct tf_definition {
	const char **inputs;
	int *is_list;
	size_t n_inputs;
};
int tf_definition(struct tf *t, const char *operation, const struct tf_definition **out, struct err *e);

/* One call, and its tensors in the order of the definition. */
struct tf_native {
	struct bind_call *c;
	const struct backend_call *asked;
	const struct tf_definition *definition;
	struct tf_value *tensors[TF_MAX_OUTPUTS];
	size_t n_tensors;
};

/* Makes the tensors; as_inputs: they become placeholders of a graph. */
int tf_native_gather(struct tf_native *k, int as_inputs);
/* The operation with all its inputs and attributes, to be run or finished; on failure k->c->err is set. */
struct tf_op tf_native_prepare(struct tf_native *k);
/* Runs a built eager operation; all its outputs become tensors. */
int tf_native_execute(struct tf_op *op, struct value **out, size_t *n, struct err *e);

/* single.c: the call by a graph of its own, as t->mode and t->saved say. */
int tf_single_run(struct tf_native *k, struct value **out, size_t *n_out);
void tf_single_forget(struct tf *t); /* all that are kept */

#endif
