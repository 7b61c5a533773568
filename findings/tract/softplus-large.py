"""
title: Softplus of 89 and more is infinite; x itself is right.
library: tract
shows: 0.23.9
class: bug
condition: exp(x) is beyond the largest float.
rule: ONNX Softplus-1: ln(exp(x) + 1), which is x to the last digit.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import model, right, run, verdict, wrong


def softplus(x):
    m = model("(float[1] x) => (float[1] y) { y = Softplus(x) }")
    return lambda: run(m, [x])


wrong("189", softplus(189), [189], seen=[float("inf")])
wrong("89", softplus(89), [89], seen=[float("inf")])
right("88", softplus(88), [88])
verdict()
