"""
title: Conv with group 0, and Conv and MaxPool with strides 0, kill the process (SIGFPE); they must be refused.
library: MNN
shows: 3.6.1
class: bug
condition: group or strides is 0; 1 is right.
rule: ONNX Conv-11, attribute group: the number of groups that channels are divided into; Conv-11 and MaxPool-12,
    attribute strides: the stride along each spatial axis.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: fuzz
"""
from library import Died, Refused, call, right, verdict, wrong


def node(text):
    return call("(float[1,1,1,2] x) => (float[1,1,1,2] y) <float[1,1,1,1] w = {2}> { y = %s }" % text, [3, 4],
                check=False, opset=13)


fpe = Died("SIGFPE")
wrong("Conv, group 0", node("Conv<group = 0>(x, w)"), Refused(), seen=fpe)
wrong("Conv, strides 0", node("Conv<strides = [0, 0]>(x, w)"), Refused(), seen=fpe)
wrong("MaxPool, strides 0", node("MaxPool<kernel_shape = [1, 1], strides = [0, 0]>(x)"), Refused(), seen=fpe)
right("Conv", node("Conv<group = 1, strides = [1, 1]>(x, w)"), [6, 8])
right("MaxPool", node("MaxPool<kernel_shape = [1, 1], strides = [1, 1]>(x)"), [3, 4])
verdict()
