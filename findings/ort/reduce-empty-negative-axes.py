"""
title: ReduceSum and other reductions along an axis of no elements that is counted from the end leave it as it is.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The input has no elements, and an axis below 0 is among the axes: a tensor of [0, 2] reduced along -2 stays
    [0, 2].  Along axis 0 it is right, and so is -2 where there are elements.
rule: ONNX ReduceSum-13: "Reduction over an empty set of values yields 0", and axes from -r to r - 1 are accepted.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
import numpy as np

from library import array, model, right, run, verdict, wrong


def reduced(op, axis, rows=0):
    m = model("(float[%d,2] x) => (float[a,2] y) <int64[1] axes = {%d}> { y = %s(x, axes) }" % (rows, axis, op),
              opset=18)
    return lambda: run(m, np.ones((rows, 2), np.float32))


inf, nothing = float("inf"), array([0, 2], [])
wrong("ReduceSum of [0, 2] along -2", reduced("ReduceSum", -2), array([1, 2], [0, 0]), seen=nothing)
wrong("ReduceProd of [0, 2] along -2", reduced("ReduceProd", -2), array([1, 2], [1, 1]), seen=nothing)
wrong("ReduceMax of [0, 2] along -2", reduced("ReduceMax", -2), array([1, 2], [-inf, -inf]), seen=nothing)
right("ReduceSum of [0, 2] along 0", reduced("ReduceSum", 0), array([1, 2], [0, 0]))
right("ReduceSum of [3, 2] along -2", reduced("ReduceSum", -2, 3), array([1, 2], [3, 3]))
verdict()
