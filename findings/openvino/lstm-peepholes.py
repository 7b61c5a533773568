"""
title: LSTM ignores its peepholes (input P): the hidden state is 0.448908, 0.703188 is right.
library: openvino
shows: 2025.2.0, 2026.4.1
since: 2025.2.0 (2024.6.0 fails otherwise)
class: bug
condition: Input P is given and not 0.
rule: ONNX LSTM-14, input P and the formulas of i, o and f: "+ Pi (.) Ct-1".
documented: data/quirks.tsv, LSTM
tracker: none found
"""
import math

from library import model, right, run, verdict, wrong


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def hidden(p):
    m = model("""(float[1,1,1] x) => (float[1,1,1] h)
        <float[1,4,1] w = {0.5, 0.5, 0.5, 0.5}, float[1,4,1] r = {0, 0, 0, 0},
        float[1,8] b = {0, 0, 0, 0, 0, 0, 0, 0}, float[1,1,1] zero = {0},
        float[1,1,1] one = {1}, float[1,3] p = {%d, %d, %d}>
        { _, h = LSTM<hidden_size = 1>(x, w, r, b, , zero, one, p) }""" % (p, p, p))
    return lambda: run(m, [1])


def formula(p):
    """A step from cell 1 and x = 1."""
    gate = sigmoid(0.5 + p)
    cell = gate * 1 + gate * math.tanh(0.5)
    return sigmoid(0.5 + p * cell) * math.tanh(cell)


wrong("peepholes of 1", hidden(1), [formula(1)], seen=[formula(0)])
right("peepholes of 0", hidden(0), [formula(0)])
verdict()
