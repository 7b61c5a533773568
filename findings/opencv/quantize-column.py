"""
title: QuantizeLinear of a matrix of one column multiplies by the scale in place of dividing.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, two axes of which the second has one element and the first more.  One row is right, and so
    are three axes.
rule: ONNX QuantizeLinear-13: y = saturate(round(x / y_scale) + y_zero_point).
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong


def quantized(shape):
    return call("(float[%s] x) => (uint8[%s] y) <float s = {0.5}, uint8 z = {100}> { y = QuantizeLinear(x, s, z) }"
                % (shape, shape), [1, -3, 4])


wrong("one column", quantized("3,1"), [102, 94, 108], seen=[100, 98, 102])
right("one row", quantized("1,3"), [102, 94, 108])
right("three axes", quantized("1,3,1"), [102, 94, 108])
verdict()
