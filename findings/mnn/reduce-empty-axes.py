"""
title: ReduceSum with axes without elements gives a tensor of the input's shape, the sum in its first place and 0
    elsewhere.
library: MNN
shows: 3.6.1
class: bug
condition: axes has no elements, with noop_with_empty_axes or without.  Where axes is left out it is right.
rule: ONNX ReduceSum-13: all axes are reduced; with noop_with_empty_axes = 1 none is.
documented: data/quirks.tsv, ReduceSum
tracker: none found
"""
from library import array, call, right, verdict, wrong

def reduced(more, shape, axes=", a"):
    return call("(float[2,2] x) => (float[%s] y) <int64[0] a = {}> { y = ReduceSum%s(x%s) }" % (shape, more, axes),
                [1, 2, 3, 4])


seen = array([2, 2], [10, 0, 0, 0])
wrong("noop_with_empty_axes", reduced("<noop_with_empty_axes = 1>", "2,2"), array([2, 2], [1, 2, 3, 4]), seen=seen)
wrong("all axes", reduced("", "1,1"), array([1, 1], [10]), seen=seen)
right("axes left out", reduced("", "1,1", ""), array([1, 1], [10]))
verdict()
