"""
title: AveragePool and MaxPool ignore dilations: the window of neighbours comes out, with its shape.
library: MNN
shows: 3.6.1
class: bug
condition: dilations above 1.
rule: ONNX AveragePool-19 and MaxPool-12, attribute dilations.
documented: data/quirks.tsv, AveragePool; data/quirks.tsv, MaxPool
tracker: none found
"""
from library import array, call, right, verdict, wrong

def pool(op, dilation, size):
    return call("""(float[1,1,3,3] x) => (float[1,1,%d,%d] y)
        { y = %s<kernel_shape = [2,2], strides = [1,1], dilations = [%d,%d]>(x) }""" % (size, size, op, dilation,
                                                                                        dilation),
                range(9), opset=19)


averages, largest = array([1, 1, 2, 2], [2, 3, 5, 6]), array([1, 1, 2, 2], [4, 5, 7, 8])
wrong("AveragePool", pool("AveragePool", 2, 1), array([1, 1, 1, 1], [4]), seen=averages)
wrong("MaxPool", pool("MaxPool", 2, 1), array([1, 1, 1, 1], [8]), seen=largest)
right("AveragePool, dilations 1", pool("AveragePool", 1, 2), averages)
right("MaxPool, dilations 1", pool("MaxPool", 1, 2), largest)
verdict()
