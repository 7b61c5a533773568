"""
title: Reductions over three of four axes leave rows out: the sum of 1, 3 and 5 is 7.
library: OpenCV
shows: 4.10.0, 4.14.0, 5.0.0
class: bug
condition: Three axes, the first of them among these and larger than 2; ReduceSum, ReduceMax, ReduceMean,
    ReduceL2.  One axis and two are right, and so are the last three.
rule: ONNX ReduceSum-13: all elements along the axes count.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/opencv/opencv/pull/25120 is about one axis of five
"""
from library import call, right, verdict, wrong


def reduce(name, shape, axes, n):
    sizes = "%d,%d,%d,%d" % shape
    return call("(float[%s] x) => (float[a,b,c,d] y) <int64[%d] axes = {%s}> { y = %s(x, axes) }"
                % (sizes, len(axes), ",".join(map(str, axes)), name), range(1, n + 1), opset=18)


wrong("ReduceSum, axes 0, 1, 2", reduce("ReduceSum", (3, 1, 1, 2), [0, 1, 2], 6), [9, 12], seen=[7, 10])
wrong("ReduceMax, axes 0, 1, 2", reduce("ReduceMax", (3, 1, 1, 2), [0, 1, 2], 6), [5, 6])
wrong("ReduceSum, axes 0, 2, 3", reduce("ReduceSum", (3, 2, 2, 2), [0, 2, 3], 24), [126, 174], seen=[94, 142])
right("ReduceSum, axes 0, 1", reduce("ReduceSum", (3, 1, 1, 2), [0, 1], 6), [9, 12])
right("ReduceSum, axes 1, 2, 3", reduce("ReduceSum", (3, 2, 2, 2), [1, 2, 3], 24), [36, 100, 164])
right("ReduceSum, axes 0, 3", reduce("ReduceSum", (3, 2, 2, 2), [0, 3], 24), [57, 69, 81, 93])
verdict()
