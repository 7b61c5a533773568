"""
title: RNN and GRU whose output Y is left out give Y for Y_h: all steps and four axes.
library: MNN
shows: 3.6.1
class: bug
condition: Y is left out by an empty name.  With a name it is right.
rule: ONNX RNN-14 and GRU-14, output Y_h: the last state, three axes.
documented: data/quirks.tsv, RNN; data/quirks.tsv, GRU
tracker: none found
"""
import math

from library import array, call, right, verdict, wrong

def recurrent(op, gates, text):
    ones, halves = ", ".join(["1"] * gates), ", ".join(["0.5"] * gates)
    return call("%s <float[1,%d,1] w = {%s}, float[1,%d,1] r = {%s}> %s"
                % (text[0], gates, ones, gates, halves, text[1] % op), [0.5, 1], opset=14)


def last(op, gates, y):
    return recurrent(op, gates,
                     ("(float[2,1,1] x) => (float[1,1,1] h)", "{ " + y + ", h = %s<hidden_size = 1>(x, w, r) }"))


def gru(x, h):
    gate = 1 / (1 + math.exp(-(x + 0.5 * h)))
    return (1 - gate) * math.tanh(x + 0.5 * gate * h) + gate * h


one = gru(0.5, 0)
two = gru(1, one)
first = math.tanh(0.5)
second = math.tanh(1 + 0.5 * first)
wrong("RNN", last("RNN", 1, ""), array([1, 1, 1], [second]), seen=array([2, 1, 1, 1], [first, second]))
right("RNN, Y named", last("RNN", 1, "y"), array([1, 1, 1], [second]))
wrong("GRU", last("GRU", 3, ""), array([1, 1, 1], [two]), seen=array([2, 1, 1, 1], [one, two]))
right("GRU, Y named", last("GRU", 3, "y"), array([1, 1, 1], [two]))
verdict()
