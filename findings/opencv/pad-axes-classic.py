"""
title: The classic engine refuses Pad with axes.
library: OpenCV
shows: 5.0.0
class: bug
condition: The classic engine, the fourth input of Pad-18; "params.has(paddings)".  Without it Pad is right, and so is
    the new engine.
rule: ONNX Pad-18, input axes: the axes that pads tells of.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1,2] x) => (float[1,3] y) <int64[%d] p = {%s}, int64[1] a = {1}> { y = Pad(x, p%s) }"

wrong("with axes", call(TEXT % (2, "0, 1", ",, a"), [1, 2], opset=18, engine=1), [1, 2, 0], seen=Refused("paddings"))
right("without", call(TEXT % (4, "0, 0, 0, 1", ""), [1, 2], opset=18, engine=1), [1, 2, 0])
right("the new engine", call(TEXT % (2, "0, 1", ",, a"), [1, 2], opset=18), [1, 2, 0])
verdict()
