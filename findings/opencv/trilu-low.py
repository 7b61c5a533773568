"""
title: Trilu with upper = 0 keeps the last row where k is below all rows.
library: OpenCV
shows: 5.0.0
class: bug
condition: The new engine, more rows than columns, -k of the number of rows or more.  Square matrices are right.
rule: ONNX Trilu-14: with upper = 0 a negative k excludes the main diagonal and |k| - 1 diagonals below it.
documented: docs/methods/fuzz.md, What it found
tracker: not searched
found: fuzz
"""
from library import call, right, verdict, wrong

def trilu(shape, k, *x):
    return call("(float[%s] x) => (float[%s] y) <int64 k = {%d}> { y = Trilu<upper = 0>(x, k) }" % (shape, shape, k), x,
                opset=14)


wrong("-2", trilu("2, 1", -2, 1, 2), [0, 0], seen=[0, 2])
wrong("-3", trilu("2, 1", -3, 1, 2), [0, 0], seen=[0, 2])
right("-1", trilu("2, 1", -1, 1, 2), [0, 2])
right("square", trilu("2, 2", -2, 1, 2, 3, 4), [0] * 4)
verdict()
