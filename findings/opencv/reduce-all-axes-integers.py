"""
title: A reduction of integers whose axes name all axes kills the process (SIGSEGV) in the new engine, too.
library: OpenCV
shows: 5.0.0
class: bug
condition: int32 or int64, two axes or more; `reduce-all-axes` is about the classic engine.  Floats are right, and so
    are axes that are left out.
rule: ONNX ReduceSum-13, input axes: any axes of data.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Died, call, right, verdict, wrong

def reduce(op, kind, more=", a"):
    return call("(%s[1,2] x) => (%s[1,1] y) <int64[2] a = {0, 1}> { y = %s(x%s) }" % (kind, kind, op, more), [1, 2],
                opset=18)


segv = Died("SIGSEGV")
wrong("ReduceMax of int64", reduce("ReduceMax", "int64"), [2], seen=segv)
wrong("ReduceSumSquare of int32", reduce("ReduceSumSquare", "int32"), [5], seen=segv)
right("of float32", reduce("ReduceMax", "float"), [2])
right("no axes", reduce("ReduceMax", "int64", ""), [2])
verdict()
