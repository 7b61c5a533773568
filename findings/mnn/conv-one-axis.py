"""
title: Conv and ConvTranspose over one axis give a tensor with a further axis of 1 at its end; its values are right.
library: MNN
shows: 3.6.1
class: bug
condition: One spatial axis.  Two are right.
rule: ONNX Conv-11, output Y; ConvTranspose-11.
documented: docs/methods/fuzz.md, The paper's failures on MNN; data/quirks.tsv, Conv; data/quirks.tsv, ConvTranspose
tracker: none found; https://github.com/alibaba/MNN/issues/2504 says that it is converted to a Conv over two axes
"""
from library import array, call, right, verdict, wrong

def conv(op, size, more=""):
    return call("(float[1,1,%s4] x) => (float[1,1,%s%d] y) <float[1,1,%s2] w = {1, 1}> { y = %s(x, w) }"
                % (more, more, size, more, op), [1, 2, 3, 4])


wrong("Conv", conv("Conv", 3), array([1, 1, 3], [3, 5, 7]), seen=array([1, 1, 3, 1], [3, 5, 7]))
wrong("ConvTranspose", conv("ConvTranspose", 5), array([1, 1, 5], [1, 3, 5, 7, 4]),
      seen=array([1, 1, 5, 1], [1, 3, 5, 7, 4]))
right("Conv over two axes", conv("Conv", 3, "1,"), array([1, 1, 1, 3], [3, 5, 7]))
verdict()
