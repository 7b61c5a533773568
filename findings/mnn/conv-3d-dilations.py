"""
title: Conv over three axes with dilations gives wrong numbers.
library: MNN
shows: 3.6.1
class: bug
condition: Three spatial axes and dilations above 1; pads and strides are given.
rule: ONNX Conv-11, attribute dilations.
documented: data/quirks.tsv, Conv
tracker: none found; https://github.com/alibaba/MNN/issues/1112 is about all Conv over three axes (closed)
"""
from library import call, right, verdict, wrong

def conv(dilation, size):
    return call("""(float[1,1,3,3,3] x) => (float[1,1,%d,%d,%d] y) <float[1,1,2,2,2] w = {1, 1, 1, 1, 1, 1, 1, 1}>
        { y = Conv<kernel_shape = [2,2,2], strides = [1,1,1], pads = [0,0,0,0,0,0], dilations = [%d,%d,%d]>(x, w) }"""
                % ((size,) * 3 + (dilation,) * 3), range(27))


wrong("dilations 2", conv(2, 1), [0 + 2 + 6 + 8 + 18 + 20 + 24 + 26])
right("dilations 1", conv(1, 2), [52, 60, 76, 84, 124, 132, 148, 156])
verdict()
