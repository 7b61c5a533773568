"""
title: Flatten of a scalar is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: A tensor without axes, axis = 0; other operators take such tensors.
rule: ONNX Flatten-13: input of rank >= axis; with axis = 0 the output's first size is 1.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, array, call, right, verdict, wrong

wrong("a scalar", call("(float x) => (float[1,1] y) { y = Flatten<axis = 0>(x) }", 3), array([1, 1], [3]),
      seen=Refused("axis"))
right("one axis", call("(float[2] x) => (float[1,2] y) { y = Flatten<axis = 0>(x) }", [3, 4]), array([1, 2], [3, 4]))
verdict()
