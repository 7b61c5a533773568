/* onnx_list.h - the operators of ONNX as the registry of a library that reads ONNX. */
#ifndef CALLS_ONNX_LIST_H
#define CALLS_ONNX_LIST_H

#include "worker/backend.h"

/* Those that assay knows, "Conv", "ai.onnx.ml:Scaler", whose names begin with `prefix`; all of it is the arena's. */
int onnx_list(const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n, struct err *e);

#endif
