"""
title: keras.ops.rsqrt and keras.ops.reciprocal of whole numbers are whole numbers with NumPy, 0 for 2 and more.
library: keras
shows: 3.15.1
class: bug
condition: With NumPy, tensors of whole numbers; normalize, which uses rsqrt, gives 0 of them.  With PyTorch they are
    right.
rule: keras.ops.reciprocal: "Calculates 1/x"; keras.ops.rsqrt: the reciprocal of the square root.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/pull/23574 (open)
"""
from library import array, right, verdict, with_keras, wrong


def reciprocal(ops, np):
    return ops.reciprocal(np.array([1, 4], "int32"))


def rsqrt(ops, np):
    return ops.rsqrt(np.array([1, 4], "int32"))


def normalize(ops, np):
    return ops.normalize(np.array([[3, 4]], "int32"))


wrong("reciprocal with numpy", with_keras("numpy", reciprocal), array([2], [1, 0.25]), seen=[1, 0])
wrong("rsqrt with numpy", with_keras("numpy", rsqrt), array([2], [1, 0.5]), seen=[1, 0])
wrong("normalize with numpy", with_keras("numpy", normalize), array([1, 2], [0.6, 0.8]), seen=[0, 0], rel=1e-5)
right("reciprocal with torch", with_keras("torch", reciprocal), array([2], [1, 0.25]))
right("normalize with torch", with_keras("torch", normalize), array([1, 2], [0.6, 0.8]), rel=1e-5)
verdict()
