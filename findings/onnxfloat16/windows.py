"""
title: HannWindow and others without output_datatype stay float32, and their outputs are taken for float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: the attribute output_datatype is left out: HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix.
rule: ONNX HannWindow: output_datatype is by default 1, float32.
documented: data/quirks.tsv, HannWindow
tracker: none found; https://github.com/microsoft/onnxconverter-common/pull/239 (merged) is about RandomUniformLike
"""
from library import Refused, call, right, verdict, wrong

def window(name):
    return call("(int64 n) => (float[?] y) { y = %s(n) }" % name, 4, opset=17)


wrong("HannWindow", window("HannWindow"), [0, 0.5, 1, 0.5], seen=Refused("elem type differs"))
right("an operator that takes floats", call("(float[2] x) => (float[2] y) { y = Neg(x) }", [1, 2], opset=17), [-1, -2])
verdict()
