"""
title: ReduceMax and ReduceMin of a tensor without elements kill the process (SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: The reduced axis has size 0.
rule: ONNX ReduceMax-20: the result is minus infinity, of ReduceMin infinity.
documented: data/quirks.tsv, ReduceMax
tracker: none found
"""
import math

from library import Died, call, right, verdict, wrong

def reduced(op, size, *x):
    return call("(float[2,%d] x) => (float[2,1] y) <int64[1] a = {1}> { y = %s(x, a) }" % (size, op), x, opset=20)


wrong("ReduceMax", reduced("ReduceMax", 0), [-math.inf, -math.inf], seen=Died("SIGSEGV"))
wrong("ReduceMin", reduced("ReduceMin", 0), [math.inf, math.inf], seen=Died("SIGSEGV"))
right("one element", reduced("ReduceMax", 1, 5, 6), [5, 6])
verdict()
