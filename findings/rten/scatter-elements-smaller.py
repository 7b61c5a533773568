"""
title: ScatterElements writes to other elements where the indices have fewer than the data along another axis.
library: rten
shows: 0.27.0
class: bug
condition: the indices are smaller than the data along an axis that is not the operator's; the same with Scatter.
rule: ONNX ScatterElements-18: the updates' own position along the other axes is the position in the data.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = ("(float[1, 2, 1, 2] x) => (float[1, 2, 1, 2] y) "
        "<int64[1, 2, 1, %d] i = {0, 0%s}, float[1, 2, 1, %d] u = {1, 2%s}> { y = ScatterElements<axis = 0>(x, i, u) }")
X = [0] * 4

wrong("one column of two", call(TEXT % (1, "", 1, ""), X, opset=18), [1, 0, 2, 0], seen=[1, 2, 0, 0])
right("both columns", call(TEXT % (2, ", 0, 0", 2, ", 3, 4"), X, opset=18), [1, 2, 3, 4])
verdict()
