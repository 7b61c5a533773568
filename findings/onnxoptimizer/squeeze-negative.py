"""
title: Two Squeezes of the last axis become one of the last axis and the first.
library: onnxoptimizer
shows: 0.4.2
since: 0.3.9
class: bug
condition: negative axes in both; pass fuse_consecutive_squeezes.
rule: ONNX Squeeze: a negative axis counts from the end of the tensor that is squeezed.
documented: data/quirks.tsv, Squeeze
tracker: https://github.com/onnx/optimizer/issues/35
"""
from library import array, call, right, verdict, wrong

TEXT = ("(float[1, 3, 1, 1] x) => (float[1, 3] y) "
        "{ a = Constant<value = int64[1] {%d}>() b = Constant<value = int64[1] {%d}>() "
        "t = Squeeze(x, a) y = Squeeze(t, b) }")
X = [[[[1]], [[2]], [[3]]]]

wrong("from the end", call(TEXT % (-1, -1), X), array((1, 3), [1, 2, 3]), seen=array((3, 1), [1, 2, 3]))
right("from the beginning", call(TEXT % (3, 2), X), array((1, 3), [1, 2, 3]))
verdict()
