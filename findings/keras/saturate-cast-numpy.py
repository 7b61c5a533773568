"""
title: keras.ops.saturate_cast of 2⁴⁰ to int32 with NumPy is 0, not 2147483647.
library: keras
shows: 3.15.1
class: bug
condition: With NumPy, from int64.  With TensorFlow it is right.
rule: The documentation: values are clamped to the range of the type.
documented: docs/backends.md, Keras
tracker: none found
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.saturate_cast(np.array([2**40], "int64"), "int32")


RIGHT = array([1], [2147483647], "int32")
wrong("with numpy", with_keras("numpy", call), RIGHT, seen=[0], rel=1e-3, abs=1e-6)
right("with tensorflow", with_keras("tensorflow", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
