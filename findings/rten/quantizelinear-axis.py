"""
title: The axis of QuantizeLinear is -1 when it is left out; it is 1.
library: rten
shows: 0.27.0
class: bug
condition: axis is left out, and the last axis is another one.
rule: ONNX QuantizeLinear-13, attribute axis: the default is 1.
documented: data/quirks.tsv, QuantizeLinear
tracker: none found
"""
from library import Refused, call, right, verdict, wrong


def quantized(sizes, more=""):
    values = {"1,2,1": [4, 12], "1,2,2": [4, 8, 12, 16]}[sizes]
    return call("""(float[%s] x) => (float[%s] y) <float[2] scale = {2, 4}, uint8[2] zero = {1, 1}>
        { q = QuantizeLinear%s(x, scale, zero) y = Cast<to = 1>(q) }""" % (sizes, sizes, more), values)


wrong("the last axis has another size", quantized("1,2,1"), [3, 4], seen=Refused("scale length"))
wrong("the last axis has the same size", quantized("1,2,2"), [3, 5, 4, 5], seen=[3, 3, 7, 5])
right("told", quantized("1,2,2", "<axis = 1>"), [3, 5, 4, 5])
verdict()
