"""
title: keras.ops.tril(x, 5) and triu(x, -5) of a 3 × 3 matrix fail with TensorFlow; all of the matrix is right.
library: keras
shows: 3.15.1
class: bug
condition: With TensorFlow, when the diagonal lies beyond the matrix on the side that keeps everything.  On the other
    side, and up to the size of the matrix, it is right; so it is with NumPy.
rule: keras.ops.tril, k: "Diagonal above which to zero elements"; none is above that one.  numpy.tril gives the matrix.
documented: data/quirks.tsv, Trilu
tracker: none found
"""
from library import Refused, array, right, verdict, with_keras, wrong


def call(name, k):
    return lambda ops, np: getattr(ops, name)(np.ones((3, 3), "float32"), k)


ALL = array([3, 3], [1] * 9)
BEYOND = Refused("must be negative or less or equal")
wrong("tril, 5 above", with_keras("tensorflow", call("tril", 5)), ALL, seen=BEYOND)
wrong("triu, 5 below", with_keras("tensorflow", call("triu", -5)), ALL, seen=BEYOND)
right("tril, 3 above", with_keras("tensorflow", call("tril", 3)), ALL)
right("tril, 5 below", with_keras("tensorflow", call("tril", -5)), array([3, 3], [0] * 9))
right("with numpy", with_keras("numpy", call("tril", 5)), ALL)
verdict()
