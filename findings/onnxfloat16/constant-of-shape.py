"""
title: ConstantOfShape without value stays float32, and its output is taken for float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: the attribute value is left out, which stands for a float32 of 0; with it the type is converted.
rule: ONNX ConstantOfShape: value is by default a tensor of one float32, 0.
documented: data/quirks.tsv, ConstantOfShape
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(int64[1] s, float[2] x) => (float[?] y) { t = ConstantOfShape %s(s) y = Add(t, x) }"

wrong("no value", call(TEXT % "", [2], [1, 2]), [1, 2], seen=Refused("elem type differs"))
right("a value", call(TEXT % "<value = float[1] {3}> ", [2], [1, 2]), [4, 5])
verdict()
