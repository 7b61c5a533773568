"""
title: Pools with auto_pad SAME and without strides give nothing ("Compute Shape Error").
library: MNN
shows: 3.6.1
class: bug
condition: strides are left out.
rule: ONNX AveragePool-11 and MaxPool-12, attribute strides, default 1.
documented: data/quirks.tsv, AveragePool; data/quirks.tsv, MaxPool
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

def pool(op, strides=""):
    return call("""(float[1,1,2,2] x) => (float[1,1,2,2] y)
        { y = %s<kernel_shape = [2,2], auto_pad = "SAME_UPPER"%s>(x) }""" % (op, strides), [4, 8, 12, 16])


averages, largest = [10, 12, 14, 16], [16, 16, 16, 16]
wrong("AveragePool", pool("AveragePool"), averages, seen=Refused("no outputs"))
wrong("MaxPool", pool("MaxPool"), largest, seen=Refused("no outputs"))
right("AveragePool with strides", pool("AveragePool", ", strides = [1,1]"), averages)
right("MaxPool with strides", pool("MaxPool", ", strides = [1,1]"), largest)
verdict()
