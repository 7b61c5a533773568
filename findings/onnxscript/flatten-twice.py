"""
title: Two Flattens of one tensor become a model that lacks one of its constants.
library: onnxscript
shows: 0.7.2
class: bug
condition: Flatten twice of the same tensor; rule Flatten2Reshape.
rule: ONNX IR: what a node reads is an input, an initializer or made by a node.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found
"""
from library import Refused, call, right, verdict, wrong

X = [[[1, 2], [3, 4]]]
TWO = "(float[1, 2, 2] x) => (float[1, 4] y, float[1, 4] z) { y = Flatten(x) z = Flatten(x) }"
ONE = "(float[1, 2, 2] x) => (float[1, 4] y) { y = Flatten(x) }"

wrong("two", lambda: call(TWO, X)()[1], [[1, 2, 3, 4]], seen=Refused("Unable to find input 'x/shape_1'"))
right("one", call(ONE, X), [[1, 2, 3, 4]])
verdict()
