"""
title: CategoricalCrossentropy(axis=0) of 2 classes and 3 columns is 1.5 times as large in a functional model; the mean
    over the 3 columns is right.
library: keras
shows: 3.15.1
class: bug
condition: from_logits=True and an axis that is not the last, of tensors whose sizes differ, as a part of a functional
    model.  The symbolic call says that the loss lacks its last axis, and the sum is divided by that size.  A plain
    call is right.
rule: keras.losses.CategoricalCrossentropy: axis is the axis of the classes; reduction="sum_over_batch_size" divides the
    sum by the number of losses.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found; https://github.com/keras-team/keras/pull/22140 (closed) was about the same in
    sparse_categorical_crossentropy
"""
from library import right, verdict, with_keras, wrong


def loss(functional, axis=0):
    """Equal logits: each column's loss is log 2, whatever the label."""
    def call(ops, np):
        import keras

        f = keras.losses.CategoricalCrossentropy(from_logits=True, axis=axis)
        true, logits = np.array([[1, 0, 0], [0, 1, 1]], "float32"), np.zeros((2, 3), "float32")
        if axis:
            true, logits = true.T, logits.T
        given = [keras.KerasTensor(true.shape), keras.KerasTensor(true.shape)]
        return keras.Function(given, f(*given))([true, logits]) if functional else f(true, logits)
    return with_keras("numpy", call)


LOG_2 = 0.6931471805599453
wrong("axis 0, functional", loss(True), LOG_2, seen=1.5 * LOG_2)
right("axis 0", loss(False), LOG_2)
right("the last axis, functional", loss(True, -1), LOG_2)
verdict()
