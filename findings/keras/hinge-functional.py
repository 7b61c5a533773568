"""
title: keras.losses.hinge in a functional model gives a symbolic tensor when the model is called; numbers are right.
library: keras
shows: 3.15.1
class: difference
condition: hinge, squared_hinge, and the classes Hinge and SquaredHinge, as a part of a functional model.  The labels
    are chosen by keras.ops.cond, whose functions hold symbolic tensors.  A plain call is right, and so is
    categorical_hinge in a functional model.  No page says that a loss may stand inside of a functional model.
rule: a functional model that is called with numbers gives numbers.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found; https://github.com/keras-team/keras/pull/19221 is about what ops.cond may give
"""
from library import right, verdict, with_keras, wrong


def is_number(name, functional):
    """1: the loss is a tensor of numbers."""
    def call(ops, np):
        import keras

        f = getattr(keras.losses, name)
        labels = np.array([[1.0, -1.0]], "float32")
        given = [keras.KerasTensor((1, 2)), keras.KerasTensor((1, 2))]
        loss = keras.Function(given, f(*given))([labels, labels]) if functional else f(labels, labels)
        return np.array(not isinstance(loss, keras.KerasTensor), "int32")
    return with_keras("numpy", call)


for name in "hinge", "squared_hinge":
    wrong(name, is_number(name, True), 1, seen=0)
right("hinge, a plain call", is_number("hinge", False), 1)
right("categorical_hinge", is_number("categorical_hinge", True), 1)
verdict()
