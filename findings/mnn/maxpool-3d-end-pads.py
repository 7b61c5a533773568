"""
title: MaxPool over three axes with paddings at the end alone has a wrong shape: the paddings are left out.
library: MNN
shows: 3.6.1
class: bug
condition: Three axes, and paddings that differ at the beginning and the end.  Equal ones are right.
rule: ONNX MaxPool-12, attribute pads.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/alibaba/MNN/pull/4627 is about pads that a pool does not read at all
"""
from library import array, call, right, verdict, wrong

def pool(pads, size):
    return call("""(float[1,1,2,2,2] x) => (float[1,1,%d,%d,%d] y)
        { y = MaxPool<kernel_shape = [2,2,2], strides = [1,1,1], pads = %s>(x) }""" % (size, size, size, pads),
                range(8))


end = [7, 7, 7, 7, 7, 7, 7, 7]
wrong("pads at the end", pool([0, 0, 0, 1, 1, 1], 2), array([1, 1, 2, 2, 2], end), seen=array([1, 1, 1, 1, 1], [7]))
both = [0, 1, 1, 2, 3, 3, 2, 3, 3, 4, 5, 5, 6, 7, 7, 6, 7, 7, 4, 5, 5, 6, 7, 7, 6, 7, 7]
right("pads at both ends", pool([1, 1, 1, 1, 1, 1], 3), array([1, 1, 3, 3, 3], both))
verdict()
