"""
title: Reductions over no elements give what lies in memory.
library: tvm
shows: 0.27.0.post1
class: bug
condition: the axis that is reduced has no elements.
rule: ONNX ReduceProd-18: "Reduction over an empty set of values yields 1"; ReduceSum-13: 0.
documented: data/quirks.tsv, ReduceProd
tracker: https://github.com/apache/tvm/issues/19578 (open; https://github.com/apache/tvm/pull/19680 is merged)
"""
import numpy as np

from library import call, right, verdict, wrong


def reduce(n):
    x = np.ones((2, n), np.float32)
    return call("(float[2, %d] x) => (float[2, 1] y) <int64[1] a = {1}> { y = ReduceProd(x, a) }" % n, x, opset=18)


wrong("no elements", reduce(0), [1, 1])
right("three elements", reduce(3), [1, 1])
verdict()
