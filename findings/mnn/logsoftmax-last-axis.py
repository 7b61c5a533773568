"""
title: LogSoftmax over the last of two axes gives wrong numbers, or the process dies (SIGSEGV): not the same each time.
library: MNN
shows: 3.6.1
class: bug
condition: Two axes, the last one.  The middle of three axes is right.
rule: ONNX LogSoftmax-13.
documented: data/quirks.tsv, LogSoftmax
tracker: none found; https://github.com/alibaba/MNN/issues/1585 is about the result of small values, -87 (closed)
"""
import math

from library import call, right, verdict, wrong

def total(*x):
    return math.log(sum(math.exp(v) for v in x))


t = total(-1, 0, 1)
wrong("1 x 3", call("(float[1,3] x) => (float[1,3] y) { y = LogSoftmax(x) }", [-1, 0, 1]), [-1 - t, -t, 1 - t])
right("axis 1 of 1 x 3 x 1", call("(float[1,3,1] x) => (float[1,3,1] y) { y = LogSoftmax<axis = 1>(x) }", [-1, 0, 1]),
      [-1 - t, -t, 1 - t])
verdict()
