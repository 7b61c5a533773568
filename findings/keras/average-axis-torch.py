"""
title: keras.ops.average over axis 0 of a matrix with PyTorch puts one weight on each column, not on each row.
library: keras
shows: 3.15.1
class: bug
condition: With PyTorch, two axes, weights of one.  With NumPy it is right.
rule: numpy.average: weights of one axis go along the given axis.
documented: docs/backends.md, Keras
tracker: https://github.com/keras-team/keras/issues/23250 (closed; the fix is in
    https://github.com/keras-team/keras/pull/23249)
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.average(np.array([[0, 1], [2, 3]], "float32"), axis=0, weights=np.array([1, 3], "float32"))


RIGHT = array([2], [1.5, 2.5])
wrong("with torch", with_keras("torch", call), RIGHT, seen=[0.5, 3], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
