"""
title: A model with an optional as an input or output ends in UnboundLocalError.
library: onnxslim
shows: 0.1.98
class: bug
condition: an input or output of the graph is of type optional.
rule: ONNX Optional-15: values of type optional may be inputs and outputs of graphs.
documented: data/quirks.tsv, Optional
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

wrong("an output", call("(float[2] x) => (optional(float[2]) y) { y = Optional(x) }", [1, 2], opset=16), [1, 2],
      seen=Refused("UnboundLocalError"))
right("no optional", call("(float[2] x) => (float[2] y) { y = Neg(x) }", [1, 2], opset=16), [-1, -2])
verdict()
