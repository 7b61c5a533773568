"""
title: MaxPool with dilations 0, and MaxPool, AveragePool and Conv with pads below 0, are run; they must be refused.
library: Apache TVM
shows: 0.27.0.post1
class: bug
condition: Pads of -1 cut off elements, and dilations of 0 read one element again and again.  Flatten with an axis that
    is not there and Conv with group 0 are refused.
rule: ONNX MaxPool-12, AveragePool-11 and Conv-11, attribute pads: "it can take any value greater than or equal to 0";
    MaxPool-12, attribute dilations: "Dilation value along each spatial axis of filter".
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: search
"""
from library import Refused, model, right, run, verdict, wrong


def node(text, inputs="float[1,1,3] x", *values):
    m = model("(%s) => (float[1,1,n] y) { y = %s }" % (inputs, text), check=False)
    return lambda: run(m, [1, 2, 3], *values)


weighted = "float[1,1,3] x, float[1,1,1] w"
wrong("MaxPool, pads -1", node("MaxPool<kernel_shape = [1], pads = [-1, -1]>(x)"), Refused(), seen=[2])
wrong("AveragePool, pads -1", node("AveragePool<kernel_shape = [1], pads = [-1, -1]>(x)"), Refused(), seen=[2])
wrong("Conv, pads -1", node("Conv<pads = [-1, -1]>(x, w)", weighted, [2]), Refused(), seen=[4])
wrong("MaxPool, dilations 0", node("MaxPool<kernel_shape = [2], dilations = [0]>(x)"), Refused(), seen=[1, 2, 3])
right("MaxPool, pads 0", node("MaxPool<kernel_shape = [1], pads = [0, 0]>(x)"), [1, 2, 3])
right("Conv, group 0", node("Conv<group = 0>(x, w)", weighted, [2]), Refused())
right("Flatten, axis 100", node("Flatten<axis = 100>(x)"), Refused())
verdict()
