"""
title: Pools with a kernel_shape of 0 or below, and Flatten and Concat with an axis that is not there, are run; they
    must be refused.
library: MNN
shows: 3.6.1
class: bug
condition: MaxPool gives -16777216 then and AveragePool 0; Flatten gives no elements, and Concat one of its inputs' size
    with zeros.  An axis that is there, and a kernel_shape of 1, are right.
rule: ONNX MaxPool-12 and AveragePool-11, attribute kernel_shape: the size of the kernel along each axis; Flatten-13:
    axis "in the range [-r, r]"; Concat-13: "[-r, r-1]".
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: search
"""
from library import Refused, call, right, verdict, wrong


def node(text):
    return call("(float[1,1,1,2] x) => (float[a,b,c,d] y) { y = %s }" % text, [3, 4], check=False, opset=14)


for size, n in ((0, 6), (-1, 12)):
    shape = "kernel_shape = [%d, %d], strides = [1, 1]" % (size, size)
    wrong("MaxPool, kernel_shape %d" % size, node("MaxPool<%s>(x)" % shape), Refused(), seen=[-16777216] * n)
    wrong("AveragePool, kernel_shape %d" % size, node("AveragePool<%s>(x)" % shape), Refused(), seen=[0] * n)
for axis in (5, 100, -5):
    wrong("Flatten, axis %d" % axis, node("Flatten<axis = %d>(x)" % axis), Refused(), seen=[])
wrong("Concat, axis 5", node("Concat<axis = 5>(x, x)"), Refused(), seen=[0, 0])
right("MaxPool, kernel_shape 1", node("MaxPool<kernel_shape = [1, 1], strides = [1, 1]>(x)"), [3, 4])
right("Flatten, axis -1", node("Flatten<axis = -1>(x)"), [3, 4])
right("Concat, axis 3", node("Concat<axis = 3>(x, x)"), [3, 4, 3, 4])
verdict()
