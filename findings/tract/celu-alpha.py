"""
title: Celu does not multiply by alpha: of -1 with alpha 2 it gives -0.393469; -0.786939 is right.
library: tract
shows: 0.23.9
class: bug
condition: alpha is not 1 and x is negative.
rule: ONNX Celu-12: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
import math

from library import model, right, run, verdict, wrong


def celu(alpha):
    m = model("(float[2] x) => (float[2] y) { y = Celu<alpha = %.1f>(x) }" % alpha)
    return lambda: run(m, [-1, 1])


half = math.exp(-0.5) - 1
wrong("alpha 2", celu(2), [2 * half, 1], seen=[half, 1])
right("alpha 1", celu(1), [math.exp(-1) - 1, 1])
verdict()
