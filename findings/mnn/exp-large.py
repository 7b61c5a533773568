"""
title: Exp stays at 6.1e37 above 87, and Softplus at 87: of 88 Exp must give 1.7e38, of 1000 infinity, and Softplus of
    100 is 100.
library: MNN
shows: 3.6.1
class: bug
condition: Numbers above 87.  Exp of 86, Softplus of 80, Sinh of 88 and Elu of 1000 are right.
rule: ONNX Exp-13: the exponential of the input; Softplus-1: ln(exp(x) + 1).  The largest float32 is 3.4e38.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
import math

from library import call, right, verdict, wrong


def of(op, *values):
    return call("(float[%d] x) => (float[%d] y) { y = %s(x) }" % (len(values), len(values), op), values, opset=13)


wrong("Exp of 88 and 1000", of("Exp", 88, 1000), [math.exp(88), math.inf], seen=[6.07605e37] * 2)
wrong("Softplus of 100 and 1000", of("Softplus", 100, 1000), [100, 1000], seen=[87, 87])
right("Sinh of 88", of("Sinh", 88), [math.sinh(88)])
right("Exp of 86", of("Exp", 86), [math.exp(86)], rel=1e-4)
right("Softplus of 80", of("Softplus", 80), [80])
right("Elu of 1000", of("Elu", 1000), [1000])
verdict()
