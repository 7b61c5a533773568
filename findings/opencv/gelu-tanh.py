"""
title: Gelu with approximate tanh gives the values of the error function.
library: OpenCV
shows: 5.0.0
class: bug
condition: approximate is tanh.
rule: ONNX Gelu-20: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
documented: data/quirks.tsv, Gelu
tracker: none found
"""
import math

from library import call, right, verdict, wrong

EXACT = 0.5 * -2.5 * (1 + math.erf(-2.5 / math.sqrt(2)))
TANH = 0.5 * -2.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (-2.5 + 0.044715 * -2.5 ** 3)))


def gelu(kind):
    return call('(float[1] x) => (float[1] y) { y = Gelu<approximate = "%s">(x) }' % kind, [-2.5], opset=20)


wrong("tanh", gelu("tanh"), [TANH], seen=[EXACT])
right("none", gelu("none"), [EXACT])
verdict()
