"""
title: RNN with an activation other than Tanh, Relu and Sigmoid (Softsign, Softplus, Elu, …) is refused; ONNX has
    eleven.
library: openvino
shows: 2024.6.0, 2026.4.1
class: difference
condition: activations names one of the others.
rule: ONNX RNN-14, attribute activations: the list in the operator's text, with optional ones.
documented: docs/methods/search.md, What it found
tracker: none found; https://github.com/openvinotoolkit/openvino/issues/13431 is about HardSigmoid
"""
import math

from library import Refused, model, right, run, verdict, wrong


def rnn(activation):
    m = model("""(float[1,1,1] x) => (float[1,1,1,1] y) <float[1,1,1] w = {1}, float[1,1,1] r = {1}>
        { y = RNN<hidden_size = 1, activations = ["%s"]>(x, w, r) }""" % activation)
    return lambda: run(m, [1])


wrong("Softsign", rnn("Softsign"), [1 / 2], seen=Refused())
wrong("Softplus", rnn("Softplus"), [math.log(1 + math.e)], seen=Refused())
right("Tanh", rnn("Tanh"), [math.tanh(1)])
right("Relu", rnn("Relu"), [1])
right("Sigmoid", rnn("Sigmoid"), [1 / (1 + math.exp(-1))])
verdict()
