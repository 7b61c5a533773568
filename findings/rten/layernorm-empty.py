"""
title: LayerNormalization of a tensor without elements kills the process; the result has none either.
library: rten
shows: 0.27.0
class: bug
condition: An axis that is normalized has no elements.
rule: ONNX LayerNormalization-17: Y has the shape of X; a dimension of 0 is a dimension (ONNX IR, "Static tensor
    shapes").
documented: docs/methods/equiv.md, Libraries without a list; data/quirks.tsv, LayerNormalization
tracker: none found
found: equiv
"""
from library import Died, array, call, right, verdict, wrong


def norm(size, values):
    text = "(float[1,%d] x, float s) => (float[1,%d] y) { y = LayerNormalization<axis = 0>(x, s) }" % (size, size)
    return call(text, values, [2], opset=17)


wrong("no elements", norm(0, []), array([1, 0], []), seen=Died())
right("two elements", norm(2, [-1, 1]), array([1, 2], [-2, 2]), rel=1e-3)
verdict()
