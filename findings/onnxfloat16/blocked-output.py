"""
title: With keep_io_types an output that comes from an operator of the block list is float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: a graph output is that of an operator which stays in float32 (TopK, Max, Min, CumSum, Range, Resize, …);
    behind another node it is right.
rule: ONNX Runtime's documentation of the function, keep_io_types: inputs and outputs are left as float32.
documented: data/quirks.tsv, Max
tracker: none found
"""
from library import call, right, verdict, wrong

FLOAT = 1  # as ONNX numbers types; 10 is float16

wrong("CumSum", call("(float[2] x) => (float[2] y) <int64 a = {0}> { y = CumSum(x, a) }", [1, 2], typed=True), FLOAT,
      seen=10)
wrong("Max", call("(float[2] x) => (float[2] y) { y = Max(x, x) }", [1, 2], typed=True), FLOAT, seen=10)
right("behind it a node", call("(float[2] x) => (float[2] y) { t = Max(x, x) y = Neg(t) }", [1, 2], typed=True), FLOAT)
verdict()
