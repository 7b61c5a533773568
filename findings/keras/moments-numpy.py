"""
title: keras.ops.moments of 10000, 10001, 10002 with NumPy has the variance 0, not 2/3.
library: keras
shows: 3.15.1
class: precision
condition: With NumPy: E(x²) - E(x)² in float32.  ops.var, and moments with TensorFlow, are right.
rule: The variance of three numbers one apart is 2/3; ops.var of the same library gives it.
documented: docs/backends.md, Keras
tracker: none found; https://github.com/keras-team/keras/pull/18795 is about TensorFlow and JAX
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.moments(np.array([1e4, 10001, 10002], "float32"), [0])[1]


RIGHT = array([], 2 / 3)
wrong("with numpy", with_keras("numpy", call), RIGHT, seen=0, rel=1e-3, abs=1e-6)
right("with tensorflow", with_keras("tensorflow", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
