"""
title: A model of which nothing is to be quantized, of IR version 3, is refused.
library: onnxruntime
shows: 1.31.1
class: bug
condition: no operator of it is quantized and the IR version is below 4; the model that is made to calibrate then has an
  initializer that no node reads.
rule: ONNX Runtime: quantize_static takes any valid model; operators that it does not know stay as they are.
documented: data/quirks.tsv, And
tracker: none found; https://github.com/microsoft/onnxruntime/issues/9663 (closed) is about initializers of IR version
    3 that ONNX Runtime itself makes of constants
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(bool[2] a, bool[2] b) => (bool[2] y) { y = And(a, b) }"

wrong("And, IR version 3", call(TEXT, [True, False], [True, True], opset=7, ir=3), [True, False],
      seen=Refused("initializer_arg was false"))
right("IR version 4", call(TEXT, [True, False], [True, True], opset=7, ir=4), [True, False])
verdict()
