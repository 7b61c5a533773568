/* onnx.h - what the backends that read ONNX themselves need to know of a model's bytes.
 *
 * The library gets the bytes as they came.  Only names and types of the graph's inputs and outputs are read here, field
 * by field and without copying a weight, so that a model assay itself would refuse still reaches the library. */
#ifndef BACKENDS_ONNX_ONNX_H
#define BACKENDS_ONNX_ONNX_H

#include "base/arena.h"
#include "base/buf.h"
#include "tensor/tensor.h"
#include "worker/backend.h"

#define ONNX_MAX_MODEL ((size_t)2 << 30) /* what protobuf allows */

struct onnx_input {
	const char *name;
	enum dtype dtype;              /* DT_UNDEFINED: not a tensor, or not declared */
	int rank;                      /* -1: not declared */
	int64_t dims[TENSOR_MAX_RANK]; /* -1: not a number */
	int has_default;               /* an initializer has its name */
};

struct onnx_ports {
	struct arena arena;
	struct onnx_input *in;
	const char **out;
	size_t n_in, n_out;
};

/* Inputs and outputs of the main graph, in order.  ERR_INPUT when the bytes are no model.  Free with release. */
int onnx_ports_read(const void *model, size_t n, struct onnx_ports *out, struct err *e);
void onnx_ports_release(struct onnx_ports *p); /* zeroed is fine */

/* The index of an input or output, or -1. */
int onnx_ports_find_input(const struct onnx_ports *p, const char *name);
int onnx_ports_find_output(const struct onnx_ports *p, const char *name);

/* ERR_INPUT names the first input that must be given and is not. */
int onnx_ports_check_given(const struct onnx_ports *p, const struct backend_values *in, struct err *e);

/* `outputs` of struct backend where a session begins with struct onnx_ports. */
size_t onnx_ports_outputs(void *session, const char *const **names);

/* True when every input that must be given is a tensor of known dtype and dimensions. */
int onnx_ports_are_static(const struct onnx_ports *p);

/* Does the message hold one of the words?  Lists end with NULL.  Libraries without a status for "I do not have that"
 * only say so. */
int onnx_says(const char *message, const char *const *words);

/* A message of many lines as one, without lines that begin with one of `noise`. */
void onnx_one_line(const char *message, const char *const *noise, struct buf *out);

/* The same model with more graph outputs, m->outputs, for libraries that show an intermediate tensor only as an output.
 * Names that are outputs already are left alone; an unknown name is ERR_INPUT.  *out must be initialised. */
int onnx_expose(const struct backend_model *m, struct buf *out, struct err *e);

/* The same model without `value_info`, the declared types of inner tensors, which are no part of its meaning.  *out
 * must be initialised. */
int onnx_drop_value_info(const void *model, size_t n, struct buf *out, struct err *e);

/* *m with those outputs, where it asks for any, as *out: its bytes are those of *m, or in `store`. */
int onnx_exposed(const struct backend_model *m, struct buf *store, struct backend_model *out, struct err *e);

#endif
