"""
title: A slope of PRelu with one number for each channel is refused in opset 6.
library: rten
shows: 0.27.0
class: bug
condition: The model is of opset 6.
rule: ONNX PRelu-6, input slope: if slope is of size 1, the value is shared across different channels, else it has one
    number for each channel.
documented: data/quirks.tsv, PRelu
tracker: none found
"""
from library import Refused, call, right, verdict, wrong


def prelu(slope, opset):
    count = len(slope)
    return call("(float[1,2,3] x, float[%s] s) => (float[1,2,3] y) { y = PRelu(x, s) }"
                % ("%d" % count if opset == 6 else "%d,1" % count),
                [-1, -2, -3, -1, -2, -3], slope, opset=opset, check=False)


right_values = [-2, -4, -6, -5, -10, -15]
wrong("opset 6", prelu([2, 5], 6), right_values, seen=Refused("not broadcastable"))
right("opset 9, a slope with an axis behind the channels", prelu([2, 5], 9), right_values)
verdict()
