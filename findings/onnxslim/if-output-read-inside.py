"""
title: Where If of a constant is replaced by its branch, an output of the branch that the branch reads as well is lost.
library: onnxslim
shows: 0.1.98
class: bug
condition: the condition of If is a constant, or becomes one when constants are folded, and another node of the branch
    reads an output of the branch.  An output that nobody reads inside is right.
rule: ONNX IR, graphs: each input of a node is an input or initializer of the graph, or an output of a node before it.
documented: data/quirks.tsv, If
tracker: none found
"""
from library import Refused, checked, right, verdict, wrong

TEXT = """(float[2] x) => (float[2] y, float[2] z) <bool c = {1}> { y, z = If(c) <
    then_branch = t () => (float[2] a, float[2] s) { s = Neg(x) a = Abs(%s) },
    else_branch = e () => (float[2] b, float[2] d) { b = Identity(x) d = Identity(x) }> }"""

wrong("read inside", checked(TEXT % "s", [1, 2]), ([1, 2], [-1, -2]),
      seen=Refused("Nodes in a graph must be topologically sorted"))
right("not read inside", checked(TEXT % "x", [1, 2]), ([1, 2], [-1, -2]))
verdict()
