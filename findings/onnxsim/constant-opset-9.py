"""
title: A Constant before opset 12 that gives the shape of a Reshape ends simplify().
library: onnxsim
shows: 0.8.1
since: 0.8.1
class: bug
condition: ONNX Runtime is not installed, so that constants are folded by ONNX's own evaluator;
    opset 11 or before.  0.7.3 is right.
rule: ONNX Constant-1: it has the one attribute value; onnxsim adds one of its own and then refuses the node.
documented: data/quirks.tsv, Constant
tracker: none found; https://github.com/onnxsim/onnxsim/pull/896 (merged) brought the attribute
"""
from library import Refused, call, right, verdict, wrong

TEXT = "(float[1, 2] x) => (float[2, 1] y) { s = Constant <value = int64[2] {2, 1}> () y = Reshape(x, s) }"

wrong("opset 9", call(TEXT, [[1, 2]], opset=9), [[1], [2]], seen=Refused("onnxsim_transient_constant"))
right("opset 13", call(TEXT, [[1, 2]], opset=13), [[1], [2]])
right("an initializer", call("(float[1, 2] x) => (float[2, 1] y) <int64[2] s = {2, 1}> { y = Reshape(x, s) }", [[1, 2]],
                             opset=9), [[1], [2]])
verdict()
