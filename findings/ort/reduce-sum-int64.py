"""
title: ReduceSum of int64 is computed in float64: of 2^53 + 1 and 0 it gives 2^53.
library: onnxruntime
shows: 1.31.1
class: bug
condition: int64, and a sum that float64 does not have.
rule: ONNX ReduceSum-13: the sum of the elements, in the type of the input.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxruntime/pull/28743 is about sums of integers that do not fit
"""
from library import array, model, right, run, verdict, wrong

m = model("(int64[2] x) => (int64[1] y) { y = ReduceSum(x) }")
large = 2**53


def total(*x):
    return lambda: [v - (large if v[0] >= large else 0) for v in run(m, array([2], x, "int64"))]


wrong("2^53 + 1 and 0, less 2^53", total(large + 1, 0), [1], seen=[0])
right("2^53 + 2 and 0, less 2^53", total(large + 2, 0), [2])
right("3 and 4", total(3, 4), [7])
verdict()
