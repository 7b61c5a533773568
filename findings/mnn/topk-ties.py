"""
title: TopK of equal values gives the higher index first; the lower one is right.
library: MNN
shows: 3.6.1
class: bug
condition: Two of the largest values are equal.
rule: ONNX TopK-11: of two equal values the one with the lower index comes first.
documented: docs/methods/fuzz.md, The paper's failures on MNN
tracker: none found
"""
from library import call, right, verdict, wrong

def top(*x):
    return call("(float[4] x) => (float[2] v, int64[2] i) <int64[1] k = {2}> { v, i = TopK(x, k) }", x)


wrong("1 3 3 2", top(1, 3, 3, 2), ([3, 3], [1, 2]), seen=([3, 3], [2, 1]))
right("1 3 4 2", top(1, 3, 4, 2), ([4, 3], [2, 1]))
verdict()
