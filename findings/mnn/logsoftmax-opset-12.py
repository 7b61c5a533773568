"""
title: LogSoftmax up to opset 12 goes along one axis alone; over all places from that axis on is right.
library: MNN
shows: 3.6.1
class: bug
condition: Opset 12 and below, and axes of more than one element behind axis.  Softmax of the same opset is right,
    and so is LogSoftmax from opset 13 on.
rule: ONNX LogSoftmax-11: the input is coerced into a matrix at axis, and each row of it is one.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
import math

from library import call, right, verdict, wrong

X = [1, 5, 2, 0, 3, 4]
ROW = [v - math.log(sum(math.exp(w) for w in X)) for v in X]
COLUMNS = [v - math.log(math.exp(v) + math.exp(w)) for v, w in zip(X, X[3:] + X[:3])]


def node(op, opset):
    return call("(float[1,2,3] x) => (float[1,2,3] y) { y = %s<axis = 1>(x) }" % op, X, opset=opset)


wrong("LogSoftmax, opset 12", node("LogSoftmax", 12), ROW, seen=COLUMNS)
right("Softmax, opset 12", node("Softmax", 12), [math.exp(v) for v in ROW])
right("LogSoftmax, opset 13", node("LogSoftmax", 13), COLUMNS)
verdict()
