"""
title: ConvTranspose with auto_pad SAME_LOWER pads at the other end, as SAME_UPPER does.
library: MNN
shows: 3.6.1
class: bug
condition: SAME_LOWER, and an odd number of places to pad.
rule: ONNX ConvTranspose-11, attribute auto_pad; pads[start] is the larger half unless it is SAME_UPPER.
documented: docs/methods/fuzz.md, The paper's failures on MNN
tracker: none found
"""
from library import call, right, verdict, wrong

def conv(pad):
    return call("""(float[1,1,1,3] x) => (float[1,1,1,6] y) <float[1,1,1,3] w = {1, 10, 100}>
        { y = ConvTranspose<strides = [1,2], auto_pad = "%s">(x, w) }""" % pad, [1, 2, 3])


# The whole result is 1 10 102 20 203 30 300; one place is cut off.
upper = [1, 10, 102, 20, 203, 30]
wrong("SAME_LOWER", conv("SAME_LOWER"), [10, 102, 20, 203, 30, 300], seen=upper)
right("SAME_UPPER", conv("SAME_UPPER"), upper)
verdict()
