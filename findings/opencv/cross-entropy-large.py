"""
title: SoftmaxCrossEntropyLoss of two equal numbers of 1000 is 0.693176; log 2, 0.693147, is right.
library: OpenCV
shows: 5.0.0
class: precision
condition: Large numbers, both engines: what the largest one takes of the logarithm is lost.  LogSoftmax of them is
    right, and so is the loss of small numbers.
rule: ONNX SoftmaxCrossEntropyLoss-13: -log(softmax(x)[t]); x - max(x) is exact here.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

TEXT = """(float[1,2] x, int64[1] t) => (float[1] y)
    { y = SoftmaxCrossEntropyLoss<reduction = "none">(x, t) }"""

wrong("1000", call(TEXT, [1000, 1000], [0]), [0.69314718], seen=[0.69317627])
wrong("1000, the classic engine", call(TEXT, [1000, 1000], [0], engine=1), [0.69314718], seen=[0.69317627])
right("1", call(TEXT, [1, 1], [0]), [0.69314718])
right("LogSoftmax", call("(float[1,2] x) => (float[1,2] y) { y = LogSoftmax(x) }", [1000, 1000]), [-0.69314718] * 2)
verdict()
