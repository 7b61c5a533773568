"""
title: A MatMul and an Add of one number end the process.
library: rten
shows: 0.27.0
class: bug
condition: The number is a constant with one axis of one element, the product has more columns.  Without optimizing the
    graph, and with as many numbers as columns, it is right.
rule: ONNX Add-14: one element broadcasts.
documented: docs/campaign.md, Rewriters and engines
tracker: none found
"""
from library import Died, call, right, verdict, wrong


def graph(number):
    return call("(float[1,2] x) => (float[1,2] y) <float[2,2] w = {1, 2, 3, 4}, float[%s> "
                "{ t = MatMul(x, w) y = Add(t, c) }" % number, [1, 1])


wrong("one number", graph("1] c = {10}"), [14, 16], seen=Died())
right("two numbers", graph("2] c = {10, 20}"), [14, 26])
verdict()
