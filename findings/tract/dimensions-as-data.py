"""
title: Pad, TopK and EyeLike of numbers that come from Shape or from a Cast to int64 are refused ("TDim is not a
    number").
library: tract
shows: 0.23.9
class: bug
condition: The data are the result of Shape, Size or a Cast to int64, which tract keeps as dimensions.  An int64 that
    is an
    input is right.
rule: ONNX Pad-13, TopK-11 and EyeLike-9 take int64.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong

says = Refused("TDim is not a number")


def numbers(node, result, source="Cast<to = 7>", kind="float", shape="[2]"):
    m = model("(%s%s x) => (int64[%s] y) <int64[2] pads = {1, 1}, int64[1] one = {1}> { s = %s(x) %s }"
              % (kind, shape, result, source, node))
    return lambda: run(m, [3, 5, 0, 0][:4 if shape == "[2,2]" else 2])


wrong("Pad of a Cast", numbers("y = Pad(s, pads)", "4"), [0, 3, 5, 0], seen=says)
wrong("Pad of a Shape", numbers("y = Pad(s, pads)", "3", "Shape"), [0, 2, 0], seen=says)
wrong("TopK of a Cast", numbers("y, i = TopK(s, one)", "1"), [5], seen=says)
wrong("EyeLike of a Cast", numbers("y = EyeLike(s)", "2,2", shape="[2,2]"), [1, 0, 0, 1], seen=says)
right("Pad of an input", numbers("y = Pad(s, pads)", "4", "Identity", "int64"), [0, 3, 5, 0])
right("TopK of an input", numbers("y, i = TopK(s, one)", "1", "Identity", "int64"), [5])
right("EyeLike of an input", numbers("y = EyeLike(s)", "2,2", "Identity", "int64", "[2,2]"), [1, 0, 0, 1])
verdict()
