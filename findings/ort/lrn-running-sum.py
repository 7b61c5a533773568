"""
title: LRN adds and subtracts squares as it goes: after a channel of 10000 those of 1 come out as inf; 0.594604 is
    right.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: bug
condition: A channel's square is more than 2^24 times those that follow it (10^4 against 1), and it has left the window;
    size = 1, alpha = 1, bias = 1 and beta = 0.75 show it most.  After a channel of 100 it is right.
rule: ONNX LRN-13, formula of square_sum: the squares of the window alone.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import model, right, run, verdict, wrong


def lrn(values, size=1):
    m = model("(float[1,%d,1,1] x) => (float[1,%d,1,1] y) { y = LRN<size = %d, alpha = 1.0>(x) }"
              % (len(values), len(values), size))
    return lambda: run(m, values)


# x / (1 + x^2)^0.75; with size 3 the last channel has the window 1, 1: 1 / (1 + 2 / 3)^0.75
wrong("10000, 1, 1, size 1", lrn([1e4, 1, 1]), [0.01, 0.5946036, 0.5946036], seen=[0.01, float("inf"), float("inf")])
wrong("10000, 1, 1, size 3", lrn([1e4, 1, 1], 3), [0.02279507, 2.279507e-6, 0.6817316], abs=1e-8)
right("100, 1, 1, size 1", lrn([100, 1, 1]), [0.0999925, 0.5946036, 0.5946036])
verdict()
