"""
title: Conv with SAME_LOWER pads at the end, as SAME_UPPER does.
library: rten
shows: 0.27.0
class: bug
condition: the padding is odd.
rule: ONNX Conv: with SAME_LOWER the extra padding is added at the beginning.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(float[1, 1, 2, 1] x) => (float[1, 1, 2, 1] y) <float[1, 1, 2, 1] w = {1, 10}> "
        "{ y = Conv<auto_pad = \"%s\", kernel_shape = [2, 1], strides = [1, 1]>(x, w) }")

wrong("SAME_LOWER", call(TEXT % "SAME_LOWER", [1, 2], opset=13), [10, 21], seen=[21, 2])
right("SAME_UPPER", call(TEXT % "SAME_UPPER", [1, 2], opset=13), [21, 2])
verdict()
