"""
title: ScatterND, ScatterElements and GatherND with an index that is not there, and CumSum with an axis that is not
    there, are run; they must be refused.
library: openvino
shows: 2026.4.1
class: bug
condition: Constant indices of 1000 in an axis of 2 and 3, an axis of -1000.  Those that are there are right.
rule: ONNX ScatterND-18, ScatterElements-18 and GatherND-13: "It is an error if any of the index values are out of
    bounds"; CumSum-14, input axis: "in the range [-rank(x), rank(x)-1]".
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Refused, model, right, run, verdict, wrong


def node(text, indices):
    m = model("(float[2,3] x) => (float[n,m] y) <int64[1,2] i = {0, %d}, int64 a = {%d}, float[1] one = {9}, "
              "float[1,2] two = {8, 9}> { y = %s }" % (indices, indices, text), check=False, opset=18)
    m.graph.output[0].type.tensor_type.ClearField("shape")
    return lambda: run(m, [1, 2, 3, 4, 5, 6])


FAR, NEAR = 1000, 1
for text, good in (("ScatterND(x, i, one)", [1, 9, 3, 4, 5, 6]),
                   ("ScatterElements<axis = 1>(x, i, two)", [8, 9, 3, 4, 5, 6]),
                   ("GatherND(x, i)", [2])):
    wrong(text + ", index 1000", node(text, FAR), Refused())
    right(text + ", index 1", node(text, NEAR), good)
wrong("CumSum, axis -1000", node("CumSum(x, a)", -1000), Refused())
right("CumSum, axis 1", node("CumSum(x, a)", 1), [1, 3, 6, 4, 9, 15])
verdict()
