"""
title: Hardmax up to opset 12 has a 1 along one axis alone; one 1 among all places from that axis on is right.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: Opset 12 and below, and axes of more than one element behind axis.  With axis the last one, and from opset
    13 on, it is right; LogSoftmax of opset 12 is right.
rule: ONNX Hardmax-11: the input is coerced into a matrix at axis, and each row of it has one 1.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found; https://github.com/llvm/torch-mlir/pull/3342 brought Hardmax, by its version 13
"""
from library import SECONDS, call, right, verdict, wrong

X = [1, 5, 2, 0, 3, 4]


def hardmax(opset, axis):
    return call("(float[1,2,3] x) => (float[1,2,3] y) { y = Hardmax<axis = %d>(x) }" % axis, X, opset=opset)


wrong("opset 12, axis 1", hardmax(12, 1), [0, 1, 0, 0, 0, 0], seen=[1, 1, 0, 0, 0, 1], seconds=SECONDS)
right("opset 12, axis 2", hardmax(12, 2), [0, 1, 0, 0, 0, 1], seconds=SECONDS)
right("opset 13, axis 1", hardmax(13, 1), [1, 1, 0, 0, 0, 1], seconds=SECONDS)
verdict()
