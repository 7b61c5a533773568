"""
title: A recurrent layer of constants is folded as if sequence_lens were not there.
library: onnxsim
shows: 0.8.1
class: bug
condition: all inputs of RNN, GRU or LSTM are constants, a sequence is shorter than the first axis, and ONNX Runtime is
    not installed: onnxsim then folds with ONNX's own evaluator, which does not read sequence_lens.
rule: ONNX RNN, sequence_lens: "lengths of the sequences in a batch"; Y_h is the state after the last element of each.
documented: docs/backends.md, Rewriters; data/quirks.tsv, RNN
tracker: none found
"""
import math

from library import ReferenceEvaluator, feeds, model, onnxsim, right, verdict, wrong

TEXT = """(float[1] a) => (float[1, 1, 1] h, float[1] z)
    <float[3, 1, 1] x = {1, 1, 1}, float[1, %d, 1] w = {%s}, float[1, %d, 1] r = {%s}, int32[1] n = {%d}>
    { _, h = %s <hidden_size = 1> (x, w, r, , n) z = Neg(a) }"""


def layer(op, gates, n):
    """What is left of it must be no layer: the evaluator would not read sequence_lens here, either."""
    one, none = ", ".join(["1"] * gates), ", ".join(["0"] * gates)
    m = model(TEXT % (gates, one, gates, none, n, op), opset=14)

    def run():
        folded = onnxsim.simplify(m)[0]
        assert op not in [node.op_type for node in folded.graph.node]
        return ReferenceEvaluator(folded).run(None, feeds(m, [[0]]))

    return run


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def gru(n):
    """With w = 1 and r = 0: what the update gate keeps of the state before, and of a new one."""
    h = 0
    for _ in range(n):
        h = (1 - sigmoid(1)) * math.tanh(1) + sigmoid(1) * h
    return h


def lstm(n):
    c = 0
    for _ in range(n):
        c = sigmoid(1) * c + sigmoid(1) * math.tanh(1)
    return sigmoid(1) * math.tanh(c)


wrong("GRU, the first of three", layer("GRU", 3, 1), ([gru(1)], [0]), seen=([gru(3)], [0]))
wrong("LSTM, the first of three", layer("LSTM", 4, 1), ([lstm(1)], [0]), seen=([lstm(3)], [0]))
right("GRU, all three", layer("GRU", 3, 3), ([gru(3)], [0]))
right("LSTM, all three", layer("LSTM", 4, 3), ([lstm(3)], [0]))
verdict()
