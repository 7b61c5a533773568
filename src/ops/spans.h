/* spans.h - lists of operators, in tables of what not all of their versions have. */
#ifndef OPS_SPANS_H
#define OPS_SPANS_H

/* Whether an operator is one of those, which stand there by blanks: "Slice ai.onnx.ml:Scaler". */
int span_has(const char *operators, const char *domain, const char *op_type);

#endif
