"""
title: RMSNormalization and LayerNormalization refuse a scale of fewer axes than they normalize.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, axis = 0 of two, a scale of one axis, which is to be broadcast; one of two axes is right.
rule: ONNX RMSNormalization-23: "Scale tensor shape should be broadcastable to the normalized shape";
    LayerNormalization-17: Scale is unidirectionally broadcastable to X.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

def norm(op, shape, opset):
    return call("(float[2,2] x, float[%s] s) => (float[2,2] y) { y = %s<axis = 0>(x, s) }" % (shape, op), [1, 2, 3, 4],
                [1, 1] if shape == "2" else [1] * 4, opset=opset, ir=10, check=False)


RMS, LAYER = [0.3651481, 0.7302963, 1.0954444, 1.4605926], [-1.341635, -0.447212, 0.447212, 1.341635]
wrong("RMSNormalization", norm("RMSNormalization", "2", 23), RMS, seen=Refused())
wrong("LayerNormalization", norm("LayerNormalization", "2", 17), LAYER, seen=Refused())
right("RMSNormalization, two axes", norm("RMSNormalization", "2, 2", 23), RMS)
right("LayerNormalization, two axes", norm("LayerNormalization", "2, 2", 17), LAYER)
verdict()
