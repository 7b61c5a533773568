"""
title: Sign of 0 is 1; it is 0.
library: rten
shows: 0.27.0
class: bug
condition: The number is 0, and a float.
rule: ONNX Sign-13: if input > 0, output 1; if input < 0, output -1; if input == 0, output 0.
documented: data/quirks.tsv, Sign
tracker: none found
"""
from library import call, right, verdict, wrong


def sign(values):
    return call("(float[2] x) => (float[2] y) { y = Sign(x) }", values)


wrong("zero", sign([0, 3]), [0, 1], seen=[1, 1])
right("others", sign([-2, 3]), [-1, 1])
verdict()
