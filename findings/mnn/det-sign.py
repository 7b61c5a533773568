"""
title: Det of [[0, 1], [2, 3]] is 2; -2 is right.
library: MNN
shows: 3.6.1
class: bug
condition: The first element is 0, so that rows change places.  [[2, 1], [1, 3]] is right.
rule: ONNX Det-11.
documented: data/quirks.tsv, Det
tracker: none found
"""
from library import call, right, verdict, wrong

def det(*x):
    return call("(float[2,2] x) => (float y) { y = Det(x) }", x)


wrong("0 1 2 3", det(0, 1, 2, 3), [-2], seen=[2])
right("2 1 1 3", det(2, 1, 1, 3), [5])
verdict()
