/* onnx_call.h - a call of one operator of ONNX by name, as a model of one node.
 *
 * The operation is "Conv", "ai.onnx.ml:Scaler", or with an opset "Conv-11"; without one it is the base opset below, or
 * the first that has the operator.  Arguments are inputs by their names, or in order where they have no name (ARG_NONE:
 * left out), and attributes by name.  The integer argument "outputs" says how many outputs are wanted; without it there
 * are as many as are not optional. */
#ifndef CALLS_ONNX_CALL_H
#define CALLS_ONNX_CALL_H

#include "model/model.h"
#include "worker/backend.h"

#define ONNX_BASE_OPSET 13 /* any library in use reads it */
#define ONNX_BASE_OPSET_ML 2
#define ONNX_CALL_INPUTS 64
#define ONNX_CALL_OUTPUTS 16

struct onnx_call {
	struct model *model;
	struct named_value given[ONNX_CALL_INPUTS]; /* inputs of its graph, in order; values belong to the call */
	size_t n_given;
	int n_out;
};

/* A call that is not valid becomes a model that is not; ERR_INPUT when it cannot be written as a model at all. */
int onnx_call_make(const struct backend_call *c, struct onnx_call *out, struct err *e);
void onnx_call_release(struct onnx_call *c); /* zeroed is fine */

#endif
