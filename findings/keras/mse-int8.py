"""
title: keras.losses.mean_squared_error of the int8 numbers 100, 0 and -100, 0 is 32; 20000 is right.  The absolute error
    is 28; 100 is right.
library: keras
shows: 3.15.1
class: bug
condition: Labels and predictions of int8, 200 apart, TensorFlow below Keras: the difference, and its square, are
    formed in int8.  Of float32
    they are right.
rule: keras.losses.mean_squared_error: mean(square(y_true - y_pred)); mean_absolute_error: mean(abs(y_true - y_pred)).
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
found: equiv
"""
from library import right, verdict, with_keras, wrong


def loss(name, arrays, kind):
    def call(ops, np):
        import keras

        return getattr(keras.losses, name)(np.array([[100, 0]], kind), np.array([[-100, 0]], kind))
    return with_keras(arrays, call)


wrong("square, int8", loss("mean_squared_error", "tensorflow", "int8"), [20000], seen=[32])
wrong("absolute, int8", loss("mean_absolute_error", "tensorflow", "int8"), [100], seen=[28])
right("square, float32", loss("mean_squared_error", "tensorflow", "float32"), [20000])
right("absolute, float32", loss("mean_absolute_error", "tensorflow", "float32"), [100])
verdict()
