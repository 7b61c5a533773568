"""
title: Hardmax of several equal maxima marks a later one: of 24 numbers the fifth in the place of the second.
library: openvino
shows: 2026.4.1
class: bug
condition: the largest number is there more than once in a row of 24; of six numbers the first one is marked.
rule: ONNX Hardmax-13: 1 if the element is the first maximum value along the specified axis, 0 otherwise.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/openvinotoolkit/openvino/issues/33398;
    https://github.com/openvinotoolkit/openvino/pull/33410 (closed) chose another order of its TopK
found: fuzz
"""
from library import model, right, run, verdict, wrong


def hardmax(values, opset=13):
    m = model("(float[1,%d] x) => (float[1,%d] y) { y = Hardmax<axis = 1>(x) }" % (len(values), len(values)),
              opset=opset)
    return lambda: run(m, [values])


def mark(at, n):
    return [[float(i == at) for i in range(n)]]


six = [1, 2, 0, 2, 2, 1]
wrong("the second of 24", hardmax(six * 4), mark(1, 24), seen=mark(4, 24))
wrong("opset 11", hardmax(six * 4, 11), mark(1, 24), seen=mark(4, 24))
right("the second of six", hardmax(six), mark(1, 6))
right("24, one maximum", hardmax([0, 3] + six * 3 + [0] * 4), mark(1, 24))
verdict()
