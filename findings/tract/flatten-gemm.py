"""
title: Flatten, a Gemm of one unit and another Gemm are refused; each of them alone is taken.
library: tract
shows: 0.23.9
class: bug
condition: Flatten of more than two axes, and the first Gemm has one unit.  An input of two axes, two units, and no
    second
    Gemm are right.
rule: ONNX Flatten-13 and Gemm-13.
documented: docs/methods/search.md, What it found
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def layers(text, shape="[1,1,2,2]", result="[1,2]"):
    m = model("""(float%s x) => (float%s y) <float[4,1] w = {1, 1, 1, 1}, float[1,2] v = {1, 2},
        float[4,2] w2 = {1, 1, 1, 1, 1, 1, 1, 1}, float[2,2] v2 = {1, 0, 0, 2}>
        { f = Flatten(x) %s }""" % (shape, result, text))
    return lambda: run(m, [1, 2, 3, 4])


wrong("one unit between them", layers("g = Gemm(f, w) y = Gemm(g, v)"), [10, 20], seen=Refused("EinSum"))
right("two units between them", layers("g = Gemm(f, w2) y = Gemm(g, v2)"), [10, 20])
right("no second Gemm", layers("y = Gemm(f, w)", result="[1,1]"), [10])
right("an input of two axes", layers("g = Gemm(f, w) y = Gemm(g, v)", "[1,4]"), [10, 20])
verdict()
