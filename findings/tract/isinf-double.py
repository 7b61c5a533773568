"""
title: IsInf of float64 is refused; it is a valid model.
library: tract
shows: 0.23.9
class: limit
condition: float64.  float32 is right.
rule: ONNX IsInf-10, type constraint T1: float, double.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def isinf(kind):
    m = model("(%s[2] x) => (bool[2] y) { y = IsInf(x) }" % kind)
    return lambda: run(m, [1, float("inf")])


wrong("float64", isinf("double"), [False, True], seen=Refused("IsInf"))
right("float32", isinf("float"), [False, True])
verdict()
