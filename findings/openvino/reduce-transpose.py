"""
title: Transpose behind a reduction without keepdims is dropped: of [1, 3, 5], summed over axis 1, [1, 5] comes
    out; [5, 1] is right.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: The reduction takes an axis behind a first one of size 1, and the Transpose moves that one.  With keepdims
    it is right, so is a reduction of the first or the last axis, a first axis of 2, and an operator between the two.
rule: ONNX Transpose-13: axis i of the result has the size of axis perm[i].
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/openvinotoolkit/openvino/issues/37959
"""
from library import array, model, right, run, verdict, wrong


def transposed(shape, axis, name="ReduceSum", nodes="y = Transpose<perm = [1, 0]>(r)"):
    m = model("(float[%d,%d,%d] x) => (float[n,m] y) <int64[1] axis = {%d}> { r = %s<keepdims = %d>(x, axis) %s }"
              % (*shape, axis, name, "Squeeze" in nodes, nodes), opset=18)
    return lambda: run(m, range(shape[0] * shape[1] * shape[2]))


sums = [15, 18, 21, 24, 27]  # 0 to 14 in three rows of five
wrong("ReduceSum", transposed([1, 3, 5], 1), array([5, 1], sums), seen=array([1, 5], sums))
wrong("ReduceMax", transposed([1, 3, 5], 1, "ReduceMax"), array([5, 1], [10, 11, 12, 13, 14]),
      seen=array([1, 5], [10, 11, 12, 13, 14]))
right("of the first axis", transposed([3, 1, 5], 0), array([5, 1], sums))
right("a first axis of 2", transposed([2, 3, 5], 1), array([5, 2], [15, 60, 18, 63, 21, 66, 24, 69, 27, 72]))
right("Abs between", transposed([1, 3, 5], 1, nodes="a = Abs(r) y = Transpose<perm = [1, 0]>(a)"), array([5, 1], sums))
right("keepdims and Squeeze", transposed([1, 3, 5], 1, nodes="s = Squeeze(r, axis) y = Transpose<perm = [1, 0]>(s)"),
      array([5, 1], sums))
verdict()
