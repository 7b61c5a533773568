"""
title: Conv, MaxPool and AveragePool with auto_pad SAME_UPPER and strides pad as if the stride were 1.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, auto_pad SAME_UPPER, and a stride above 1.  The classic engine is right, and so is stride 1.
rule: ONNX Conv-11, auto_pad: the output has ceil(input / stride) places; the padding is what these need, here none.
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, Conv
tracker: none found
found: equiv
"""
from library import NEW, call, right, verdict, wrong

X = [1, 2, 3, 4, 5, 6]


def conv(stride, places, engine=NEW):
    return call("""(float[1,1,1,6] x, float[1,1,1,3] w) => (float[1,1,1,%d] y)
        { y = Conv<kernel_shape = [1,3], auto_pad = "SAME_UPPER", strides = [1,%d]>(x, w) }""" % (places, stride),
                X, [1, 10, 100], engine=engine)


def pool(op, engine=NEW):
    return call("""(float[1,1,1,6] x) => (float[1,1,1,2] y)
        { y = %s<kernel_shape = [1,3], auto_pad = "SAME_UPPER", strides = [1,3]>(x) }""" % op, X, engine=engine)


wrong("Conv", conv(3, 2), [321, 654], seen=[210, 543])
wrong("MaxPool", pool("MaxPool"), [3, 6], seen=[2, 5])
wrong("AveragePool", pool("AveragePool"), [2, 5], seen=[1.5, 4])
right("Conv, stride 1", conv(1, 6), [210, 321, 432, 543, 654, 65])
right("Conv, the classic engine", conv(3, 2, 1), [321, 654])
right("MaxPool, the classic engine", pool("MaxPool", 1), [3, 6])
verdict()
