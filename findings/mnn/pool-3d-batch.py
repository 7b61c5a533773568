"""
title: Pools over three axes of a batch of two: the second image is wrong.
library: MNN
shows: 3.6.1
class: bug
condition: Three spatial axes, a batch of two or more, pads and strides given.  A batch of one is right.
rule: ONNX AveragePool-11 and MaxPool-12.
documented: data/quirks.tsv, MaxPool; data/quirks.tsv, AveragePool
tracker: none found
"""
from library import call, right, verdict, wrong

def pool(op, n):
    return call("""(float[%d,1,2,2,2] x) => (float[%d,1,1,1,1] y)
        { y = %s<kernel_shape = [2,2,2], strides = [2,2,2], pads = [0,0,0,0,0,0]>(x) }""" % (n, n, op), range(8 * n))


wrong("AveragePool, two images", pool("AveragePool", 2), [3.5, 11.5])
wrong("MaxPool, two images", pool("MaxPool", 2), [7, 15])
right("AveragePool, one image", pool("AveragePool", 1), [3.5])
right("MaxPool, one image", pool("MaxPool", 1), [7])
verdict()
