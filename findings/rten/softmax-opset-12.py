"""
title: Softmax before opset 13 is taken along one axis; it is over all axes from that one on.
library: rten
shows: 0.27.0
class: bug
condition: The opset is below 13, and axes of more than one element are behind axis.  From opset 13 on it is right.
rule: ONNX Softmax-11: the input is coerced into a matrix, of which the second axis holds all axes from axis on.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: https://github.com/robertknight/rten/pull/1414 says that this is not handled yet
"""
import math

from library import call, right, verdict, wrong

X = [1, 5, 2, 0, 3, 4]
ROW = [math.exp(v) / sum(math.exp(w) for w in X) for v in X]
COLUMNS = [math.exp(v) / (math.exp(v) + math.exp(w)) for v, w in zip(X, X[3:] + X[:3])]


def softmax(opset):
    return call("(float[1,2,3] x) => (float[1,2,3] y) { y = Softmax<axis = 1>(x) }", X, opset=opset)


wrong("opset 12", softmax(12), ROW, seen=COLUMNS)
right("opset 13", softmax(13), COLUMNS)
verdict()
