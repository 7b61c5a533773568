"""
title: keras.ops.isclose(inf, inf) with TensorFlow is False, not True.
library: keras
shows: 3.15.1
class: bug
condition: With TensorFlow.  With NumPy it is right.
rule: numpy.isclose, whose interface it has: infinities are close where they are equal.
documented: docs/backends.md, Keras
tracker: https://github.com/keras-team/keras/issues/23128 (closed; the fix is in
    https://github.com/keras-team/keras/pull/23136)
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.cast(ops.isclose(np.array([np.inf], "float32"), np.array([np.inf], "float32")), "float32")


RIGHT = array([1], [1])
wrong("with tensorflow", with_keras("tensorflow", call), RIGHT, seen=[0], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
