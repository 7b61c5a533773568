"""
title: AveragePool with count_include_pad leaves the padding at the end out of the count.
library: MNN
shows: 3.6.1
class: bug
condition: count_include_pad = 1 and padding at the end.  Padding at the beginning is counted.
rule: ONNX AveragePool-11, attribute count_include_pad.
documented: docs/methods/fuzz.md, The paper's failures on MNN
tracker: none found; https://github.com/alibaba/MNN/pull/4627 is about pads that a pool does not read at all
"""
from library import call, right, verdict, wrong

def pool(pads):
    return call("""(float[1,1,2,2] x) => (float[1,1,2,2] y)
        { y = AveragePool<kernel_shape = [2,2], strides = [1,1], pads = %s, count_include_pad = 1>(x) }""" % pads,
                [4, 8, 12, 16])


wrong("at the end", pool([0, 0, 1, 1]), [10, 6, 7, 4], seen=[10, 12, 14, 16])
right("at the beginning", pool([1, 1, 0, 0]), [1, 3, 4, 10])
verdict()
