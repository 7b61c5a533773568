"""
title: Resize with axes ends in IndexError.
library: onnxslim
shows: 0.1.98
class: bug
condition: Scales are for the axes that the attribute axes names, and these are fewer than all.  Scales for all axes are
    right.
rule: ONNX Resize-18, attribute axes: "it specifies a subset of axes that 'roi', 'scales' and 'sizes' refer to".
documented: data/quirks.tsv, Resize
tracker: none found
"""
from library import Refused, call, right, verdict, wrong


def resize(scales, axes):
    text = ", ".join(str(s) for s in scales)
    return call("(float[1, 1, 1, 2] x) => (float[1, 1, 1, 4] y) <float[%d] s = {%s}> "
                "{ y = Resize<mode = \"nearest\"%s>(x, , s) }" % (len(scales), text, axes), [[[[1, 2]]]], opset=18)


wrong("axes 2 and 3", resize([1, 2], ", axes = [2, 3]"), [1, 1, 2, 2], seen=Refused("IndexError"))
right("all axes", resize([1, 1, 1, 2], ""), [1, 1, 2, 2])
verdict()
