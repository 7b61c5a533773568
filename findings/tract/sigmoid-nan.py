"""
title: Sigmoid, Tanh and Swish of NaN give numbers: 4.5e-7, -0.999999 and -6.5e-6; NaN is right.
library: tract
shows: 0.23.9
class: bug
condition: float32.  Tanh of float64, and Exp, Erf, Elu, Softplus and Gelu, are right.
rule: IEEE 754, 6.2: an operation with a quiet NaN gives a quiet NaN; ONNX Swish-24: x times the sigmoid of x.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found; https://github.com/sonos/tract/issues/2618 (closed) is about negative numbers from the same Sigmoid
found: fuzz
"""
import math

from library import model, right, run, verdict, wrong

nan = math.nan


def of(op, kind="float", opset=20):
    m = model("(%s[2] x) => (%s[2] y) { y = %s(x) }" % (kind, kind, op), opset=opset)
    return lambda: run(m, [nan, 0])


wrong("Sigmoid", of("Sigmoid"), [nan, 0.5], seen=[4.5e-7, 0.5])
wrong("Tanh", of("Tanh"), [nan, 0], seen=[-0.9999994, 0])
wrong("Swish", of("Swish", opset=24), [nan, 0], seen=[-6.48e-6, 0])
right("Tanh of float64", of("Tanh", "double"), [nan, 0])
for op, at_0 in ("Exp", 1), ("Erf", 0), ("Elu", 0), ("Softplus", math.log(2)), ("Gelu", 0):
    right(op, of(op), [nan, at_0])
verdict()
