"""
title: Swish ignores alpha: of 1 with alpha 0 it gives 0.731059; 0.5 is right.
library: tract
shows: 0.23.9
class: bug
condition: alpha is not 1.
rule: ONNX Swish-24: x * sigmoid(alpha * x).
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import math

from library import model, right, run, verdict, wrong

X = [-1, 1, 2]


def swish(alpha):
    m = model("(float[3] x) => (float[3] y) { y = Swish<alpha = %.1f>(x) }" % alpha, opset=24, ir=10)
    return lambda: run(m, X)


def formula(alpha):
    return [x / (1 + math.exp(-alpha * x)) for x in X]


wrong("alpha 0", swish(0), formula(0), seen=formula(1))
wrong("alpha 2", swish(2), formula(2), seen=formula(1))
right("alpha 1", swish(1), formula(1))
verdict()
