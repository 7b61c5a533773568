"""
title: MatMul of several matrices with a vector keeps an axis of 1 at the end.
library: rten
shows: 0.27.0
class: bug
condition: The first has three axes or more, which make more than one matrix; one matrix and a vector are right.
rule: ONNX MatMul-13: behaves like numpy.matmul, which removes the axis that it made of a vector.
documented: data/quirks.tsv, MatMul
tracker: none found; https://github.com/robertknight/rten/pull/418 (merged) brought vectors
"""
import numpy as np

from library import call, right, verdict, wrong


def axes(given, result, values):
    """How many axes the product has."""
    product = call("(float[%s] x, float[2] z) => (float[%s] y) { y = MatMul(x, z) }" % (given, result), values, [1, 1])
    return lambda: np.array(product()[0].ndim)


wrong("three axes", axes("2, 2, 2", "2, 2", np.ones((2, 2, 2))), 2, seen=3)
right("two axes", axes("2, 2", "2", [[1, 2], [3, 4]]), 1)
verdict()
