"""
title: RNN, GRU and LSTM with a hidden_size that their weights do not have are run; they must be refused.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: clip is given.  Without it they are refused.
rule: ONNX RNN-14, attribute hidden_size, and input W of shape [directions, hidden_size, input_size].
documented: docs/methods/search.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def cell(op, gates, size, clip):
    m = model("""(float[1,1,1] x) => (float[1,1,1,1] y) <float[1,%d,1] w = {%s}, float[1,%d,1] r = {%s}>
        { y = %s<hidden_size = %d%s>(x, w, r) }"""
              % (gates, ",".join("1" * gates), gates, ",".join("1" * gates), op, size, ", clip = 9.0" if clip else ""),
              check=False)
    return lambda: run(m, [1])


# tanh(1); (1 - sigmoid(1)) tanh(1); sigmoid(1) tanh(sigmoid(1) tanh(1))
for op, gates, value in (("RNN", 1, 0.7615942), ("GRU", 3, 0.2048242), ("LSTM", 4, 0.3696064)):
    for size in (-1, 0, 2):
        wrong("%s, hidden_size %d, clip" % (op, size), cell(op, gates, size, True), Refused(), seen=[value])
    right("%s, hidden_size -1, no clip" % op, cell(op, gates, -1, False), Refused())
    right("%s, hidden_size 1, clip" % op, cell(op, gates, 1, True), [value])
verdict()
