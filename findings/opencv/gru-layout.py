"""
title: GRU with layout = 1 is refused.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, layout = 1; it ends in an assertion ("inp.data != out.data").  layout = 0 is right.
rule: ONNX GRU-14, attribute layout: with 1 the batch comes first.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
import math

from library import Refused, array, call, right, verdict, wrong


def gru(layout):
    return call("""(float[1,1,1] x) => (float[1,1,1] h) <float[1,3,1] w = {1, 1, 1}, float[1,3,1] r = {1, 1, 1}>
                   { y, h = GRU<hidden_size = 1, layout = %d>(x, w, r) }""" % layout, [1], opset=14)


state = array([1, 1, 1], [math.tanh(1) / (1 + math.e)])
wrong("layout 1", gru(1), state, seen=Refused("inp.data != out.data"))
right("layout 0", gru(0), state)
verdict()
