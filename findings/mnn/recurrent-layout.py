"""
title: RNN and GRU ignore layout = 1: the first axis is taken for time, and Y_h has the wrong shape.
library: MNN
shows: 3.6.1
class: bug
condition: layout = 1.  layout = 0 is right.
rule: ONNX RNN-14 and GRU-14, attribute layout.
documented: data/quirks.tsv, RNN; data/quirks.tsv, GRU
tracker: none found
"""
import math

from library import array, call, right, verdict, wrong

def recurrent(op, gates, text):
    ones, halves = ", ".join(["1"] * gates), ", ".join(["0.5"] * gates)
    return call("%s <float[1,%d,1] w = {%s}, float[1,%d,1] r = {%s}> %s"
                % (text[0], gates, ones, gates, halves, text[1] % op), [0.5, 1], opset=14)


def both(op, gates, layout):
    x, y = ("1,2,1", "1,2,1,1") if layout else ("2,1,1", "2,1,1,1")
    return recurrent(op, gates, ("(float[%s] x) => (float[%s] y, float[1,1,1] h)" % (x, y),
                                 "{ y, h = %%s<hidden_size = 1, layout = %d>(x, w, r) }" % layout))


def gru(x, h):
    gate = 1 / (1 + math.exp(-(x + 0.5 * h)))
    return (1 - gate) * math.tanh(x + 0.5 * gate * h) + gate * h


one = gru(0.5, 0)
two = gru(1, one)
first = math.tanh(0.5)
second = math.tanh(1 + 0.5 * first)
wrong("RNN, layout 1", both("RNN", 1, 1), (array([1, 2, 1, 1], [first, second]), array([1, 1, 1], [second])))
right("RNN, layout 0", both("RNN", 1, 0), (array([2, 1, 1, 1], [first, second]), array([1, 1, 1], [second])))
wrong("GRU, layout 1", both("GRU", 3, 1), (array([1, 2, 1, 1], [one, two]), array([1, 1, 1], [two])))
right("GRU, layout 0", both("GRU", 3, 0), (array([2, 1, 1, 1], [one, two]), array([1, 1, 1], [two])))
verdict()
