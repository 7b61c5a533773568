"""
title: Hardmax of opset 12 and before keeps its axis when it becomes Hardmax-13, which means another thing by it.
library: onnxconvert
shows: 1.23.2
class: bug
condition: more than one axis behind the one that is named; Softmax and LogSoftmax are converted right.
rule: ONNX Hardmax-11 makes a matrix of its input at `axis` and has one 1 in each row; Hardmax-13 has one along `axis`.
documented: data/quirks.tsv, Hardmax
tracker: none found
"""
from library import call, right, verdict, wrong

TEXT = "(float[1, 2, 2] x) => (float[1, 2, 2] y) { y = %s<axis = 1>(x) }"
X = [[[0, 3], [1, 2]]]

wrong("one 1 of four places", call(TEXT % "Hardmax", X, opset=11, to=13), [[[0, 1], [0, 0]]],
      seen=[[[0, 1], [1, 0]]])
right("one axis behind it", call("(float[1, 2] x) => (float[1, 2] y) { y = Hardmax<axis = 1>(x) }", [[1, 2]], opset=11,
                                 to=13), [[0, 1]])
right("Softmax", call(TEXT % "Softmax", [[[0, 0], [0, 0]]], opset=11, to=13), [[[0.25, 0.25], [0.25, 0.25]]])
verdict()
