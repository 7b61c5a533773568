"""
title: If whose branches give tensors of different shapes is refused; it is a valid model.
library: tract
shows: 0.23.9
class: bug
condition: The shapes of the branches' results are known and differ.
rule: ONNX If-13: the branches' outputs may differ in shape.
documented: data/quirks.tsv, Split
tracker: https://github.com/sonos/tract/issues/2695
"""
from library import Refused, model, right, run, verdict, wrong


def chosen(other):
    m = model("""(float[4] x, bool c) => (float[n] y) { y = If<then_branch = g () => (float[n] t) { t = Neg(x) },
        else_branch = h () => (float[n] e) { %s }>(c) }""" % other)
    return lambda: run(m, [1, 2, 3, 4], True)


wrong("4 and 2 elements", chosen("e, f = Split(x)"), [-1, -2, -3, -4], seen=Refused("Impossible to unify"))
right("4 and 4 elements", chosen("e = Abs(x)"), [-1, -2, -3, -4])
verdict()
