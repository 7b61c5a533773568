"""
title: LogSoftmax before opset 13 is taken along one axis; it is over all axes from that one on.
library: rten
shows: 0.27.0
class: bug
condition: The opset is below 13, and the axis is not the last one.
rule: ONNX LogSoftmax-11: the input is coerced into a matrix, of which the second axis holds all axes from axis on.
documented: data/quirks.tsv, LogSoftmax
tracker: https://github.com/robertknight/rten/pull/1414 (merged; says that opset 11 and before are not
    handled yet)
"""
import math

from library import call, right, verdict, wrong


def log_softmax(opset):
    return call("(float[1,2] x) => (float[1,2] y) { y = LogSoftmax<axis = 0>(x) }", [0, 0], opset=opset)


wrong("opset 12", log_softmax(12), [-math.log(2), -math.log(2)], seen=[0, 0])
right("opset 13", log_softmax(13), [0, 0])
verdict()
