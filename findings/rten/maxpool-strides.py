"""
title: A MaxPool without strides is refused.
library: rten
shows: 0.27.0
class: bug
condition: strides are left out.
rule: ONNX MaxPool-12, attribute strides: if not present, the stride defaults to 1 along each spatial axis.
documented: data/quirks.tsv, MaxPool
tracker: none found; https://github.com/robertknight/rten/pull/1047 (merged) is about dilations of Conv
"""
from library import Refused, call, right, verdict, wrong


def pool(more):
    return call("""(float[1,1,1,3] x) => (float[1,1,1,2] y)
        { y = MaxPool<kernel_shape = [1, 2]%s>(x) }""" % more, [1, 3, 2])


wrong("left out", pool(""), [3, 3], seen=Refused("strides len does not match"))
right("told", pool(", strides = [1, 1]"), [3, 3])
verdict()
