"""
title: AveragePool, ConvTranspose and ConvInteger are refused when strides are left out; they are 1 along each axis.
library: rten
shows: 0.27.0
class: bug
condition: strides are left out; of ConvTranspose and ConvInteger kernel_shape, too. ConvTranspose then wants pads and
    dilations as well.
rule: ONNX AveragePool-11, ConvTranspose-11 and ConvInteger-10, attribute strides: if not present, the stride defaults
    to 1 along each spatial axis.
documented: data/quirks.tsv, AveragePool; data/quirks.tsv, ConvTranspose; data/quirks.tsv, ConvInteger
tracker: none found; https://github.com/robertknight/rten/pull/1047 (merged) is about dilations of Conv
"""
from library import Refused, call, right, verdict, wrong


def pooled(more):
    return call("""(float[1,1,1,3] x) => (float[1,1,1,2] y)
        { y = AveragePool<kernel_shape = [1, 2]%s>(x) }""" % more, [1, 3, 6])


def transposed(more):
    return call("""(float[1,1,1,2] x, float[1,1,1,2] w) => (float[1,1,1,3] y)
        { y = ConvTranspose%s(x, w) }""" % more, [1, 2], [3, 5])


def of_integers(more):
    return call("""(float[1,1,1,3] x) => (float[1,1,1,2] y) <uint8[1,1,1,2] w = {1, 2}>
        { a = Cast<to = 2>(x) b = ConvInteger%s(a, w) y = Cast<to = 1>(b) }""" % more, [1, 3, 6])


wrong("AveragePool", pooled(""), [2, 4.5], seen=Refused("strides"))
right("AveragePool, strides told", pooled(", strides = [1, 1]"), [2, 4.5])
wrong("ConvTranspose", transposed(""), [3, 11, 10], seen=Refused("stride"))
wrong("ConvTranspose, strides and pads told", transposed("<strides = [1, 1], pads = [0, 0, 0, 0]>"), [3, 11, 10],
      seen=Refused("dilation"))
right("ConvTranspose, kernel_shape told", transposed("<kernel_shape = [1, 2]>"), [3, 11, 10])
wrong("ConvInteger", of_integers(""), [7, 15], seen=Refused("stride"))
right("ConvInteger, kernel_shape told", of_integers("<kernel_shape = [1, 2]>"), [7, 15])
verdict()
