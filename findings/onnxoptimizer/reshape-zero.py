"""
title: Of two Reshapes the first is dropped, though a 0 in the second stands for a dimension of the first.
library: onnxoptimizer
shows: 0.4.2
since: 0.4.1
class: bug
condition: a 0 in the second shape, and the first Reshape changes that dimension; pass
  eliminate_consecutive_idempotent_ops.
rule: ONNX Reshape: a 0 copies the dimension of the tensor that is reshaped.
documented: data/quirks.tsv, Reshape
tracker: https://github.com/onnx/optimizer/issues/259
"""
from library import array, call, right, verdict, wrong

TEXT = "(float[2, 6] x) => (float[3, 2, 2] y) { t = Reshape(x, a) y = Reshape(t, b) }"
SHAPES = "a = Constant<value = int64[2] {3, 4}>() b = Constant<value = int64[3] {%s}>() "


def reshaped(second):
    return call(TEXT.replace("{ ", "{ " + SHAPES % second), [range(6), range(6, 12)])


X = range(12)
wrong("0 stands for 3", reshaped("0, 2, -1"), array((3, 2, 2), X), seen=array((2, 2, 3), X))
right("3 is told", reshaped("3, 2, -1"), array((3, 2, 2), X))
verdict()
