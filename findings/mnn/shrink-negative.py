"""
title: Shrink of -2 with lambd 1.5 gives 0; -0.5 is right with bias 1.5.
library: MNN
shows: 3.6.1
class: bug
condition: x is below -lambd: it is built from Less, which compares negative floats wrongly.
rule: ONNX Shrink-9: x + bias where x < -lambd.
documented: data/quirks.tsv, Shrink
tracker: none found; https://github.com/alibaba/MNN/issues/2691 is about GREATER_EQUAL of floats, taken as integers in
    CPURaster (closed; changed in 2.8.1)
"""
from library import call, right, verdict, wrong

def shrink(x):
    return call("(float[1] x) => (float[1] y) { y = Shrink<lambd = 1.5, bias = 1.5>(x) }", [x])


wrong("-2", shrink(-2), [-0.5], seen=[0])
right("2", shrink(2), [0.5])
verdict()
