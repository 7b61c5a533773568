"""
title: keras.ops.hypot of int8 tensors has the digits of float16 with NumPy below Keras: 147.875 for 100 and 109;
    147.92227 is right.
library: keras
shows: 3.15.1
class: precision
condition: Tensors of int8, whose result is a float32.  Of int32 it is right, and so are PyTorch and TensorFlow.
rule: keras.ops.hypot: sqrt(x1 ** 2 + x2 ** 2); its result is declared as float32.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import array, right, verdict, with_keras, wrong


def hypot(arrays, kind):
    return with_keras(arrays, lambda ops, np: ops.hypot(np.array([100], kind), np.array([109], kind)))


wrong("int8", hypot("numpy", "int8"), array([1], [147.92227]), seen=array([1], [147.875]))
right("int32", hypot("numpy", "int32"), array([1], [147.92227]))
right("int8 with PyTorch", hypot("torch", "int8"), array([1], [147.92227]))
verdict()
