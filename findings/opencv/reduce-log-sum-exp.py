"""
title: ReduceLogSumExp of 89 and more is infinite.
library: OpenCV
shows: 5.0.0
class: bug
condition: exp(x) is beyond float32; other libraries take the largest number out of the sum first.
rule: ONNX ReduceLogSumExp-18: the log of the sum of exponentials; that of 100 alone is 100.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import array, call, right, verdict, wrong


def reduced(*x):
    return call("(float[1,2] x) => (float[1,1] y) <int64[1] axes = {1}> { y = ReduceLogSumExp(x, axes) }", x, opset=18)


wrong("100 and 0", reduced(100, 0), array([1, 1], [100]), seen=array([1, 1], [float("inf")]))
right("80 and 0", reduced(80, 0), array([1, 1], [80]))
verdict()
