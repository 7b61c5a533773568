"""
title: An initializer that is an input as well becomes float16, and the input stays float32.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; an initializer is listed as an input of the graph, which IR version 3 wants.
rule: ONNX IR: an initializer is the default value of the input of its name, and has its type.
documented: data/quirks.tsv, Conv
tracker: https://github.com/microsoft/onnxconverter-common/pull/325 (open; the fix)
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }"

wrong("an input as well", call(TEXT, [1, 2], inputs=["w"]), [2, 4], seen=Refused("elem type differs"))
right("an initializer alone", call(TEXT, [1, 2]), [2, 4])
verdict()
