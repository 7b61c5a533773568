"""
title: MatMul, BatchNormalization and ScatterND of a tensor without axes, and Trilu, Conv, LRN, the pools and Attention
    of one with a single axis, end the process; they must be refused.
library: tract
shows: 0.23.9
class: bug
condition: BatchNormalization dies of SIGSEGV, the others of SIGABRT.  Gemm and EyeLike of a single axis are refused.
rule: ONNX MatMul-13, as numpy.matmul, which has no scalars; BatchNormalization-9: (N x C x ...); Trilu-14: "rank
    must be at least 2"; Conv-11: (N x C x ...); ScatterND-13, input data: rank of at least 1; LRN-13 and
    MaxPool-12: (N x C x ...); Attention-23, input Q: three or four axes.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import Died, Refused, right, unchecked, verdict, wrong


def node(text, inputs, *values, opset=14):
    return unchecked("(%s) => (float y) { y = %s }" % (inputs, text), *values, opset=opset)


aborts, three = Died("SIGABRT"), [1, 2, 3]
wrong("MatMul of scalars", node("MatMul(x, x)", "float x", [1]), Refused(), seen=aborts)
wrong("BatchNormalization of a scalar", node("BatchNormalization(x, a, a, a, a)", "float x, float[1] a", [1], [1]),
      Refused(), seen=Died("SIGSEGV"))
wrong("ScatterND of scalars", node("ScatterND(x, i, u)", "float x, int64 i, float u", [1], [2], [3]), Refused(),
      seen=aborts)
wrong("Trilu of one axis", node("Trilu(x)", "float[3] x", three), Refused(), seen=aborts)
wrong("Conv of one axis", node("Conv(x, w)", "float[3] x, float[3] w", three, three), Refused(), seen=aborts)
wrong("LRN of one axis", node("LRN<size = 3>(x)", "float[3] x", three), Refused(), seen=aborts)
for op in "MaxPool", "AveragePool":
    wrong(op + " of one axis", node(op + "<kernel_shape = [1]>(x)", "float[3] x", three), Refused(), seen=aborts)
wrong("Attention of one axis", node("Attention(x, x, x)", "float[3] x", three, opset=23), Refused(), seen=aborts)
right("MatMul of a matrix and a vector", node("MatMul(m, x)", "float[1,3] m, float[3] x", three, three), [14])
right("Trilu of two axes", node("Trilu(x)", "float[2,2] x", [1, 2, 3, 4]), [1, 2, 0, 4])
right("Gemm of one axis", node("Gemm(x, x)", "float[3] x", three), Refused())
verdict()
