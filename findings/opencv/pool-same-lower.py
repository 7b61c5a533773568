"""
title: MaxPool with auto_pad SAME_LOWER pads at the end; the beginning is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: SAME_LOWER, and an odd number of places to pad (a window of 2).  SAME_UPPER is right.
rule: ONNX MaxPool-12, attribute auto_pad: the extra padding is at the beginning for SAME_LOWER.
documented: data/quirks.tsv, MaxPool
tracker: https://github.com/opencv/opencv/issues/21078 (closed; a list in which this is not ticked)
"""
from library import call, right, verdict, wrong

def pool(op, pad):
    return call("""(float[1,1,1,3] x) => (float[1,1,1,3] y)
        { y = %s<kernel_shape = [1,2], strides = [1,1], auto_pad = "%s">(x) }""" % (op, pad), [1, 3, 7])


wrong("MaxPool", pool("MaxPool", "SAME_LOWER"), [1, 3, 7], seen=[3, 7, 7])
wrong("AveragePool", pool("AveragePool", "SAME_LOWER"), [1, 2, 5], seen=[2, 5, 7])
right("SAME_UPPER", pool("MaxPool", "SAME_UPPER"), [3, 7, 7])
verdict()
