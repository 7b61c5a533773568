"""
title: LSTM ignores its peepholes.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: The input P is there; without it, and with zeros, the result is right.
rule: ONNX LSTM-14: it = f(Xt*(Wi^T) + Ht-1*(Ri^T) + Pi (.) Ct-1 + Wbi + Rbi), and so on for the other gates.
documented: data/quirks.tsv, LSTM
tracker: none found
"""
import math

from library import SECONDS, call, right, verdict, wrong


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def cell(of_input, of_output, of_forget):
    """Its last state, with weights of 1, a state of 1 before it, and one step; and by the rule."""
    state = sigmoid(1 + of_forget) + sigmoid(1 + of_input) * math.tanh(1)
    run = call("""(float[1,1,1] x) => (float[1,1,1] h)
        <float[1,4,1] w = {1, 1, 1, 1}, float[1,4,1] r = {0, 0, 0, 0}, float[1,8] b = {0, 0, 0, 0, 0, 0, 0, 0},
         float[1,1,1] h0 = {0}, float[1,1,1] c0 = {1}, float[1,3] p = {%g, %g, %g}>
        { y, h = LSTM<hidden_size = 1>(x, w, r, b, , h0, c0, p) }""" % (of_input, of_output, of_forget), [1])
    return run, [sigmoid(1 + of_output * state) * math.tanh(state)]


wrong("a peephole of the input gate", *cell(1, 0, 0), seen=cell(0, 0, 0)[1], seconds=SECONDS)
wrong("of the output gate", *cell(0, 1, 0), seen=cell(0, 0, 0)[1], seconds=SECONDS)
right("zeros", *cell(0, 0, 0), seconds=SECONDS)
verdict()
