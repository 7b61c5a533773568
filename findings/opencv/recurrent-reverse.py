"""
title: A GRU with direction reverse gives what forward gives; an LSTM gives for Y_h the state at the last step in time.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, direction = reverse, two steps or more.  Y of the LSTM is right, and so is forward.
rule: ONNX GRU-14 and LSTM-14, attribute direction; output Y_h: the last output value of the hidden state, which is that
    of the first step in time where the sequence is read from its end.
documented: data/quirks.tsv, GRU; docs/campaign.md, All methods on all libraries
tracker: none found
found: search
"""
import math

from library import array, call, right, verdict, wrong


def gate(x):
    return 1 / (1 + math.exp(-x))


def gru_step(x, h, _):
    return (1 - gate(x)) * math.tanh(x) + gate(x) * h, 0


def lstm_step(x, _, c):
    c = gate(x) * c + gate(x) * math.tanh(x)
    return gate(x) * math.tanh(c), c


def states(step, order):
    """The state at each of the steps 1 and 2 in time, and the last one that is reached."""
    h, c, found = 0, 0, {}
    for x in order:
        h, c = step(x, h, c)
        found[x] = h
    return array([2, 1, 1, 1], [found[1], found[2]]), array([1, 1, 1], [h])


def run(op, gates, direction):
    return call("""(float[2,1,1] x) => (float[2,1,1,1] y, float[1,1,1] h)
        <float[1,%d,1] w = {%s}, float[1,%d,1] r = {%s}> { y, h = %s<hidden_size = 1, direction = "%s">(x, w, r) }"""
                % (gates, ", ".join(["1"] * gates), gates, ", ".join(["0"] * gates), op, direction), [1, 2], opset=14)


FORWARD, REVERSE = (1, 2), (2, 1)
wrong("GRU, reverse", run("GRU", 3, "reverse"), states(gru_step, REVERSE), seen=states(gru_step, FORWARD))
y, h = states(lstm_step, REVERSE)
wrong("LSTM, reverse", run("LSTM", 4, "reverse"), (y, h), seen=(y, array([1, 1, 1], y[1])))
right("GRU, forward", run("GRU", 3, "forward"), states(gru_step, FORWARD))
right("LSTM, forward", run("LSTM", 4, "forward"), states(lstm_step, FORWARD))
verdict()
