"""
title: Two Flattens of one tensor become a model that lacks one of its constants.
library: onnxscript
shows: 0.7.2
class: bug
condition: two Flattens of the same tensor, of the same axis or not; rule Flatten2Reshape, which names both new
    constants alike.
rule: ONNX IR, Graphs: what a node reads is an input of the graph, an initializer or the output of a node.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: none found for Flatten; https://github.com/microsoft/onnxscript/issues/2945 is the same of Reshapes,
    https://github.com/microsoft/onnxscript/issues/2079 and https://github.com/onnx/ir-py/issues/246 are about such
    names
"""
from library import Refused, call, right, verdict, wrong

X = [[[1, 2], [3, 4]]]
TWO = "(float[1, 2, 2] x) => (float[1, 4] y, float[1, 4] z) { y = Flatten(x) z = Flatten(x) }"
ONE = "(float[1, 2, 2] x) => (float[1, 4] y) { y = Flatten(x) }"

wrong("two", lambda: call(TWO, X)()[1], [[1, 2, 3, 4]], seen=Refused("Unable to find input 'x/shape_1'"))
right("one", call(ONE, X), [[1, 2, 3, 4]])
verdict()
