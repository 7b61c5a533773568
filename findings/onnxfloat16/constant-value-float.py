"""
title: A Constant with value_float or value_floats stays float32, and its output is taken for float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: the attribute is value_float or value_floats; value is converted.
rule: ONNX Constant: value_float and value_floats give a float32 tensor.
documented: data/quirks.tsv, Constant
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (float[2] y) { c = Constant <%s> () y = Add(x, c) }"

wrong("value_floats", call(TEXT % "value_floats = [3.0, 1.0]", [1, 2]), [4, 3], seen=Refused("elem type differs"))
wrong("value_float", call(TEXT % "value_float = 3.0", [1, 2]), [4, 5], seen=Refused("elem type differs"))
right("value", call(TEXT % "value = float[2] {3, 1}", [1, 2]), [4, 3])
verdict()
