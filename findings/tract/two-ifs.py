"""
title: A model with two If nodes is refused ("Duplicate node name: If"); it is a valid model.
library: tract
shows: 0.23.9
class: bug
condition: Two nodes of If, with or without names of their own.
rule: ONNX If-13.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong

BRANCHES = """If<then_branch = g%d () => (float[2] t%d) { t%d = Neg(x) },
    else_branch = h%d () => (float[2] e%d) { e%d = Abs(x) }>(c)"""


def branches(n, named=False):
    text = " ".join("a%d = %s" % (i, BRANCHES % ((i,) * 6)) for i in range(n))
    m = model("(float[2] x, bool c) => (float[2] y) { %s y = Sum(%s) }" % (text,
                                                                           ", ".join("a%d" % i for i in range(n))))
    for i, node in enumerate(m.graph.node):
        node.name = "n%d" % i if named else ""
    return lambda: run(m, [1, 2], True)


wrong("two", branches(2), [-2, -4], seen=Refused("Duplicate node name"))
wrong("two with names", branches(2, True), [-2, -4], seen=Refused("Duplicate node name"))
right("one", branches(1), [-1, -2])
verdict()
