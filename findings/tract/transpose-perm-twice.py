"""
title: Transpose with one axis twice in perm never ends; it must be refused.
library: tract
shows: 0.23.9
class: bug
condition: perm names an axis twice, as [0, 0].  A perm with too few axes is refused, [1, 0] is right.
rule: ONNX Transpose-13, attribute perm: a permutation of the axes.
documented: docs/campaign.md, Search, check, swap, gradients and real models
tracker: none found
"""
from library import Hung, Refused, right, unchecked, verdict, wrong


def transpose(perm):
    return unchecked("(float[2,3] x) => (float y) { y = Transpose<perm = [%s]>(x) }" % perm, [1, 2, 3, 4, 5, 6])


wrong("perm 0 0", transpose("0, 0"), Refused(), seen=Hung(), seconds=15)
wrong("perm 1 1", transpose("1, 1"), Refused(), seen=Hung(), seconds=15)
right("perm 1 0", transpose("1, 0"), [1, 4, 2, 5, 3, 6])
right("perm 0", transpose("0"), Refused())
verdict()
