"""
title: Pow of int64 by one number of int64 from 3 on is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine; the exponent is a single number, a constant or an input: "func != 0 in function 'pow'".  By
    0, 1 and 2, by a tensor of exponents, in int32, and with the classic engine it is right.
rule: ONNX Pow-13: int64 is one of the types of both inputs.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "({0}[1,2] x) => ({0}[1,2] y) <{0}{1} k = {{{2}}}> {{ y = Pow(x, k) }}"
wrong("by 4", call(TEXT.format("int64", "", 4), [-1, 3], opset=13), [[1, 81]], seen=Refused())
wrong("by 4, one axis", call(TEXT.format("int64", "[1]", 4), [-1, 3], opset=13), [[1, 81]], seen=Refused())
right("by 2", call(TEXT.format("int64", "[1]", 2), [-1, 3], opset=13), [[1, 9]])
right("by 4 and 4", call(TEXT.format("int64", "[2]", "4, 4"), [-1, 3], opset=13), [[1, 81]])
right("int32", call(TEXT.format("int32", "", 4), [-1, 3], opset=13), [[1, 81]])
verdict()
