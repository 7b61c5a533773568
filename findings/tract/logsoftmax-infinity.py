"""
title: LogSoftmax returns -infinity where a number is far below the largest of its row; the difference is right.
library: tract
shows: 0.23.9
class: bug
condition: Numbers that lie more than 103 below the largest, where exp underflows in float32.  -999 is a float32 like
    any other.
rule: ONNX LogSoftmax-13: log(Softmax(x)), which is x - max - log(sum(exp(x - max))).
documented: docs/campaign.md, The hunt with the other methods
tracker: https://github.com/sonos/tract/pull/1769 (merged; of log_softmax in NNEF, not of ONNX)
"""
from library import model, right, run, verdict, wrong

INFINITY = float("inf")


def log_softmax(*x):
    m = model("(float[1,2] x) => (float[1,2] y) { y = LogSoftmax<axis = 1>(x) }")
    return lambda: run(m, list(x))


wrong("1 and 1000", log_softmax(1, 1000), [-999, 0], seen=[-INFINITY, 0])
wrong("-110 and 0", log_softmax(-110, 0), [-110, 0], seen=[-INFINITY, 0])
right("-80 and 0", log_softmax(-80, 0), [-80, 0])
verdict()
