"""
title: keras.ops.cross of two 3 × 3 matrices with PyTorch takes the vectors from the columns, not from the rows.
library: keras
shows: 3.15.1
class: bug
condition: With PyTorch, an axis before the last one has size 3, and axis is not given.  With NumPy it is right.
rule: keras.ops.cross: axisa, axisb and axisc default to -1, the last axis; as numpy.cross.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/pull/23219 (merged; no release has it yet)
"""
from library import array, right, verdict, with_keras, wrong


def three(ops, np):
    return ops.cross(np.eye(3, dtype="float32"), np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]], "float32"))


def two(ops, np):
    return ops.cross(np.eye(3, dtype="float32")[:2], np.array([[0, 1, 0], [0, 1, 0]], "float32"))


# x × y = z, y × y = 0, z × y = -x
RIGHT = array([3, 3], [0, 0, 1, 0, 0, 0, -1, 0, 0])
wrong("three rows with torch", with_keras("torch", three), RIGHT, seen=array([3, 3], [0, 1, 0, 0, 0, 0, 0, -1, 0]))
right("three rows with numpy", with_keras("numpy", three), RIGHT)
right("two rows with torch", with_keras("torch", two), array([2, 3], [0, 0, 1, 0, 0, 0]))
verdict()
