"""
title: activations, clip and hidden_size of RNN, GRU and LSTM are ignored, also where they are not valid.
library: tract
shows: 0.23.9
class: bug
condition: Activations other than the default ones, a clip that bounds something, a hidden_size that the weights do
    not have.
rule: ONNX RNN-7, GRU-7 and LSTM-7, attributes activations, clip and hidden_size.
documented: docs/methods/search.md, What it found
tracker: https://github.com/sonos/tract/issues/2751 (activations and clip; hidden_size is not in it)
"""
import math

from library import Refused, model, right, run, verdict, wrong


def cell(op, gates, attributes="", size=1):
    m = model("""(float[1,1,1] x) => (float[1,1,1,1] y) <float[1,%d,1] w = {%s}, float[1,%d,1] r = {%s}>
        { y = %s<hidden_size = %d%s>(x, w, r) }"""
              % (gates, ", ".join("1" * gates), gates, ", ".join("0" * gates), op, size, attributes), check=False)
    return lambda: run(m, [1])


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def state(op, x, f=math.tanh):
    z = sigmoid(x)
    return {"RNN": f(x), "GRU": (1 - z) * f(x), "LSTM": z * f(z * f(x))}[op]


for op, gates, names in (("RNN", 1, ["Relu"]), ("GRU", 3, ["Sigmoid", "Relu"]),
                         ("LSTM", 4, ["Sigmoid", "Relu", "Relu"])):
    plain = state(op, 1)
    quoted = ", ".join('"%s"' % n for n in names)
    wrong(op + ", activations " + quoted, cell(op, gates, ", activations = [%s]" % quoted),
          [state(op, 1, lambda v: max(v, 0))],
          seen=[plain])
    wrong(op + ", activations that ONNX does not have",
          cell(op, gates, ", activations = [%s]" % quoted.replace("Relu", "None")),
          Refused(), seen=[plain])
    wrong(op + ", clip 0.5", cell(op, gates, ", clip = 0.5"), [state(op, 0.5)], seen=[plain])
    wrong(op + ", hidden_size 2", cell(op, gates, size=2), Refused(), seen=[plain])
    wrong(op + ", hidden_size 0", cell(op, gates, size=0), Refused(), seen=[plain])
    right(op, cell(op, gates), [plain])
verdict()
