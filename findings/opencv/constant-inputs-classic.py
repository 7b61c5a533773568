"""
title: The classic engine does not count constants as inputs: Trilu ignores k, ArgMax of a constant kills the process,
    Hardmax and RMSNormalization are refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine.  The same node takes an input of the graph, and the new engine is right.
    `constant-operands-classic` has two more that are refused.
rule: ONNX IR: any input of a node may be an initializer.
documented: docs/methods/fuzz.md, What it found
tracker: https://github.com/opencv/opencv/issues/23297 (open; ReduceMin of constants is refused)
found: fuzz
"""
from library import Died, Refused, call, right, verdict, wrong

ARGMAX = "() => (int64[1] y) <float[2] w = {1, 2}> { y = ArgMax(w) }"
TRILU = "(float[1,2] x%s) => (float[1,2] y) %s { y = Trilu(x, k) }"
HARD = "() => (float[1,2] y) <float[1,2] w = {1, 2}> { y = Hardmax(w) }"
RMS = "(float[1,2] x) => (float[1,2] y) <float[2] w = {1, 1}> { y = RMSNormalization(x, w) }"

wrong("Trilu", call(TRILU % ("", "<int64 k = {2}>"), [1, 2], engine=1, opset=14), [0, 0], seen=[1, 2])
wrong("ArgMax", call(ARGMAX, engine=1), [1], seen=Died("SIGSEGV"))
wrong("Hardmax", call(HARD, engine=1), [0, 1], seen=Refused())
wrong("RMSNormalization", call(RMS, [1, 1], engine=1, opset=23, ir=10), [0.999995] * 2, seen=Refused())
right("Trilu, an input", call(TRILU % (", int64 k", ""), [1, 2], 2, engine=1, opset=14), [0, 0])
right("Trilu, the new engine", call(TRILU % ("", "<int64 k = {2}>"), [1, 2], opset=14), [0, 0])
right("ArgMax, the new engine", call(ARGMAX), [1])
verdict()
