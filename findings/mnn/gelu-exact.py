"""
title: Gelu with approximate none gives the values of the tanh approximation: of -2.5 -0.01508, -0.01552 is right.
library: MNN
shows: 3.6.1
class: bug
condition: approximate is none; the converter's --useGeluApproximation 0 changes nothing.
rule: ONNX Gelu-20: 0.5 x (1 + erf(x / sqrt(2))).
documented: data/quirks.tsv, Gelu
tracker: none found
"""
import math

from library import call, right, verdict, wrong

def exact(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def gelu(kind):
    return call('(float[2] x) => (float[2] y) { y = Gelu<approximate = "%s">(x) }' % kind, [-2.5, 1], opset=20)


wrong("none", gelu("none"), [exact(-2.5), exact(1)], seen=[tanh(-2.5), tanh(1)])
right("tanh", gelu("tanh"), [tanh(-2.5), tanh(1)])
verdict()
