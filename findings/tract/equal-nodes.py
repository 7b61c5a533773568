"""
title: Three equal nodes whose results are added in two pairs, and then multiplied, do not run ("eval() called on a
    Dummy op. This is a bug."); it is a valid model.
library: tract
shows: 0.23.9
since: 0.21.19
class: bug
condition: Of three equal nodes two pairs go into two nodes that are equal, too, once the three are one, and one node
    takes the results of both.  With two equal nodes in place of three it is right.
rule: The message itself.  ONNX has no rule against nodes that are equal.
documented: docs/methods/fuzz.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def graph(nodes):
    m = model("(float[1] x) => (float[1] y) { %s }" % nodes)
    return lambda: run(m, [5])


says = Refused("eval() called on a Dummy op. This is a bug.")
THREE = "a = Abs(x) b = Abs(x) c = Abs(x) "
wrong("three Abs, two sums, a product", graph(THREE + "p = Add(a, b) q = Add(a, c) y = Mul(p, q)"), [100], seen=says)
wrong("three Abs, two products, a sum", graph(THREE + "p = Mul(a, b) q = Mul(a, c) y = Add(p, q)"), [50], seen=says)
right("two Abs", graph("a = Abs(x) b = Abs(x) p = Add(a, b) q = Add(a, b) y = Mul(p, q)"), [100])
right("one Abs", graph("a = Abs(x) p = Add(a, a) q = Add(a, a) y = Mul(p, q)"), [100])
right("three Abs, q is no sum", graph(THREE + "p = Add(a, b) q = Neg(c) y = Mul(p, q)"), [-50])
verdict()
