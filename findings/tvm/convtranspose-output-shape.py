"""
title: ConvTranspose ignores output_shape.
library: tvm
shows: 0.27.0.post1
class: bug
condition: output_shape is given and needs other padding than none.
rule: ONNX ConvTranspose-11, attribute output_shape: pads are made to fit it.
documented: data/quirks.tsv, ConvTranspose
tracker: https://github.com/apache/tvm/pull/19450 (merged; names it as left out)
"""
from library import call, right, verdict, wrong


def transposed(size):
    attribute = ", output_shape = [%d]" % size if size != 5 else ""
    return call("(float[1, 1, 3] x) => (float[1, 1, %d] y) <float[1, 1, 1] w = {1}> "
                "{ y = ConvTranspose<strides = [2]%s>(x, w) }" % (size, attribute), (1, 2, 3))


wrong("two at the end more", transposed(6), [1, 0, 2, 0, 3, 0])
right("without it", transposed(5), [1, 0, 2, 0, 3])
verdict()
