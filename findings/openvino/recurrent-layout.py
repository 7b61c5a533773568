"""
title: RNN, GRU and LSTM ignore layout=1: the first axis is taken for time, and Y and Y_h have wrong shapes.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: layout = 1.
rule: ONNX RNN-14, attribute layout: with 1 the batch comes first in X, Y and Y_h.
documented: data/quirks.tsv, RNN; data/quirks.tsv, GRU; data/quirks.tsv, LSTM
tracker: https://github.com/openvinotoolkit/openvino/issues/37820
"""
import math

from library import array, model, right, run, verdict, wrong

shapes = {0: ("[3,2,1]", "[3,1,2,1]", "[1,2,1]"), 1: ("[2,3,1]", "[2,3,1,1]", "[2,1,1]")}


def cell(op, gates, layout):
    """Weights 0.5, no recurrence for GRU and LSTM gates but that of the state itself; a batch of 2, three steps."""
    m = model("""(float%s x) => (float%s y, float%s h) <float[1,%d,1] w = {%s}, float[1,%d,1] r = {%s}>
        { y, h = %s<hidden_size = 1, layout = %d>(x, w, r) }"""
              % (shapes[layout] + (gates, ",".join(["0.5"] * gates), gates, ",".join(["0.5"] * gates), op, layout)),
              opset=14)
    series = [0, 0.25, 0.5, 0.75, 1, 1.25] if layout else [0, 0.75, 0.25, 1, 0.5, 1.25]
    return lambda: run(m, series)


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def states(op, xs):
    h, c, out = 0, 0, []
    for x in xs:
        if op == "RNN":
            h = math.tanh((x + h) / 2)
        elif op == "GRU":
            z = r = sigmoid((x + h) / 2)
            h = (1 - z) * math.tanh((x + r * h) / 2) + z * h
        else:
            g = sigmoid((x + h) / 2)
            c = g * c + g * math.tanh((x + h) / 2)
            h = g * math.tanh(c)
        out.append(h)
    return out


for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
    a, b = states(op, [0, 0.25, 0.5]), states(op, [0.75, 1, 1.25])
    wrong("%s, layout 1" % op, cell(op, gates, 1), (array([2, 3, 1, 1], a + b), array([2, 1, 1], [a[2], b[2]])))
    right("%s, layout 0" % op, cell(op, gates, 0),
          (array([3, 1, 2, 1], [a[0], b[0], a[1], b[1], a[2], b[2]]), array([1, 2, 1], [a[2], b[2]])))
verdict()
