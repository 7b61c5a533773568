"""
title: Round takes halves away from zero; to even is right: 0.5 becomes 1, 2.5 becomes 3.
library: MNN
shows: 3.6.1
class: bug
condition: The number lies halfway, and the even neighbour is nearer to zero.
rule: ONNX Round-11: halves round to the nearest even number.
documented: data/quirks.tsv, Round
tracker: none found
"""
from library import call, right, verdict, wrong

def rounded(*x):
    return call("(float[2] x) => (float[2] y) { y = Round(x) }", x)


wrong("0.5 and 2.5", rounded(0.5, 2.5), [0, 2], seen=[1, 3])
right("1.5 and 2.4", rounded(1.5, 2.4), [2, 2])
verdict()
