"""
title: MaxPool with auto_pad SAME_LOWER pads at the end; the beginning is right.
library: MNN
shows: 3.6.1
class: bug
condition: SAME_LOWER, and an odd number of places to pad (a window of 2).  SAME_UPPER is right.
rule: ONNX MaxPool-12, attribute auto_pad: the extra padding is at the beginning for SAME_LOWER.
documented: docs/methods/fuzz.md, Found
tracker: none found
"""
from library import call, right, verdict, wrong

def pool(pad):
    return call("""(float[1,1,3,3] x) => (float[1,1,3,3] y)
        { y = MaxPool<kernel_shape = [2,2], strides = [1,1], auto_pad = "%s">(x) }""" % pad, range(9))


upper = [4, 5, 5, 7, 8, 8, 7, 8, 8]
wrong("SAME_LOWER", pool("SAME_LOWER"), [0, 1, 2, 3, 4, 5, 6, 7, 8], seen=upper)
right("SAME_UPPER", pool("SAME_UPPER"), upper)
verdict()
