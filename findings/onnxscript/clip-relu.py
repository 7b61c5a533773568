"""
title: Relu after a Clip whose upper end is negative gives that end; 0 is right.
library: onnxscript
shows: 0.7.2
class: bug
condition: max of the Clip is below 0; rule of Relu after Clip, which makes one Clip from 0 to max.
rule: ONNX Relu-14, max(0, x): nothing below 0; Clip-13 with min above max gives max.
documented: docs/methods/fuzz.md, What it found
tracker: none found; https://github.com/microsoft/onnxscript/issues/2836 is about a Clip without max in the same rule
"""
from library import call, right, verdict, wrong

TEXT = "(float[3] x) => (float[3] y) <float a = {-2}, float b = {%g}> { %s }"
AFTER = 't = Clip(x, %s, b) y = Relu(t)'
X = [-5, 0, 5]

wrong("-2 to -1, then Relu", call(TEXT % (-1, AFTER % "a"), X), [0, 0, 0], seen=[-1, -1, -1])
wrong("up to -1, then Relu", call(TEXT % (-1, AFTER % '""'), X), [0, 0, 0], seen=[-1, -1, -1])
right("-2 to 1, then Relu", call(TEXT % (1, AFTER % "a"), X), [0, 0, 1])
right("Relu, then -2 to -1", call(TEXT % (-1, "t = Relu(x) y = Clip(t, a, b)"), X), [-1, -1, -1])
verdict()
