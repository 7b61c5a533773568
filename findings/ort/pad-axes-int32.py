"""
title: Pad with constant pads and constant axes of int32 is refused; int32 is one of the types of axes.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The axes are a constant of int32.  Axes of int64, and axes of int32 that are fed, are right.  ONNX's own
    inference of shapes, which the library has in it, reads all constant axes as int64.
rule: ONNX Pad-18, type constraint Tind: int32 or int64.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import Refused, model, right, run, verdict, wrong


def padded(kind, fed=False):
    """The checker's own inference would refuse the model, too."""
    axes = "%s[1] axes" % kind
    m = model("(float[1,1] x%s) => (float[a,b] y) <int64[2] p = {0, 1}%s> { y = Pad(x, p, , axes) }"
              % (", " + axes if fed else "", "" if fed else ", " + axes + " = {1}"), opset=18, check=False)
    return lambda: run(m, [[5]], *([[1]] if fed else []))


wrong("int32, constant", padded("int32"), [5, 0], seen=Refused("Expected:int64 Actual:int32"))
right("int32, fed", padded("int32", True), [5, 0])
right("int64, constant", padded("int64"), [5, 0])
verdict()
