"""
title: ReduceL1, ReduceSumSquare and ReduceProd of int64 are computed in float64: 2^53 + 1 alone gives 2^53.
library: onnxruntime
shows: 1.31.1
class: bug
condition: int64, and a result that float64 does not have, as ReduceSum's (reduce-sum-int64).  ReduceMax is right.
rule: ONNX ReduceL1-18, ReduceSumSquare-18 and ReduceProd-18: sums and products of the elements, in their type.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import array, model, right, run, verdict, wrong


def reduced(op, x, less):
    m = model("(int64[1] x) => (int64[1] y) { y = %s(x) }" % op)
    return lambda: [v - less for v in run(m, array([1], [x], "int64"))]


large, odd = 2**53 + 1, 94906267
wrong("ReduceL1 of 2^53 + 1, less 2^53", reduced("ReduceL1", large, 2**53), [1], seen=[0])
wrong("ReduceProd of 2^53 + 1, less 2^53", reduced("ReduceProd", large, 2**53), [1], seen=[0])
wrong("ReduceSumSquare of 94906267, less its square", reduced("ReduceSumSquare", odd, odd**2), [0], seen=[-1])
right("ReduceMax of 2^53 + 1, less 2^53", reduced("ReduceMax", large, 2**53), [1])
right("ReduceL1 of -7", reduced("ReduceL1", -7, 0), [7])
right("ReduceSumSquare of 3", reduced("ReduceSumSquare", 3, 0), [9])
verdict()
