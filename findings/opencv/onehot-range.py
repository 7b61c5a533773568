"""
title: OneHot of an index that is not in the range marks another place.
library: OpenCV
shows: 5.0.0
class: bug
condition: an index of depth or more.
rule: ONNX OneHot: an index outside of [-depth, depth - 1] gives off_value alone.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(float[2] x) => (float[2, 2] y) <int64 d = {2}, float[2] v = {0, 1}> "
        "{ i = Cast<to = 7>(x) y = OneHot(i, d, v) }")

wrong("an index of depth", call(TEXT, [0, 2], opset=13), [1, 0, 0, 0], seen=[1, 0, 1, 0])
right("indices in the range", call(TEXT, [0, 1], opset=13), [1, 0, 0, 1])
verdict()
