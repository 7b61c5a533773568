"""
title: Det of a matrix whose first element is 0 is NaN.
library: iree-base-compiler
shows: 3.13.0
class: bug
condition: The first element is 0: rows are not exchanged.  Other matrices are right.
rule: ONNX Det-11: the determinant; that of [[0, 1], [2, 3]] is -2.
documented: data/quirks.tsv, Det
tracker: https://github.com/iree-org/iree/issues/24397
"""
from library import SECONDS, call, right, verdict, wrong

determinant = "(float[2,2] x) => (float y) { y = Det(x) }"
wrong("0 first", call(determinant, [0, 1, 2, 3]), [-2], seen=[float("nan")], seconds=SECONDS)
right("2 first", call(determinant, [2, 3, 1, 1]), [-1], seconds=SECONDS)
verdict()
