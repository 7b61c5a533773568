"""
title: Arithmetic on uint8 kills the process (SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: uint8.  int32 is right.
rule: ONNX Add-14 and the like: uint8 is among the types.
documented: data/quirks.tsv, Add
tracker: none found
"""
from library import Died, call, right, verdict, wrong

def of(op, kind):
    return call("(%s[2] x, %s[2] z) => (%s[2] y) { y = %s(x, z) }" % (kind, kind, kind, op), [8, 6], [2, 2], opset=14)


for op, expected in ("Add", [10, 8]), ("Sub", [6, 4]), ("Mul", [16, 12]), ("Div", [4, 3]), ("Max", [8, 6]), ("Min",
                                                                                                             [2, 2]):
    wrong(op + " of uint8", of(op, "uint8"), expected, seen=Died("SIGSEGV"))
    right(op + " of int32", of(op, "int32"), expected)
verdict()
