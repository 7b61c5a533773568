"""
title: MatMul and Gemm of int64, uint32 and uint64 abort the process; they are valid models.
library: tract
shows: 0.23.9
class: bug
condition: Those types.  int32 and float64 are right.
rule: ONNX MatMul-9 and 13, Gemm-9 to 13, type constraint T: int32, int64, uint32 and uint64 beside the floats.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Died, model, right, run, verdict, wrong


def product(op, kind):
    m = model("(%s[1,2] x, %s[2,1] w) => (float[1,1] y) { t = %s(x, w) y = Cast<to = 1>(t) }" % (kind, kind, op))
    return lambda: run(m, [1, 2], [3, 4])


for op in "MatMul", "Gemm":
    for kind in "int64", "uint32", "uint64":
        wrong(op + " of " + kind, product(op, kind), [11], seen=Died("SIGABRT"))
    for kind in "int32", "double":
        right(op + " of " + kind, product(op, kind), [11])
verdict()
