/* write.h - the writer's own structures, shared by write.c and write_value.c.
 *
 * Messages are built in a scratch arena and point into the model: weights are not copied before they are packed.  An
 * allocation that fails makes everything after it NULL and is reported once, at the end. */
#ifndef MODEL_WRITE_H
#define MODEL_WRITE_H

#include "model/internal.h"
#include "onnx-ml.pb-c.h"

struct writer {
	const struct model *m;
	struct arena arena;
	struct err *e;
	int rc;                    /* of the first failure */
	VEC(struct opset) opsets;  /* those that nodes need */
	VEC(const char *) witness; /* a node that needs it */
};

int writer_fail(struct writer *w, int rc); /* keeps the first failure */
void *writer_alloc(struct writer *w, size_t count, size_t size);
void *writer_copy(struct writer *w, const void *p, size_t size);
char *writer_text(const char *s); /* protobuf-c takes char *, but only reads */

/* A new message: NEW(w, Onnx__NodeProto, ONNX__NODE_PROTO__INIT) */
#define NEW(w, type, init) ((type *)writer_copy(w, &(type)init, sizeof(type)))

/* write_value.c; NULL on failure, which w remembers */
Onnx__TypeProto *write_type(struct writer *w, const struct type *t, const struct graph *g); /* also NULL: not known */
Onnx__TensorProto *write_tensor(struct writer *w, const char *name, const struct tensor *t);
Onnx__SparseTensorProto *write_sparse(struct writer *w, const struct tensor *t);

/* write.c */
Onnx__GraphProto *write_graph(struct writer *w, const struct graph *g);

/* write_attr.c */
Onnx__AttributeProto *write_attr(struct writer *w, const struct attr *a, const struct graph *g);

#endif
