"""
title: LSTM ignores sequence_lens.
library: rten
shows: 0.27.0
class: bug
condition: a length that is less than the number of steps; the same with GRU.
rule: ONNX LSTM: sequence_lens has the lengths of the sequences of a batch; behind its end a sequence's Y is 0.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
import math

from library import call, right, verdict, wrong

TEXT = ("(float[2, 1, 1] x) => (float[2, 1, 1, 1] y) "
        "<float[1, 4, 1] w = {1, 1, 1, 1}, float[1, 4, 1] r = {0, 0, 0, 0}, int32[1] n = {%d}> "
        "{ y = LSTM<hidden_size = 1>(x, w, r, , n) }")


def sigmoid(a):
    return 1 / (1 + math.exp(-a))


def step(cell):
    """Y and the cell's next state for x = 1: all gates get 1."""
    cell = sigmoid(1) * cell + sigmoid(1) * math.tanh(1)
    return sigmoid(1) * math.tanh(cell), cell


FIRST, CELL = step(0)
SECOND = step(CELL)[0]
wrong("one step of two", call(TEXT % 1, [1, 1], opset=14), [FIRST, 0], seen=[FIRST, SECOND])
right("both steps", call(TEXT % 2, [1, 1], opset=14), [FIRST, SECOND])
verdict()
