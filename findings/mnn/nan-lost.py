"""
title: LeakyRelu, Elu, Selu, Sigmoid, Tanh and Exp of NaN give numbers, LeakyRelu 0 and Sigmoid 1; NaN is right.
library: MNN
shows: 3.6.1
class: bug
condition: float32.  Neg, Sqrt, Erf and HardSwish of NaN are NaN.
rule: The function bodies of ONNX LeakyRelu-16, Elu-6 and Selu-6 take x itself where x < 0 does not hold; of the others
    IEEE 754, 6.2: an operation with a quiet NaN gives a quiet NaN.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
import math

from library import call, right, verdict, wrong

nan = math.nan


def of(op):
    return call("(float[8] x) => (float[8] y) { y = %s(x) }" % op, [nan] * 8, opset=16)


for op, seen in (("LeakyRelu", 0), ("Elu", -1), ("Selu", -1.7580993), ("Sigmoid", 1), ("Tanh", 1), ("Exp", 0)):
    wrong(op, of(op), [nan] * 8, seen=[seen] * 8)
for op in "Neg", "Sqrt", "Erf", "HardSwish":
    right(op, of(op), [nan] * 8)
verdict()
