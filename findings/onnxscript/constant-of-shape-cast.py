"""
title: The optimizer fails on ConstantOfShape before a Cast to a type that the number does not fit into.
library: onnxscript
shows: 0.7.2
class: bug
condition: an integer, which Cast wraps; rule cast_constant_of_shape; NumPy 2, which refuses such a number
    (OverflowError: "Python integer 300 out of bounds for uint8").  With NumPy 1.26 the result is right.
rule: ONNX Cast-13: of an integer that does not fit higher bits are discarded; 200 as int8 is -56.
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
