"""
title: A Conv without kernel_shape is refused when strides are left out too.
library: rten
shows: 0.27.0
class: bug
condition: kernel_shape and strides are left out.
rule: ONNX Conv-11, attribute kernel_shape: if not present, it is inferred from the input W.  A comment in rten's loader
    says that it is not; the message is about strides.
documented: data/quirks.tsv, Conv
tracker: none found; https://github.com/robertknight/rten/pull/1047 (merged) is about dilations that are left out
"""
from library import Refused, call, right, verdict, wrong


def conv(more):
    return call("""(float[1,1,1,2] x, float[1,1,1,1] w) => (float[1,1,1,2] y)
        { y = Conv%s(x, w) }""" % more, [1, 2], [3])


wrong("left out", conv(""), [3, 6], seen=Refused("expected 2"))
right("told", conv("<kernel_shape = [1, 1]>"), [3, 6])
verdict()
