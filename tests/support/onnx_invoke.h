/* onnx_invoke.h - what calls by name must do on every library that reads ONNX. */
#ifndef TESTS_SUPPORT_ONNX_INVOKE_H
#define TESTS_SUPPORT_ONNX_INVOKE_H

struct caller;

void check_onnx_invoke(struct caller *c);

#endif
