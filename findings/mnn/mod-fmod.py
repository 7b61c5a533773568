"""
title: Mod ignores fmod = 1: the result has the sign of the divisor.
library: MNN
shows: 3.6.1
class: bug
condition: fmod = 1 and numbers of different signs.
rule: ONNX Mod-13, attribute fmod: as C's fmod, with the dividend's sign.
documented: data/quirks.tsv, Mod
tracker: none found
"""
from library import call, right, verdict, wrong

def mod(a, b):
    return call("(float[1] x, float[1] z) => (float[1] y) { y = Mod<fmod = 1>(x, z) }", [a], [b])


wrong("-4 and 3", mod(-4, 3), [-1], seen=[2])
wrong("7 and -3", mod(7, -3), [1], seen=[-2])
right("7 and 3", mod(7, 3), [1])
verdict()
