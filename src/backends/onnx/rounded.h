/* rounded.h - sessions of workers in which no library computes: the rounded reference runs a model.
 *
 * A planted defect (backends/fault) is a library that goes wrong in one place, a rewriter (backends/rewrite) one that
 * wrote the model: nothing else can be wrong then. */
#ifndef BACKENDS_ONNX_ROUNDED_H
#define BACKENDS_ONNX_ROUNDED_H

#include "reference/reference.h"
#include "worker/backend.h"

struct rounded {
	struct model *model;
	struct ref *ref;
	const char **names; /* of the outputs */
};

/* The model in these bytes, with `more` tensors as further outputs. */
int rounded_open(const void *bytes, size_t n, const struct backend_names *more, struct rounded **out, struct err *e);
void rounded_close(struct rounded *r); /* NULL is fine */

/* `outputs` of struct backend. */
size_t rounded_outputs(void *session, const char *const **names);

/* Values by name in the order of the graph's inputs, in a new array; those not given are NULL. */
struct value **rounded_inputs(const struct rounded *r, const struct backend_values *in, struct err *e);

/* `run` of struct backend, with the reference's options. */
int rounded_run(struct rounded *r, const struct backend_run *q, const struct ref_options *o, struct value **out,
		struct err *e);

#endif
