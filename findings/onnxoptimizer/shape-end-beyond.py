"""
title: A Shape whose end is behind the last axis becomes a constant with numbers from memory behind the sizes.
library: onnxoptimizer
shows: 0.4.2
class: bug
condition: The sizes of x are known, and end is greater than their number; pass eliminate_shape_op.  What is read, and
    whether the node is replaced at all, hangs on what lies there.
rule: ONNX Shape-15: end is clamped to [0, r], r being the rank of x.
documented: data/quirks.tsv, Shape
tracker: https://github.com/onnx/optimizer/issues/279 is about the same pass, which changes numbers
"""
from library import call, right, verdict, wrong

TEXT = "(float[3, 4, 5] x) => (int64[n] y) { y = Shape<end = %d>(x) }"
X = [0] * 60

wrong("one behind the last", call(TEXT % 4, X, opset=15), [3, 4, 5])
right("the last", call(TEXT % 3, X, opset=15), [3, 4, 5])
verdict()
