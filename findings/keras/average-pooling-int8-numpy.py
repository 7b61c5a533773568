"""
title: keras.layers.AveragePooling1D of int8 numbers is wrong with NumPy below Keras: -28 for 100 and 100.
library: keras
shows: 3.15.1
class: bug
condition: Tensors of int8, whose sum does not fit int8.  Of int32 and float32 it is right; PyTorch and TensorFlow
    refuse whole numbers.
rule: keras.layers.AveragePooling1D: the average of each window, here a float64.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import right, verdict, with_keras, wrong


def average(kind):
    def call(ops, np):
        import keras

        return keras.layers.AveragePooling1D(2)(ops.convert_to_tensor(np.array([[[100], [100]]], kind)))
    return with_keras("numpy", call)


wrong("int8", average("int8"), [100], seen=[-28])
right("int32", average("int32"), [100])
right("float32", average("float32"), [100])
verdict()
