"""
title: A node that leaves out an output and an input ends in AttributeError.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: an output before one that is used is left out, and an input before one that is given; either alone is right.
rule: ONNX IR: an optional input or output that is left out has an empty name, which names nothing.  RNN: Y, B and
    sequence_lens are optional.
documented: docs/methods/fuzz.md, Found
tracker: none found
found: fuzz
"""
import math

from library import Refused, call, right, verdict, wrong

TEXT = """(float[1, 1, 1] x) => (float[1, 1, 1] y)
    <float[1, 1, 1] w = {1}, float[1, 1, 1] r = {1}, float[1, 1, 1] h = {0}>
    { %s y = RNN<hidden_size = 1>(x, w, r%s) }"""


def rnn(outputs, inputs):
    return call(TEXT % (outputs, inputs), [[[2]]])


TANH = [[[math.tanh(2)]]]
wrong("both", rnn(",", ", , , h"), TANH, rel=1e-3, seen=Refused("has no attribute 'output'"))
right("the output", rnn(",", ""), TANH, rel=1e-3)
right("the inputs", rnn("s,", ", , , h"), TANH, rel=1e-3)
verdict()
