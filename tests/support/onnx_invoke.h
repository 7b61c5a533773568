/* onnx_invoke.h - what INVOKE must do on every library that reads ONNX. */
#ifndef TESTS_SUPPORT_ONNX_INVOKE_H
#define TESTS_SUPPORT_ONNX_INVOKE_H

struct worker;

void check_onnx_invoke(struct worker *w);

#endif
