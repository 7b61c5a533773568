"""
title: ConvTranspose with auto_pad SAME_UPPER gives an output that is too small.
library: OpenCV
shows: 5.0.0
class: bug
condition: auto_pad SAME_UPPER or SAME_LOWER, and strides above 1.
rule: ONNX ConvTranspose-11, auto_pad: the output has the size of the input times the strides.
documented: data/quirks.tsv, ConvTranspose
tracker: none found
"""
from library import array, call, right, verdict, wrong

def transposed(more):
    return call("""(float[1,1,1,2] x, float[1,1,1,1] w) => (float[1,1,a,b] y)
        { y = ConvTranspose<kernel_shape = [1,1], strides = [1,2] %s>(x, w) }""" % more, [1, 2], [1])


wrong("SAME_UPPER", transposed(', auto_pad = "SAME_UPPER"'), array([1, 1, 1, 4], [1, 0, 2, 0]),
      seen=array([1, 1, 1, 3], [1, 0, 2]))
right("NOTSET", transposed(""), array([1, 1, 1, 3], [1, 0, 2]))
verdict()
