"""
title: RNN, GRU and LSTM with direction=reverse give what forward gives; an unknown direction is run as well.
library: tract
shows: 0.23.9
class: bug
condition: direction is reverse, or a word that ONNX does not have ("backward").  bidirectional is right.
rule: ONNX RNN-7, attribute direction: "forward (default), reverse, or bidirectional".
documented: docs/methods/search.md, What it found
tracker: none found; https://github.com/sonos/tract/issues/2751 is about other attributes of these operators
"""
import math

from library import Refused, model, right, run, verdict, wrong


def cell(op, gates, direction, directions=1):
    ones = ", ".join(["1"] * gates * directions)
    m = model("""(float[2,1,1] x) => (float[2,%d,1,1] y) <float[%d,%d,1] w = {%s}, float[%d,%d,1] r = {%s}>
        { y = %s<hidden_size = 1, direction = "%s">(x, w, r) }"""
              % (directions, directions, gates, ones, directions, gates, ones.replace("1", "0"), op, direction),
              check=False)
    return lambda: run(m, [1, 2])


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def states(op, xs):
    h, c, out = 0, 0, []
    for x in xs:  # recurrent weights are 0
        z = sigmoid(x)
        c = z * c + z * math.tanh(x)
        h = {"RNN": math.tanh(x), "GRU": (1 - z) * math.tanh(x) + z * h, "LSTM": z * math.tanh(c)}[op]
        out.append(h)
    return out


for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
    there, back = states(op, [1, 2]), states(op, [2, 1])[::-1]
    if op != "RNN":  # without a state the order does not show
        wrong("%s, reverse" % op, cell(op, gates, "reverse"), back, seen=there)
    wrong("%s, backward" % op, cell(op, gates, "backward"), Refused(), seen=there)
    right("%s, forward" % op, cell(op, gates, "forward"), there)
    right("%s, bidirectional" % op, cell(op, gates, "bidirectional", 2), [there[0], back[0], there[1], back[1]])
verdict()
