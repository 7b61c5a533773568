"""
title: LayerNormalization without InvStdDev leaves Mean as memory that nobody set.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, two outputs.  With all three outputs Mean is right.
rule: ONNX LayerNormalization-17, output Mean: the mean that is used.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = ("(float[2,4] x, float[4] s) => (float[2,4] y, float[2,1] m%s) { y, m%s = LayerNormalization(x, s) }")
X = [1, 2, 3, 4, 5, 6, 7, 8]
Y = [-1.3416355, -0.4472118, 0.4472118, 1.3416355] * 2


def norm(*more):
    return call(TEXT % (more or ("", "")), X, [1] * 4, opset=17)


wrong("two outputs", norm(), (Y, [2.5, 6.5]))
right("three outputs", norm(", float[2,1] i", ", i"), (Y, [2.5, 6.5], [0.8944237] * 2))
verdict()
