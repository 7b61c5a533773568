"""
title: LSTM ignores layout = 1, and gives Y for Y_h where Y is left out: all steps and four axes.
library: MNN
shows: 3.6.1
class: bug
condition: Weights are inputs of the graph.  layout = 1: the first axis is taken for time.  Y left out by an empty name;
    with a name Y_h is right.
rule: ONNX LSTM-14, attribute layout; output Y_h: the last state, three axes.
documented: data/quirks.tsv, LSTM
tracker: none found; https://github.com/alibaba/MNN/issues/1138 is about batch_first and the first step alone (closed)
"""
import math

from library import array, call, right, verdict, wrong


def lstm(text, more=""):
    shapes = text.split("|")
    return call("(float[%s] x, float[1,4,1] w, float[1,4,1] r) => (%s) { %s = LSTM<hidden_size = 1%s>(x, w, r) }"
                % (shapes[0], shapes[1], shapes[2], more), [0.5, 1], [1] * 4, [0.5] * 4, opset=14)


def step(x, h, c):
    gate = 1 / (1 + math.exp(-(x + 0.5 * h)))
    c = gate * c + gate * math.tanh(x + 0.5 * h)
    return gate * math.tanh(c), c


one, cell = step(0.5, 0, 0)
two, _ = step(1, one, cell)
wrong("layout 1", lstm("1,2,1|float[1,2,1,1] y, float[1,1,1] h|y, h", ", layout = 1"),
      (array([1, 2, 1, 1], [one, two]), array([1, 1, 1], [two])))
wrong("Y left out", lstm("2,1,1|float[1,1,1] h|, h"), array([1, 1, 1], [two]), seen=array([2, 1, 1, 1], [one, two]))
right("Y named", lstm("2,1,1|float[1,1,1] h|y, h"), array([1, 1, 1], [two]))
verdict()
