"""
title: A graph inside a node that reads an input of the model gets float32, and its output is declared float16.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: keep_io_types; a branch of If, or a body, reads a float input of the model, which gets no Cast there.
rule: ONNX If: a branch may read names of the graph around it.  ONNX Neg: the output has the type of the input.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/microsoft/onnxconverter-common/pull/260 (merged) is about casts in such graphs
found: fuzz
"""
import numpy as np

from library import Refused, call, right, verdict, wrong

TEXT = """(float[2] x, bool c) => (float[2] y)
    { y = If(c) <then_branch = f () => (float[2] a) { %s }, else_branch = g () => (float[2] b) { %s }> }"""
YES = np.array(True)
OWN = "%s = Constant<value = float[2] {1, 2}>()"

wrong("Neg", call(TEXT % ("a = Neg(x)", "b = Abs(x)"), [1, 2], YES), [-1, -2], seen=Refused("elem type differs"))
wrong("Add of a constant", call(TEXT % (OWN % "k" + " a = Add(x, k)", OWN % "b"), [1, 2], YES), [2, 4],
      seen=Refused("inconsistent type"))
right("own constants", call(TEXT % (OWN % "a", OWN % "b"), [3, 4], YES), [1, 2])
verdict()
