"""
title: PRelu of opset 6 with a slope for each channel gets slopes along the last axis.
library: onnxconvert
shows: 1.23.2
class: bug
condition: slope has one axis, and the input more than two.
rule: ONNX PRelu-6: slope is shared or has one number for each channel; PRelu-7 broadcasts it, from the last axis.
documented: data/quirks.tsv, PRelu
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[1, 2, 2] x) => (float[1, 2, 2] y) <float[%d] s = {%s}> { y = PRelu(x, s) }"
X = [[[-1, -1], [-1, -1]]]

wrong("two slopes", call(TEXT % (2, "1, 10"), X, opset=6, to=7), [[[-1, -1], [-10, -10]]],
      seen=[[[-1, -10], [-1, -10]]])
right("one slope", call(TEXT % (1, "10"), X, opset=6, to=7), [[[-10, -10], [-10, -10]]])
verdict()
