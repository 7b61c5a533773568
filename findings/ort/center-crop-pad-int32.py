"""
title: CenterCropPad with a shape of int32 is refused; int32 is one of its types.
library: onnxruntime
shows: 1.31.1
class: bug
condition: The shape is of int32, constant or not, with or without axes.  There is no kernel, so that the function of
    ONNX stands in for the operator; it gives Max the shape of the input, of int64, and this one.  int64 is right.
rule: ONNX CenterCropPad-18, type constraint Tind: int32 or int64.
documented: docs/methods/fuzz.md, What it found
tracker: none found
found: fuzz
"""
from library import Refused, model, right, run, verdict, wrong


def padded(kind, node="CenterCropPad(x, s)", sizes=(1, 3)):
    m = model("(float[1,1] x) => (float[1,3] y) <%s[%d] s = {%s}> { y = %s }"
              % (kind, len(sizes), ", ".join(map(str, sizes)), node), opset=18)
    return lambda: run(m, [5])


wrong("int32", padded("int32"), [0, 5, 0], seen=Refused("bound to different types"))
wrong("int32, one axis", padded("int32", "CenterCropPad<axes = [1]>(x, s)", [3]), [0, 5, 0],
      seen=Refused("bound to different types"))
right("int64", padded("int64"), [0, 5, 0])
verdict()
