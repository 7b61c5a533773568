"""
title: ReduceSum, ReduceL1 and ReduceMean of int64 keep the lower 32 bits of each number: the sum of 2 ** 33 and 1 is
    1.
library: tract
shows: 0.23.9
class: bug
condition: int64, numbers of 2 ** 31 and more.  ReduceMax and Abs of such numbers are right, and so are sums of small
    ones.
rule: ONNX ReduceSum-13, ReduceL1-13 and ReduceMean-13, type constraint T: int64.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import model, right, run, verdict, wrong


def reduce(op, *numbers):
    m = model("(int64[%d] x) => (int64[1] y) { y = %s(x) }" % (len(numbers), op))
    return lambda: run(m, list(numbers))


wrong("ReduceSum", reduce("ReduceSum", 2 ** 33, 1), [2 ** 33 + 1], seen=[1])
wrong("ReduceL1", reduce("ReduceL1", -2 ** 33, 1), [2 ** 33 + 1], seen=[1])
wrong("ReduceMean", reduce("ReduceMean", 2 ** 34, 2 ** 34), [2 ** 34], seen=[0])
right("ReduceSum, small", reduce("ReduceSum", 2 ** 20, 1), [2 ** 20 + 1])
right("ReduceMax", reduce("ReduceMax", 2 ** 33, 1), [2 ** 33])
verdict()
