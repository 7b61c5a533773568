"""
title: keras.ops.add of a tensor and a column broadcasts along the wrong axis with TensorFlow.
library: keras
shows: 3.15.1
class: bug
condition: With TensorFlow, the second operand has one axis that is not 1, whose size is that of the first operand's
    last axis, though it stands elsewhere: it is taken for a bias of channels that come last.
rule: keras.ops.add adds element by element; shapes broadcast as in NumPy, from the last axis.
documented: docs/methods/check.md, The same over Keras's array libraries
tracker: none found; https://github.com/keras-team/keras/pull/20386 (merged) made a special case of it
"""
from library import array, right, verdict, with_keras, wrong


def column(ops, np):
    return ops.add(np.zeros([1, 2, 1, 2], "float32"), np.array([[[0]], [[1]]], "float32"))


def other_size(ops, np):
    return ops.add(np.zeros([1, 2, 1, 3], "float32"), np.array([[[0]], [[1]]], "float32"))


RIGHT = array([1, 2, 1, 2], [0, 0, 1, 1])
SEEN = array([1, 2, 1, 2], [0, 1, 0, 1])
wrong("the last axis has the same size", with_keras("tensorflow", column), RIGHT, seen=SEEN)
right("the last axis has another size", with_keras("tensorflow", other_size), array([1, 2, 1, 3], [0, 0, 0, 1, 1, 1]))
right("with numpy", with_keras("numpy", column), RIGHT)
verdict()
