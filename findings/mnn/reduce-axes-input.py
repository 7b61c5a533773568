"""
title: ReduceL1, L2, LogSum, LogSumExp and SumSquare of opset 18 ignore axes and keepdims: all axes are reduced.
library: MNN
shows: 3.6.1
class: bug
condition: Opset 18, where axes is an input.  ReduceSum, ReduceMean and ReduceMax are right.
rule: ONNX ReduceL1-18, input axes.
documented: data/quirks.tsv, ReduceL1
tracker: none found
"""
import math

from library import array, call, right, verdict, wrong

def reduced(op):
    return call("(float[2,2] x) => (float[2,1] y) <int64[1] a = {1}> { y = %s(x, a) }" % op, [1, 2, 3, 4], opset=18)


e = math.exp
wrong("ReduceL1", reduced("ReduceL1"), array([2, 1], [3, 7]), seen=array([], [10]))
wrong("ReduceL2", reduced("ReduceL2"), array([2, 1], [5 ** 0.5, 5]), seen=array([], [30 ** 0.5]))
wrong("ReduceLogSum", reduced("ReduceLogSum"), array([2, 1], [math.log(3), math.log(7)]),
      seen=array([], [math.log(10)]))
wrong("ReduceLogSumExp", reduced("ReduceLogSumExp"), array([2, 1], [math.log(e(1) + e(2)), math.log(e(3) + e(4))]))
wrong("ReduceSumSquare", reduced("ReduceSumSquare"), array([2, 1], [5, 25]), seen=array([], [30]))
right("ReduceSum", reduced("ReduceSum"), array([2, 1], [3, 7]))
verdict()
