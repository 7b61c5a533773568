"""
title: BatchNormalization whose scale, bias, mean and variance are inputs of the graph kills the process (SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: They are inputs of the graph.  Constants are right.
rule: ONNX BatchNormalization-9: inputs, of which none must be a constant.
documented: data/quirks.tsv, BatchNormalization
tracker: none found
"""
from library import Died, call, right, verdict, wrong

wrong("inputs", call("""(float[1,2,1,1] x, float[2] s, float[2] b, float[2] m, float[2] v) => (float[1,2,1,1] y)
    { y = BatchNormalization<epsilon = 0.0>(x, s, b, m, v) }""", [1, 2], [1, 1], [0, 0], [0, 0], [1, 1]), [1, 2],
      seen=Died("SIGSEGV"))
right("constants", call("""(float[1,2,1,1] x) => (float[1,2,1,1] y)
    <float[2] s = {1, 1}, float[2] b = {0, 0}, float[2] m = {0, 0}, float[2] v = {1, 1}>
    { y = BatchNormalization<epsilon = 0.0>(x, s, b, m, v) }""", [1, 2]), [1, 2])
verdict()
