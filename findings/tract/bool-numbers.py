"""
title: Equal, ReduceMax and ReduceMin of bool are refused ("Bool is not a number"); they are valid models.
library: tract
shows: 0.23.9
class: limit
condition: bool.  Xor of bool and Equal of uint8 are right.
rule: ONNX Equal-13, ReduceMax-20 and ReduceMin-20: bool is among the types.
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
from library import Refused, model, right, run, verdict, wrong


def binary(op, kind="bool"):
    m = model("(%s[2] x, %s[2] z) => (bool[2] y) { y = %s(x, z) }" % (kind, kind, op))
    return lambda: run(m, [1, 0], [1, 1])


def reduced(op, kind="bool"):
    m = model("(%s[2] x) => (%s[1] y) { y = %s(x) }" % (kind, kind, op), opset=20)
    return lambda: run(m, [1, 0])


words = Refused("Bool is not a number")
wrong("Equal", binary("Equal"), [True, False], seen=words)
wrong("ReduceMax", reduced("ReduceMax"), [True], seen=words)
wrong("ReduceMin", reduced("ReduceMin"), [False], seen=words)
right("Xor", binary("Xor"), [False, True])
right("Equal of uint8", binary("Equal", "uint8"), [True, False])
right("ReduceMax of uint8", reduced("ReduceMax", "uint8"), [1])
verdict()
