"""
title: Min of Max, and Max of Min, become one node that loses an axis, and in opset 10 and before one that is not
    valid.
library: onnxscript
shows: 0.7.2
class: bug
condition: one-element constants of a higher rank than x, or opset 10 and before; rules FuseMinMaxToClip and
    FuseMaxMinToClip, which make a Clip with bounds as inputs.
rule: ONNX Max-13 broadcasts as NumPy does, so the result has the larger rank, Clip-13 has that of its first input;
    Clip-6 has min and max as attributes and no other input.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, array, call, right, verdict, wrong

TEXT = ("(float[2] x) => (float[%s2] y) <float%s a = {0}, float b = {1}> { t = Min(x, b) y = Max(t, a) }")
X = [-1, 2]

wrong("rank 2", call(TEXT % ("1, ", "[1, 1]"), X), array((1, 2), [0, 1]), seen=array(2, [0, 1]))
wrong("opset 8", call(TEXT % ("", ""), X, opset=8), [0, 1], seen=Refused("Clip_6"))
right("rank 0", call(TEXT % ("", ""), X), [0, 1])
verdict()
