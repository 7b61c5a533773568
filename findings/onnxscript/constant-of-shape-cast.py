"""
title: The optimizer fails on ConstantOfShape before a Cast to a type that the number does not fit into.
library: onnxscript
shows: 0.7.2
class: bug
condition: an integer, which Cast wraps; rule cast_constant_of_shape.
rule: ONNX Cast-13: integers that do not fit keep their low bits.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[2] x) => (uint8[2] y) { s = Shape(x) c = ConstantOfShape<value = int64[1] {%d}>(s) y = Cast<to = 2>(c) }"
X = [1, 2]

wrong("300 as uint8", call(TEXT % 300, X), [44, 44], seen=Refused(""))
wrong("-1 as uint8", call(TEXT % -1, X), [255, 255], seen=Refused(""))
right("3 as uint8", call(TEXT % 3, X), [3, 3])
verdict()
