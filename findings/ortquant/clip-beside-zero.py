"""
title: Clip to numbers above 0, or below 0, is dropped, and its ends with it.
library: onnxruntime
shows: 1.31.1
class: bug
condition: a quantized node is before a Clip whose range does not have 0 in it.  The Clip goes, since the range of the
    steps cuts as it does; but that range has 0 in it always.
rule: ONNX Clip: no result is below min or above max.
documented: data/quirks.tsv, Clip
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = """(float[3] x) => (float[3] y) <float[3] w = {1, 1, 1}, float low = {%g}, float high = {%g}>
    { t = Mul(x, w) y = Clip(t, low, high) }"""

wrong("from 1 to 2", call(TEXT % (1, 2), [-4, 1.5, 4], opset=19), [1, 1.5, 2], seen=[0, 1.5, 2], abs=0.05)
wrong("from -2 to -1", call(TEXT % (-2, -1), [-4, -1.5, 4], opset=19), [-2, -1.5, -1], seen=[-2, -1.5, 0], abs=0.05)
right("from 0 to 2", call(TEXT % (0, 2), [-4, 1.5, 4], opset=19), [0, 1.5, 2], abs=0.05)
verdict()
