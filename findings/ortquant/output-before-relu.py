"""
title: An output of the graph that Relu reads as well loses its negative numbers.
library: onnxruntime
shows: 1.27.0, 1.31.1
class: bug
condition: Relu is the only node that reads the tensor, so that its range is cut at 0; that it is an output is not seen.
rule: ONNX: a tensor that a graph gives is what its node makes.
documented: data/quirks.tsv, Conv
tracker: none found; https://github.com/microsoft/onnxruntime/pull/21573 (merged) brought the same cut to symmetric
    activations
"""
from library import call, right, verdict, wrong

GRAPH = ("(float[1, 1, 1, 3] x) => ({}) <float[1, 1, 1, 1] w = {{1}}> {{ c = Conv(x, w) r = Relu(c) y = Neg(r) {}}}")
BOTH = GRAPH.format("float[1, 1, 1, 3] c, float[1, 1, 1, 3] y", "")
COPY = GRAPH.format("float[1, 1, 1, 3] d, float[1, 1, 1, 3] y", "d = Identity(c) ")
X = [[[[-1, -0.25, 1]]]]
RIGHT = [[[[-1, -0.25, 1]]]], [[[[0, 0, -1]]]]
SEEN = [[[[0, 0, 1]]]], [[[[0, 0, -1]]]]

wrong("QDQ", call(BOTH, X, opset=21), RIGHT, seen=SEEN, abs=0.05)
wrong("QOperator", call(BOTH, X, opset=21, form="qoperator", activation="uint8"), RIGHT, seen=SEEN, abs=0.05)
right("another node reads it", call(COPY, X, opset=21), RIGHT, abs=0.05)
verdict()
