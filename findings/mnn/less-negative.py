"""
title: Less compares floats as the integers of their bits: of two negative numbers the larger one is less.
library: MNN
shows: 3.6.1
class: bug
condition: Both numbers are negative floats.
rule: ONNX Less-13.
documented: data/quirks.tsv, Less
tracker: none found; https://github.com/alibaba/MNN/issues/2691 is about GREATER_EQUAL of floats, taken as integers in
    CPURaster (closed; changed in 2.8.1)
"""
from library import call, right, verdict, wrong

def less(a, b):
    return call("(float[1] x, float[1] z) => (bool[1] y) { y = Less(x, z) }", [a], [b])


wrong("-1 < -2", less(-1, -2), [0], seen=[1])
wrong("-2 < -1", less(-2, -1), [1], seen=[0])
right("1 < 2", less(1, 2), [1])
right("-1 < 2", less(-1, 2), [1])
verdict()
