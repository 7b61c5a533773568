"""
title: Softmax with an axis that is not there gives what lies in memory that nothing has written; it must be refused.
library: MNN
shows: 3.6.1
class: bug
condition: An axis below -r, or above r: other numbers each time.  An axis of r gives ones.  Axes that are there are
    right.
rule: ONNX Softmax-13: axis "in the range [-r, r-1]".
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
import math

from library import Refused, call, right, verdict, wrong


def softmax(axis):
    return call("(float[2,3] x) => (float[2,3] y) { y = Softmax<axis = %d>(x) }" % axis, [1, 2, 3, 4, 5, 6],
                check=False, opset=13)


parts = [math.exp(i) for i in range(3)]
row = [p / sum(parts) for p in parts]
wrong("axis -3", softmax(-3), Refused())
wrong("axis -100", softmax(-100), Refused())
wrong("axis 5", softmax(5), Refused())
wrong("axis 2", softmax(2), Refused(), seen=[1] * 6)
right("axis 1", softmax(1), row + row)
right("axis -1", softmax(-1), row + row)
verdict()
