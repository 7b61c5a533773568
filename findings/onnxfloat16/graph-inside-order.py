"""
title: A node with graphs inside is written before the nodes that those graphs read.
library: onnxconverter-common
shows: 1.16.0
class: bug
condition: a branch of If, or a body, reads what a node of the graph around it makes, and the If itself does not.
rule: ONNX IR: nodes are in topological order, that of names which graphs inside read as well.
documented: docs/methods/fuzz.md, Found
tracker: none found; https://github.com/microsoft/onnxconverter-common/pull/260 (merged), which brought the sorting,
    asks what becomes of such nodes
found: by hand
"""
import numpy as np

from library import Refused, call, right, verdict, wrong

TEXT = """(float[2] x, bool c) => (float[2] y)
    { z = Neg(x) %s y = If(%s) <then_branch = f () => (float[2] a) { a = Neg(z) },
        else_branch = g () => (float[2] b) { b = Abs(z) }> }"""
YES = np.array(True)

wrong("z in both branches", call(TEXT % ("", "c"), [1, 2], YES), [1, 2], seen=Refused("topologically sorted"))
right("the condition hangs on z", call(TEXT % ("s = ReduceSum<keepdims = 0>(z) o = Less(s, s) d = Or(c, o)", "d"),
                                       [1, 2], YES), [1, 2])
verdict()
