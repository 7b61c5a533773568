"""
title: QuantizeLinear adds the zero point before it rounds: 0.5 and a zero point of 61 give 62.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, an odd zero point, x / y_scale half way between two integers.  An even zero point is right.
rule: ONNX QuantizeLinear-13: x / y_scale is rounded half to even, and then the zero point is added.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = "(float[1,4] x, float s, uint8 z) => (uint8[1,4] y) { y = QuantizeLinear(x, s, z) }"
X = [0.5, 1.5, 2.5, 16.5]

wrong("61", call(TEXT, X, 1, 61), [61, 63, 63, 77], seen=[62, 62, 64, 78])
right("60", call(TEXT, X, 1, 60), [60, 62, 62, 76])
verdict()
