"""
title: Softmax, LogSoftmax and Hardmax up to opset 12 go along one axis alone; over all places from that axis on is
    right.
library: OpenCV
shows: 5.0.0
class: bug
condition: Opset 12 and below, and axes of more than one element behind axis, in both engines.  With axis the last
    one, and from opset 13 on, it is right.
rule: ONNX Softmax-11, LogSoftmax-11 and Hardmax-11: the input is coerced into a matrix at axis, and each row of it
    is one.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found; https://github.com/opencv/opencv/pull/24613 is about the default of axis in these opsets
"""
import math

from library import call, right, verdict, wrong

X = [1, 5, 2, 0, 3, 4]
ROW = [v - math.log(sum(math.exp(w) for w in X)) for v in X]
COLUMNS = [v - math.log(math.exp(v) + math.exp(w)) for v, w in zip(X, X[3:] + X[:3])]


def exp(values):
    return [math.exp(v) for v in values]


def node(op, opset, axis):
    return call("(float[1,2,3] x) => (float[1,2,3] y) { y = %s<axis = %d>(x) }" % (op, axis), X, opset=opset)


wrong("Softmax, opset 12, axis 1", node("Softmax", 12, 1), exp(ROW), seen=exp(COLUMNS))
wrong("LogSoftmax, opset 12, axis 1", node("LogSoftmax", 12, 1), ROW, seen=COLUMNS)
wrong("Hardmax, opset 12, axis 1", node("Hardmax", 12, 1), [0, 1, 0, 0, 0, 0], seen=[1, 1, 0, 0, 0, 1])
right("Hardmax, opset 12, axis 2", node("Hardmax", 12, 2), [0, 1, 0, 0, 0, 1])
right("Softmax, opset 13, axis 1", node("Softmax", 13, 1), exp(COLUMNS))
right("Hardmax, opset 13, axis 1", node("Hardmax", 13, 1), [1, 1, 0, 0, 0, 1])
verdict()
