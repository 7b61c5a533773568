"""
title: The first output of a GRU, the states of all steps, is the last state alone.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, a GRU whose second output is left out.  With both outputs it is right, and so is LSTM.
rule: ONNX GRU-14, output Y: all the intermediate output values of the hidden state, [seq_length, num_directions,
    batch_size, hidden_size].
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
import math

from library import array, call, right, verdict, wrong


def step(x, h):
    z = r = 1 / (1 + math.exp(-x - h))
    return (1 - z) * math.tanh(x + r * h) + z * h


def gru(outputs, names):
    return call("""(float[2,1,1] x) => (%s) <float[1,3,1] w = {1, 1, 1}, float[1,3,1] r = {1, 1, 1}>
                   { %s = GRU<hidden_size = 1>(x, w, r) }""" % (outputs, names), [1, 2], opset=14)


first = step(1, 0)
last = step(2, first)
states = array([2, 1, 1, 1], [first, last])
wrong("Y alone", gru("float[2,1,1,1] y", "y"), states, seen=array([1, 1, 1], [last]))
right("Y and Y_h", gru("float[2,1,1,1] y, float[1,1,1] h", "y, h"), (states, array([1, 1, 1], [last])))
verdict()
