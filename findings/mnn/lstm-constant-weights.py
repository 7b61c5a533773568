"""
title: LSTM whose weights are constants kills the process (SIGBUS or SIGSEGV).
library: MNN
shows: 3.6.1
class: bug
condition: W and R are constants, as they are in a trained network; with B or without, Y named or left out.  With
    weights that are inputs of the graph it is right, and so is a GRU with constants.
rule: ONNX LSTM-14: W and R are tensors; an initializer is one.
documented: docs/campaign.md, All methods on all libraries
tracker: none found
found: check
"""
import math

from library import Died, array, call, right, verdict, wrong


def step(x, h, c):
    gate = 1 / (1 + math.exp(-(x + 0.5 * h)))
    c = gate * c + gate * math.tanh(x + 0.5 * h)
    return gate * math.tanh(c), c


def gru(x, h):
    gate = 1 / (1 + math.exp(-(x + 0.5 * h)))
    return (1 - gate) * math.tanh(x + 0.5 * gate * h) + gate * h


CONSTANTS = "<float[1,%d,1] w = {%s}, float[1,%d,1] r = {%s}%s>"


def constants(op, gates, b=""):
    w, r = ", ".join(["1"] * gates), ", ".join(["0.5"] * gates)
    given = ", float[1,8] b = {0, 0, 0, 0, 0, 0, 0, 0}" if b else ""
    return call("(float[2,1,1] x) => (float[2,1,1,1] y, float[1,1,1] h) " + CONSTANTS % (gates, w, gates, r, given)
                + " { y, h = %s<hidden_size = 1>(x, w, r%s) }" % (op, b), [0.5, 1], opset=14)


one, cell = step(0.5, 0, 0)
two, _ = step(1, one, cell)
both = array([2, 1, 1, 1], [one, two]), array([1, 1, 1], [two])
wrong("LSTM", constants("LSTM", 4), both, seen=Died())
wrong("LSTM with B", constants("LSTM", 4, ", b"), both, seen=Died())
right("LSTM, weights as inputs",
      call("""(float[2,1,1] x, float[1,4,1] w, float[1,4,1] r) => (float[2,1,1,1] y, float[1,1,1] h)
           { y, h = LSTM<hidden_size = 1>(x, w, r) }""", [0.5, 1], [1] * 4, [0.5] * 4, opset=14), both)
first = gru(0.5, 0)
last = gru(1, first)
right("GRU", constants("GRU", 3), (array([2, 1, 1, 1], [first, last]), array([1, 1, 1], [last])))
verdict()
