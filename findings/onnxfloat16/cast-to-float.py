"""
title: A Cast to float32 stays one, and its output is taken for float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: an operator behind it has another input that became float16, or it gives an output of the graph.
rule: ONNX Cast: the output has the type of the attribute to.  ONNX Add: both inputs have one type.
documented: data/quirks.tsv, Cast
tracker: https://github.com/microsoft/onnxconverter-common/issues/320
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(int64[2] x, float[2] z) => (float[2] y) { t = Cast <to = 1> (x) y = Add(t, z) }"

wrong("before Add", call(TEXT, [1, 2], [1, 2]), [2, 4], seen=Refused("elem type differs"))
right("no Cast", call("(float[2] x, float[2] z) => (float[2] y) { y = Add(x, z) }", [1, 2], [1, 2]), [2, 4])
verdict()
