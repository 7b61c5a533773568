"""
title: MatMul of two vectors is refused; their inner product is right.
library: tract
shows: 0.23.9
class: bug
condition: Both have one axis.  A matrix and a vector, in either order, are right.
rule: ONNX MatMul-13: "behaves like numpy.matmul", which gives the inner product of two vectors, without axes.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import Refused, model, right, run, verdict, wrong


def product(a, b, out):
    m = model("(float[%s] a, float[%s] b) => (float%s y) { y = MatMul(a, b) }" % (a, b, out))
    return lambda: run(m, [1, 2, 3], [4, 5, 6])


wrong("3 by 3", product("3", "3", ""), [32], seen=Refused("a_rank > 1 || b_rank > 1"))
right("1 x 3 by 3", product("1,3", "3", "[1]"), [32])
right("3 by 3 x 1", product("3", "3,1", "[1]"), [32])
verdict()
