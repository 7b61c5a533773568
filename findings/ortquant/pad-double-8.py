"""
title: Pad of float64 below opset 10 ends in a type error.
library: onnxruntime
shows: 1.31.1
class: bug
condition: opset below 10, which the quantizer takes to 11: the value of Pad becomes an input of float32.  Opset 10
    stays as it is.
rule: ONNX Pad-2: T is tensor(float16), tensor(float) or tensor(double).
documented: data/quirks.tsv, Pad
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(double[2] x) => (double[2] y) { y = Pad<pads = [0, 0]>(x) }"

wrong("opset 8", call(TEXT, [1, 2], opset=8), [1, 2], seen=Refused("bound to different types"))
right("opset 10", call(TEXT, [1, 2], opset=10), [1, 2])
verdict()
