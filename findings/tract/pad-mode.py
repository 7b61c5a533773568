"""
title: Pad with mode edge or reflect pads with constant_value, where that is given; the mode must decide.
library: tract
shows: 0.23.9
class: bug
condition: mode is edge or reflect, and there is a third input constant_value.  Without that input it is right.
rule: ONNX Pad-11 to 24, input constant_value: "A scalar value to be used if the mode chosen is `constant`".
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import model, right, run, verdict, wrong


def pad(mode, inputs):
    m = model('(float[3] x) => (float[5] y) <int64[2] pads = {1, 1}, float c = {9}> { y = Pad<mode = "%s">(%s) }'
              % (mode, inputs))
    return lambda: run(m, [4, 5, 6])


for mode, expected in (("edge", [4, 4, 5, 6, 6]), ("reflect", [5, 4, 5, 6, 5])):
    wrong(mode + " with a constant_value", pad(mode, "x, pads, c"), expected, seen=[9, 4, 5, 6, 9])
    right(mode + " without", pad(mode, "x, pads"), expected)
right("constant with a constant_value", pad("constant", "x, pads, c"), [9, 4, 5, 6, 9])
verdict()
