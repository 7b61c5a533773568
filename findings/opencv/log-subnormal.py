"""
title: Log of any number below the normal ones of float32 is -103.97; -87.34 is right for 1.17e-38.
library: OpenCV
shows: 5.0.0
class: precision
condition: A subnormal number, both engines.  Other operators take such numbers for 0, whose Log is right.
rule: ONNX Log-13: the natural logarithm.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = "(float[1,1] x) => (float[1,1] y) { y = Log(x) }"

wrong("1.17e-38", call(TEXT, [1.17e-38]), [-87.34112], seen=[-103.972076])
wrong("1.17e-38, the classic engine", call(TEXT, [1.17e-38], engine=1), [-87.34112], seen=[-103.972076])
right("1.18e-38", call(TEXT, [1.18e-38]), [-87.33261])
right("0", call(TEXT, [0]), [-float("inf")])
verdict()
