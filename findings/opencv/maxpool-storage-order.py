"""
title: MaxPool ignores storage_order = 1: indices count row by row.
library: OpenCV
shows: 5.0.0
class: bug
condition: storage_order = 1 and the second output.
rule: ONNX MaxPool-12, attribute storage_order: 1 is column major.
documented: data/quirks.tsv, MaxPool
tracker: none found
"""
from library import call, right, verdict, wrong

def pool(order):
    return call("""(float[1,1,2,2] x) => (float[1,1,1,1] y, int64[1,1,1,1] i)
        { y, i = MaxPool<kernel_shape = [2,2], strides = [2,2], storage_order = %d>(x) }""" % order, [1, 2, 9, 4])


wrong("storage_order 1", pool(1), ([9], [1]), seen=([9], [2]))
right("storage_order 0", pool(0), ([9], [2]))
verdict()
