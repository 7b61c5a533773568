/* protos.h - ONNX messages for tests, built by hand so that they may be wrong in any way one likes.
 *
 * Everything lives in one arena; an allocation that fails ends the test. */
#ifndef TESTS_SUPPORT_PROTOS_H
#define TESTS_SUPPORT_PROTOS_H

#include <stdint.h>

#include "base/arena.h"
#include "model/model.h"
#include "onnx-ml.pb-c.h"

struct protos {
	struct arena arena;
};

void protos_init(struct protos *b);
void protos_release(struct protos *b);

Onnx__ModelProto *protos_model(struct protos *b, int64_t ir, int64_t opset); /* with an empty graph "g" */
Onnx__ModelProto *protos_example(struct protos *b); /* y = Add(x, w), w an initializer of two elements */
void protos_import(struct protos *b, Onnx__ModelProto *m, const char *domain, int64_t version);
Onnx__GraphProto *protos_graph(struct protos *b, const char *name);

/* Names are separated by commas; "a,,b" leaves the second one out. */
Onnx__NodeProto *protos_make_node(struct protos *b, const char *op, const char *in, const char *out);
Onnx__NodeProto *protos_node(struct protos *b, Onnx__GraphProto *g, const char *op, const char *in, const char *out);

/* Float tensors; dims "2,3", "N" is a symbol, NULL: no shape. */
Onnx__TypeProto *protos_type(struct protos *b, int32_t elem, const char *dims);
Onnx__ValueInfoProto *protos_input(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims);
Onnx__ValueInfoProto *protos_output(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims);
Onnx__ValueInfoProto *protos_value_info(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims);

/* A float tensor 0, 1, 2, … in raw_data. */
Onnx__TensorProto *protos_tensor(struct protos *b, const char *name, const char *dims);
Onnx__TensorProto *protos_init_tensor(struct protos *b, Onnx__GraphProto *g, const char *name, const char *dims);
void protos_external(struct protos *b, Onnx__TensorProto *t, const char *key, const char *value);

Onnx__AttributeProto *protos_attr(struct protos *b, Onnx__NodeProto *n, const char *name, int type); /* without value */
void protos_attr_int(struct protos *b, Onnx__NodeProto *n, const char *name, int64_t x);
void protos_attr_graph(struct protos *b, Onnx__NodeProto *n, const char *name, Onnx__GraphProto *g);
void protos_attr_ref(struct protos *b, Onnx__NodeProto *n, const char *name, int type, const char *ref);

Onnx__FunctionProto *protos_function(struct protos *b, Onnx__ModelProto *m, const char *domain, const char *name,
				     const char *in, const char *out, int64_t opset);
Onnx__NodeProto *protos_body(struct protos *b, Onnx__FunctionProto *f, const char *op, const char *in, const char *out);
void protos_function_attr(struct protos *b, Onnx__FunctionProto *f, const char *name);
Onnx__AttributeProto *protos_function_default(struct protos *b, Onnx__FunctionProto *f, const char *name, int64_t x);

/* Packs and parses under the name "t.onnx" (which allows no external data that exists). */
int protos_parse(const Onnx__ModelProto *m, struct model **out, struct err *e);
uint8_t *protos_pack(struct protos *b, const Onnx__ModelProto *m, size_t *n);

#endif
