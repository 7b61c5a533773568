"""
title: LSTM's clip does not bound the cell before it becomes the hidden state; ONNX bounds the input of every
    activation.
library: onnxruntime
shows: 1.17.0, 1.31.1
class: difference
condition: clip is given and the cell's state leaves its range.  OpenVINO does the same.
rule: ONNX LSTM-14, attribute clip: applied to "the input of activations"; formula Ht = ot (.) h(Ct).
documented: docs/methods/search.md, What it found
tracker: https://github.com/microsoft/onnxruntime/issues/27224 (closed;
    https://github.com/microsoft/onnxruntime/pull/27239 is open)
"""
from library import model, right, run, verdict, wrong


def hidden(clip):
    m = model("""(float[1,1,1] x) => (float[1,1,1] h)
        <float[1,4,1] w = {0, 0, 0, 0}, float[1,4,1] r = {0, 0, 0, 0}, float[1,1,1] c = {4}>
        { _, h = LSTM<hidden_size = 1, clip = %.1f>(x, w, r, , , , c) }""" % clip)
    return lambda: run(m, [0])


# All gates are sigmoid(0) = 0.5, the cell is 0.5 * 4 + 0.5 * tanh(0) = 2.
wrong("clip 1", hidden(1), [0.3807971], seen=[0.4820138])  # 0.5 tanh(1), 0.5 tanh(2)
right("clip 3", hidden(3), [0.4820138])
verdict()
