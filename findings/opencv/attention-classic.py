"""
title: The classic engine refuses Attention of ONNX: it asks for num_heads, which com.microsoft's Attention has.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine: "num_heads is required but missing".  The new engine is right.
rule: ONNX Attention-23: queries of four axes have their heads as an axis; there is no attribute num_heads.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1,1,1,2] q, float[1,1,1,2] k, float[1,1,1,2] v) => (float[1,1,1,2] y) { y = Attention(q, k, v) }"
X = [[1, 2]] * 3

wrong("the classic engine", call(TEXT, *X, engine=1, opset=23, ir=10), [1, 2], seen=Refused("num_heads"))
right("the new engine", call(TEXT, *X, opset=23, ir=10), [1, 2])
verdict()
