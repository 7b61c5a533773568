"""
title: An output that another node reads too is read there in float32.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; the output of the graph is also an input of a node.
rule: ONNX Abs: the output has the type of the input, float32 here; it is declared float16.
documented: data/quirks.tsv, Neg
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (float[2] y, float[2] z) { %s }"

wrong("read inside", call(TEXT % "y = Neg(x) z = Abs(y)", [1, 2]), ([-1, -2], [1, 2]),
      seen=Refused("elem type differs"))
right("two nodes", call(TEXT % "y = Neg(x) z = Abs(x)", [1, 2]), ([-1, -2], [1, 2]))
verdict()
