"""
title: Two Slices of an axis of odd size become a Split whose first part is the larger one.
library: onnxscript
shows: 0.7.2
class: bug
condition: Slices of the last axis without steps, the second half first in the graph; before opset 18 with an even
    size, too; rule SlicesSplit.
rule: ONNX Split-18: "If the tensor is not evenly splittable into num_outputs, the last chunk will be smaller"; before
    that there is no num_outputs.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

TEXT = ("(float[%d] x) => (float[%d] a, float[%d] b) <int64[1] z = {0}, int64[1] h = {%d}, int64[1] e = {%d}, "
        "int64[1] i = {-1}> { a = Slice(x, h, e, i) b = Slice(x, z, h, i) }")
ODD = TEXT % (5, 3, 2, 2, 5)
EVEN = TEXT % (4, 2, 2, 2, 4)

wrong("5, second half", lambda: call(ODD, [1, 2, 3, 4, 5], opset=18)()[0], [3, 4, 5], seen=[4, 5])
wrong("4, opset 13", lambda: call(EVEN, [1, 2, 3, 4], opset=13)()[0], [3, 4], seen=Refused("num_outputs"))
right("4, opset 18", lambda: call(EVEN, [1, 2, 3, 4], opset=18)()[0], [3, 4])
verdict()
