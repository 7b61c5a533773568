"""
title: Clip with min above max is refused; all is max then.
library: OpenCV
shows: 5.0.0
class: bug
condition: min is larger than max.
rule: ONNX Clip-13: when min is greater than max, the operator "sets all the input values to the value of max".
documented: data/quirks.tsv, Clip
tracker: none found; https://github.com/opencv/opencv/pull/27570 (closed) is about bounds that are no constants
"""
from library import Refused, call, right, verdict, wrong


def clip(low, high):
    return call("(float[4] x) => (float[4] y) <float low = {%s}, float high = {%s}> { y = Clip(x, low, high) }" %
                (low, high), [1, 2, 3, 4])


wrong("3 to 2", clip(3, 2), [2, 2, 2, 2], seen=Refused("not read"))
right("2 to 3", clip(2, 3), [2, 2, 3, 3])
verdict()
