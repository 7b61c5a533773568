"""
title: BatchNormalization whose epsilon is left out takes 1e-10; 1e-5 is right.
library: MNN
shows: 3.6.1
class: bug
condition: epsilon is left out: with a variance of 0 the result is 316 times too large, with one of 1 it is off by 5e-6.
    epsilon = 0.00001 is right.
rule: ONNX BatchNormalization-15, attribute epsilon: 1e-5 unless told.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import call, right, verdict, wrong


def normalized(variance, attributes=""):
    return call("""(float[1,1,1,1] x) => (float[1,1,1,1] y)
        <float[1] scale = {1}, float[1] b = {0}, float[1] mean = {1}, float[1] var = {%s}>
        { y = BatchNormalization%s(x, scale, b, mean, var) }""" % (variance, attributes), [0], opset=15)


wrong("variance 0.0001", normalized("0.0001"), [-(0.00011 ** -0.5)], seen=[-100])
wrong("variance 0", normalized("0.0"), [-(1e-5 ** -0.5)], seen=[-1e5])
right("variance 0.0001, epsilon 1e-5", normalized("0.0001", "<epsilon = 0.00001>"), [-(0.00011 ** -0.5)])
right("variance 0, epsilon 1e-5", normalized("0.0", "<epsilon = 0.00001>"), [-(1e-5 ** -0.5)], rel=1e-4)
verdict()
