"""
title: Log of a Softmax without axis is refused, though axis has a default.
library: onnxsim
shows: 0.8.1
class: bug
condition: axis is left out; pass fuse_consecutive_log_softmax.
rule: ONNX Softmax-13: axis is optional, -1 by default.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1, 2] x) => (float[1, 2] y) { t = Softmax%s(x) y = Log(t) }"
RIGHT = [-0.69314718, -0.69314718]

wrong("axis left out", call(TEXT % "", [[1, 1]], opset=13), RIGHT, seen=Refused("axis"))
right("axis given", call(TEXT % "<axis = -1>", [[1, 1]], opset=13), RIGHT)
verdict()
