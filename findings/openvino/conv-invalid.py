"""
title: Conv with group 0 or -1, or with a kernel_shape that is not that of its weights, is run; it must be refused.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: None: group below 1 is taken for 1, and kernel_shape is not looked at.  A group of 2 that does not fit is
    refused.
rule: ONNX Conv-11, attribute group: the number of groups; attribute kernel_shape: "the shape of the convolution
    kernel".
documented: docs/methods/search.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def conv(attributes):
    m = model("(float[1,1,3] x, float[1,1,1] w) => (float[1,1,3] y) { y = Conv<%s>(x, w) }" % attributes, check=False)
    return lambda: run(m, [1, 2, 3], [1])


for attributes in ("group = 0", "group = -1", "kernel_shape = [0]", "kernel_shape = [-1]", "kernel_shape = [2]"):
    wrong(attributes, conv(attributes), Refused(), seen=[1, 2, 3])
right("group = 2", conv("group = 2"), Refused())
right("group = 1, kernel_shape = [1]", conv("group = 1, kernel_shape = [1]"), [1, 2, 3])
verdict()
