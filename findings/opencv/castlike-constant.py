"""
title: CastLike to uint32 or uint64 gives uint8, and 255 for what is larger, where a constant names the type.
library: OpenCV
shows: 5.0.0
class: bug
condition: In the new engine, the second input is a constant.  Where it is an input of the graph the type is right, and
    a constant of int32 or int64 is right, too.
rule: ONNX CastLike-15: the result has the type of the second input.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: by hand
"""
from library import array, call, right, verdict, wrong

TEXT = "(float[1,3] x) => ({0}[1,3] y) <{0}[1] k = {{1}}> {{ y = CastLike(x, k) }}"
VALUES = [1, 300, 70000]
for to in ("uint32", "uint64"):
    wrong(to, call(TEXT.format(to), VALUES, opset=15), array([1, 3], VALUES, to),
          seen=array([1, 3], [1, 255, 255], "uint8"))
for to in ("int32", "int64"):
    right(to, call(TEXT.format(to), VALUES, opset=15), array([1, 3], VALUES, to))
right("uint32, an input", call("(float[1,3] x, uint32[1] k) => (uint32[1,3] y) { y = CastLike(x, k) }", VALUES, [1],
                               opset=15), array([1, 3], VALUES, "uint32"))
verdict()
