"""
title: A node whose graph reads a tensor from around it is written before the node that makes that tensor.
library: onnxruntime
shows: 1.31.1
class: bug
condition: a graph of If, Loop or Scan reads a tensor that a node outside makes, and the inputs of If, Loop or Scan
    itself do not depend on that node.
rule: ONNX IR, graphs: nodes must be topologically sorted.
documented: data/quirks.tsv, If
tracker: https://github.com/microsoft/onnxruntime/issues/18748 (a Loop, dynamic quantization)
"""
from library import Refused, call, right, verdict, wrong

TEXT = """(float[2] x, bool c) => (float[2] y) { s = Abs(x) t = Neg(s) y = If(c) <
    then_branch = g () => (float[2] a) { a = Abs(t) }, else_branch = h () => (float[2] b) { b = Neg(t) }> }"""
SEEN = Refused("Nodes in a graph must be topologically sorted")

wrong("static", call(TEXT, [1, 2], True), [1, 2], seen=SEEN)
wrong("dynamic", call(TEXT, [1, 2], True, dynamic=True), [1, 2], seen=SEEN)
right("an input depends on the node, too", call("""(float[2] x) => (float[2] y) { t = Neg(x) n = Size(t)
    zero = Sub(n, n) c = Cast<to = 9>(zero) y = If(c) <then_branch = g () => (float[2] a) { a = Abs(t) },
    else_branch = h () => (float[2] b) { b = Neg(t) }> }""", [1, 2]), [1, 2])
verdict()
