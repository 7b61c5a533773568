"""
title: EyeLike with a dtype of float32 stays float32, and its output is taken for float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; dtype is float32.  Without dtype the type is that of the input, which is converted.
rule: ONNX EyeLike: dtype is the type of the output.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2, 2] x) => (float[2, 2] y) { t = EyeLike%s(x) y = Add(t, x) }"
X = [[1, 2], [3, 4]]

wrong("dtype", call(TEXT % "<dtype = 1>", X), [2, 2, 3, 5], seen=Refused("elem type"))
right("no dtype", call(TEXT % "", X), [2, 2, 3, 5])
verdict()
