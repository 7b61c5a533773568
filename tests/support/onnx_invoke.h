/* onnx_invoke.h - what INVOKE must do on every library that reads ONNX. */
#ifndef SUPPORT_ONNX_INVOKE_H
#define SUPPORT_ONNX_INVOKE_H

struct worker;

void check_onnx_invoke(struct worker *w);

#endif
