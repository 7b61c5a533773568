"""
title: keras.ops.layer_normalization of 10000, 10001, 10002 with NumPy gives ±3162, not ±1.2247.
library: keras
shows: 3.15.1
class: precision
condition: With NumPy, where the variance is lost.  With TensorFlow it is right.
rule: The documentation: (x - mean) / sqrt(variance + epsilon).
documented: docs/backends.md, Keras
tracker: none found; https://github.com/keras-team/keras/pull/18795 is about moments with TensorFlow and JAX
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.layer_normalization(np.array([1e4, 10001, 10002], "float32"))


RIGHT = array([3], [-1.22474, 0, 1.22474])
wrong("with numpy", with_keras("numpy", call), RIGHT, seen=[-3162, 0, 3162], rel=1e-3, abs=1e-6)
right("with tensorflow", with_keras("tensorflow", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
