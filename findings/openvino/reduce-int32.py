"""
title: ReduceSum and ReduceMax of int32 compute in float32: the largest of 16777217 and 2 is 16777216.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: int32 (and int64), numbers above 2^24.  Add and Max of two tensors are right.
rule: ONNX ReduceMax-18 and ReduceSum-13 have int32 among their types; 32 bits hold these results.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/openvinotoolkit/openvino/issues/37956 is about the same in MatMul
"""
from library import model, right, run, verdict, wrong


def reduce(name, kind="int32"):
    m = model("(%s[2] x) => (%s[1] y) { y = %s(x) }" % (kind, kind, name), opset=18)
    return lambda: run(m, [16777217, 2])


def pair(name):
    m = model("(int32[1] x, int32[1] z) => (int32[1] y) { y = %s(x, z) }" % name)
    return lambda: run(m, [16777217], [2])


exact = {"rel": 0, "abs": 0}
wrong("ReduceMax", reduce("ReduceMax"), [16777217], seen=[16777216], **exact)
wrong("ReduceSum", reduce("ReduceSum"), [16777219], seen=[16777218], **exact)
wrong("ReduceSum of int64", reduce("ReduceSum", "int64"), [16777219], seen=[16777218], **exact)
right("Max of two tensors", pair("Max"), [16777217], **exact)
right("Add", pair("Add"), [16777219], **exact)
verdict()
