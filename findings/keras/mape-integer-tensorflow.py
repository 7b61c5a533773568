"""
title: keras.losses.mean_absolute_percentage_error of whole numbers with a label of 0 is infinite; 5e8 is right.
library: keras
shows: 3.15.1
class: bug
condition: Labels and predictions of int64, a label that is 0, TensorFlow below Keras: epsilon becomes a whole number,
    which is 0.  The same numbers as float32 are right.
rule: keras.losses.mean_absolute_percentage_error: "Division by zero is prevented by dividing by maximum(y_true,
    epsilon) where epsilon = keras.backend.epsilon() (default to 1e-7)"; the mean of 100 * 1 / 1e-7 and 0 is 5e8.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
found: equiv
"""
import math

from library import right, verdict, with_keras, wrong


def loss(arrays, kind):
    def call(ops, np):
        import keras

        found = keras.losses.mean_absolute_percentage_error(np.array([[0, 2]], kind), np.array([[1, 2]], kind))
        return ops.divide(ops.cast(found, "float32"), 1e8)
    return with_keras(arrays, call)


wrong("int64", loss("tensorflow", "int64"), [5], seen=[math.inf])
right("float32", loss("tensorflow", "float32"), [5])
verdict()
