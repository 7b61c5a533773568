"""
title: Reductions, ArgMax and ArgMin of uint32 and uint64 are refused ("U32 is not a number"); they are valid models.
library: tract
shows: 0.23.9
class: limit
condition: uint32 and uint64.  int32 and int64 are right, and uint8 for the operators that take it.
rule: ONNX ReduceSum-13, ReduceMax-13 and their like, ArgMax-13 and ArgMin-13, type constraint T: uint32 and uint64
    among others.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong

RESULTS = {"ReduceSum": 9, "ReduceMax": 5, "ReduceMin": 1, "ReduceProd": 15, "ArgMax": 2, "ArgMin": 0}


def reduced(op, kind):
    m = model("(%s[3] x) => (float[1] y) { t = %s(x) y = Cast<to = 1>(t) }" % (kind, op))
    return lambda: run(m, [1, 3, 5])


for op, expected in RESULTS.items():
    wrong(op + " of uint32", reduced(op, "uint32"), [expected], seen=Refused("U32 is not a number"))
    wrong(op + " of uint64", reduced(op, "uint64"), [expected], seen=Refused("U64 is not a number"))
    right(op + " of int64", reduced(op, "int64"), [expected])
for op in "ReduceMax", "ArgMin":
    right(op + " of uint8", reduced(op, "uint8"), [RESULTS[op]])
verdict()
