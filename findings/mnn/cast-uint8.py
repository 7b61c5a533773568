"""
title: Cast from float32 to uint8 kills the process (SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: From float32 to uint8.  To int32 it is right.
rule: ONNX Cast-13.
documented: docs/methods/fuzz.md, The paper's failures on MNN
tracker: none found
"""
from library import Died, call, right, verdict, wrong

def cast(name, number):
    return call("(float[2] x) => (%s[2] y) { y = Cast<to = %d>(x) }" % (name, number), [1, 2])


wrong("to uint8", cast("uint8", 2), [1, 2], seen=Died("SIGSEGV"))
right("to int32", cast("int32", 6), [1, 2])
verdict()
