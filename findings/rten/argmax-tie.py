"""
title: ArgMax of equal numbers gives the last of their positions; select_last_index is 0, so the first is right.
library: rten
shows: 0.27.0
class: bug
condition: The largest number is there more than once.
rule: ONNX ArgMax-13: if select_last_index is False (the default), the index of the first occurrence of the max is
  selected.
documented: data/quirks.tsv, ArgMax
tracker: none found
"""
from library import call, right, verdict, wrong


def argmax(values):
    return call("(float[3] x) => (int64[1] y) { y = ArgMax<axis = 0>(x) }", values)


wrong("two are the largest", argmax([2, 1, 2]), [0], seen=[2])
right("one is the largest", argmax([1, 2, 0]), [1])
verdict()
