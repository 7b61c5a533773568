"""
title: Conv with auto_pad SAME_LOWER pads at the end; the beginning is right.
library: OpenCV
shows: 5.0.0
class: bug
condition: SAME_LOWER, and an odd number of places to pad (a kernel of 2); both engines.  SAME_UPPER is right.
rule: ONNX Conv-11, attribute auto_pad: the extra padding is at the beginning for SAME_LOWER.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, Conv
tracker: https://github.com/opencv/opencv/issues/21078 (closed; a list in which this is not ticked)
found: equiv
"""
from library import NEW, call, right, verdict, wrong


def conv(pad, engine=NEW):
    return call("""(float[1,1,1,3] x, float[1,1,1,2] w) => (float[1,1,1,3] y)
        { y = Conv<kernel_shape = [1,2], auto_pad = "%s">(x, w) }""" % pad, [1, 3, 7], [1, 10], engine=engine)


wrong("SAME_LOWER", conv("SAME_LOWER"), [10, 31, 73], seen=[31, 73, 7])
wrong("the classic engine", conv("SAME_LOWER", 1), [10, 31, 73], seen=[31, 73, 7])
right("SAME_UPPER", conv("SAME_UPPER"), [31, 73, 7])
verdict()
