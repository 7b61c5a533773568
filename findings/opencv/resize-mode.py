"""
title: Resize and Upsample without mode are refused; it is nearest when it is left out.
library: OpenCV
shows: 5.0.0
class: bug
condition: mode is left out, with both engines.
rule: ONNX Resize-18 and Upsample-9, attribute mode: the default is nearest.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Refused, array, call, right, verdict, wrong


def resize(operator, attributes, opset):
    return call("(float[1,1,1,2] x) => (float[1,1,1,4] y) <float[4] s = {1, 1, 1, 2}> { y = %s%s(x, %ss) }"
                % (operator, attributes, ", " if operator == "Resize" else ""), [1, 2], opset=opset)


doubled = array([1, 1, 1, 4], [1, 1, 2, 2])
wrong("Resize", resize("Resize", "", 18), doubled, seen=Refused())
wrong("Upsample", resize("Upsample", "", 9), doubled, seen=Refused())
right("Resize, mode told", resize("Resize", '<mode = "nearest">', 18), doubled)
right("Upsample, mode told", resize("Upsample", '<mode = "nearest">', 9), doubled)
verdict()
