"""
title: ReduceL1, L2, LogSum, LogSumExp and SumSquare whose keepdims is left out drop the reduced axes; they must stay,
    with size 1.
library: MNN
shows: 3.6.1
class: bug
condition: keepdims is left out, with axes or without.  keepdims = 1 is right, and so are ReduceSum, ReduceMean and
    ReduceMax.
rule: ONNX ReduceL1-13, attribute keepdims: "default 1 means keep reduced dimension".
documented: docs/methods/fuzz.md, Found in MNN and tract on 19 November
tracker: none found
found: fuzz
"""
import math

from library import array, call, right, verdict, wrong


def reduced(op, attributes="axes = [1]"):
    return call("(float[2,2] x) => (float[2,1] y) { y = %s<%s>(x) }" % (op, attributes), [1, 2, 3, 4], opset=12)


def case(op, values):
    wrong(op, reduced(op), array([2, 1], values), seen=array([2], values))


case("ReduceL1", [3, 7])
case("ReduceL2", [5 ** 0.5, 5])
case("ReduceLogSum", [math.log(3), math.log(7)])
case("ReduceLogSumExp", [math.log(math.e + math.e ** 2), math.log(math.e ** 3 + math.e ** 4)])
case("ReduceSumSquare", [5, 25])
right("ReduceL1, keepdims 1", reduced("ReduceL1", "axes = [1], keepdims = 1"), array([2, 1], [3, 7]))
right("ReduceSum", reduced("ReduceSum"), array([2, 1], [3, 7]))
verdict()
