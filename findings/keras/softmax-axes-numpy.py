"""
title: keras.layers.Softmax(axis=[1, 2]) fails with NumPy: a list that Keras itself made is no axis.
library: keras
shows: 3.15.1
class: bug
condition: With NumPy, axis a list of several axes.  A tuple, and the list with JAX, work.
rule: The layer's documentation has "axis: Integer, or list of integers"; the results along both axes add up to 1.
documented: docs/backends.md, Keras
tracker: none found; https://github.com/keras-team/keras/issues/20021 (closed) was about tuples
"""
from library import Refused, array, right, verdict, with_keras, wrong


def over(axis):
    def call(ops, np):
        import keras

        return keras.layers.Softmax(axis=axis)(np.zeros([1, 2, 2], "float32"))
    return call


RIGHT = array([1, 2, 2], [0.25] * 4)
wrong("a list with numpy", with_keras("numpy", over([1, 2])), RIGHT, seen=Refused())
right("a tuple with numpy", with_keras("numpy", over((1, 2))), RIGHT, rel=1e-6)
right("a list with jax", with_keras("jax", over([1, 2])), RIGHT, rel=1e-6)
verdict()
