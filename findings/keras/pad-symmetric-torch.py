"""
title: keras.ops.pad of 1, 2, 3 by 2 in mode symmetric with PyTorch repeats the edge: 1, 1 before it, not 2, 1.
library: keras
shows: 3.15.1
class: bug
condition: With PyTorch.  With NumPy it is right.
rule: The documentation names the modes of numpy.pad; symmetric reflects along the edge.
documented: docs/backends.md, Keras
tracker: https://github.com/keras-team/keras/pull/23230 (merged)
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.pad(np.array([1, 2, 3], "float32"), ((2, 2),), "symmetric")


RIGHT = array([7], [2, 1, 1, 2, 3, 3, 2])
wrong("with torch", with_keras("torch", call), RIGHT, seen=[1, 1, 1, 2, 3, 3, 3], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
