"""
title: QuantizeLinear whose scale is an input of the graph kills the process (SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: The scale is an input of the graph.  A constant is right.
rule: ONNX QuantizeLinear-13, input y_scale.
documented: data/quirks.tsv, QuantizeLinear
tracker: none found
"""
from library import Died, call, right, verdict, wrong

wrong("an input",
      call("(float[2] x, float s, uint8 z) => (uint8[2] y) { y = QuantizeLinear(x, s, z) }", [1, 2], 0.5, 1), [3, 5],
      seen=Died("SIGSEGV"))
right("a constant",
      call("(float[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {1}> { y = QuantizeLinear(x, s, z) }", [1, 2]),
      [3, 5])
verdict()
