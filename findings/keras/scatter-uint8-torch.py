"""
title: keras.ops.scatter with indices of uint8 writes nothing with PyTorch below Keras.
library: keras
shows: 3.15.1
class: bug
condition: Indices of uint8, which PyTorch takes for a mask.  Of int32 it is right, and so is NumPy; TensorFlow refuses
    uint8.
rule: keras.ops.scatter: zeros, and the values at the indices.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import right, verdict, with_keras, wrong


def scatter(arrays, kind):
    return with_keras(arrays, lambda ops, np: ops.scatter(np.array([[1, 0], [0, 2]], kind),
                                                          np.array([5, 6], "float32"), (2, 3)))


wrong("uint8", scatter("torch", "uint8"), [0, 0, 6, 5, 0, 0], seen=[0] * 6)
right("int32", scatter("torch", "int32"), [0, 0, 6, 5, 0, 0])
right("uint8 with NumPy", scatter("numpy", "uint8"), [0, 0, 6, 5, 0, 0])
verdict()
