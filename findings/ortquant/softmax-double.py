"""
title: quantize_static refuses a Softmax of float64.
library: onnxruntime
shows: 1.31.1
class: bug
condition: a Softmax of float64.  Of float32 it is quantized, and other operators of float64 stay as they are.
rule: ONNX Runtime: quantize_static takes any valid model; what it cannot quantize stays as it is.
documented: data/quirks.tsv, Softmax
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

DOUBLE = "(double[2] x) => (double[2] y) { y = %s(x) }"

wrong("Softmax of float64", call(DOUBLE % "Softmax", [0, 0], opset=21), [0.5, 0.5],
      seen=Refused("Only an existing tensor"))
right("Sigmoid of float64", call(DOUBLE % "Sigmoid", [0, 0], opset=21), [0.5, 0.5])
right("Softmax of float32", call("(float[2] x) => (float[2] y) { y = Softmax(x) }", [0, 0], opset=21), [0.5, 0.5],
      abs=0.01)
verdict()
