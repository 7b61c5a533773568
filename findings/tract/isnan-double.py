"""
title: IsNaN of float64 is refused; it is a valid model.
library: tract
shows: 0.23.9
class: limit
condition: float64.  float16 and float32 are right.
rule: ONNX IsNaN-13, type constraint T1: double among others.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def is_nan(kind):
    m = model("(%s[2] x) => (bool[2] y) { y = IsNaN(x) }" % kind)
    return lambda: run(m, [1, float("nan")])


wrong("float64", is_nan("double"), [False, True], seen=Refused("Element wise eval in-place not defined"))
right("float32", is_nan("float"), [False, True])
right("float16", is_nan("float16"), [False, True])
verdict()
