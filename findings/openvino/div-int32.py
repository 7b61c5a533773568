"""
title: Div of int32 divides in float32: 2147483647 / 2 is 1073741824, and 16777217 / 1 is 16777216.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: Numbers above 2^24.  Below that it is right, and so are Mul and Sub.
rule: ONNX Div-14, which has int32 among its types: integers are divided, and the fraction is cut off.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/openvinotoolkit/openvino/issues/35830
"""
from library import model, right, run, verdict, wrong


def binary(name, a, b):
    m = model("(int32[1] x, int32[1] z) => (int32[1] y) { y = %s(x, z) }" % name)
    return lambda: run(m, [a], [b])


exact = {"rel": 0, "abs": 0}
wrong("2147483647 / 2", binary("Div", 2147483647, 2), [1073741823], seen=[1073741824], **exact)
wrong("16777217 / 1", binary("Div", 16777217, 1), [16777217], seen=[16777216], **exact)
right("16777213 / 2", binary("Div", 16777213, 2), [8388606], **exact)
right("-7 / 2", binary("Div", -7, 2), [-3], **exact)
right("16777217 * 2", binary("Mul", 16777217, 2), [33554434], **exact)
verdict()
