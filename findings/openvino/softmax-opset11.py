"""
title: Softmax of opsets 11 and 12 normalizes along axis alone; all axes from it on belong to a row.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: Opset 11 or 12 and an axis that is not the last.  Opset 9, and LogSoftmax of opset 11, are right.
rule: ONNX Softmax-11, "coerced into a 2-dimensional tensor".
documented: data/quirks.tsv, Softmax
tracker: https://github.com/openvinotoolkit/openvino/issues/37823 (closed; the fix is in pull/37979)
"""
import math

from library import model, right, run, verdict, wrong


def softmax(op, opset, axis):
    m = model("(float[1,2,2] x) => (float[1,2,2] y) { y = %s<axis = %d>(x) }" % (op, axis), opset=opset)
    return lambda: run(m, [0, 0, 0, 0])


wrong("opset 11, axis 1", softmax("Softmax", 11, 1), [0.25] * 4, seen=[0.5] * 4)
wrong("opset 12, axis 1", softmax("Softmax", 12, 1), [0.25] * 4, seen=[0.5] * 4)
right("opset 11, axis 2", softmax("Softmax", 11, 2), [0.5] * 4)
right("opset 9, axis 1", softmax("Softmax", 9, 1), [0.25] * 4)
right("LogSoftmax, opset 11, axis 1", softmax("LogSoftmax", 11, 1), [math.log(0.25)] * 4)
verdict()
