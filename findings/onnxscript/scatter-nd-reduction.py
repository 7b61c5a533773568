"""
title: ScatterND that adds to every row becomes the rows that were to be added.
library: onnxscript
shows: 0.7.2
class: bug
condition: constant indices of all rows in their order, updates of the shape of data, a reduction other than "none";
    rule ScatterAllStatic.
rule: ONNX ScatterND-16: with reduction="add" updates are added to what is there, with "mul" multiplied.
documented: docs/fusions.md, onnxscript 0.7.2
tracker: https://github.com/microsoft/onnxscript/pull/3049
"""
from library import call, right, verdict, wrong

TEXT = ("(float[2] x) => (float[2] y) <int64[2, 1] i = {%d, %d}, float[2] u = {10, 20}> "
        "{ y = ScatterND<reduction = \"%s\">(x, i, u) }")
X = [1, 2]

wrong("add", call(TEXT % (0, 1, "add"), X, opset=18), [11, 22], seen=[10, 20])
wrong("mul", call(TEXT % (0, 1, "mul"), X, opset=18), [10, 40], seen=[10, 20])
right("none", call(TEXT % (0, 1, "none"), X, opset=18), [10, 20])
right("add, in another order", call(TEXT % (1, 0, "add"), X, opset=18), [21, 12])
verdict()
