"""
title: keras.ops.where(condition) in a functional model gives the rows alone, and its symbolic result has the shape of
    the condition; rows and columns are right.
library: keras
shows: 3.15.1
class: bug
condition: a condition alone, of two axes, as a part of a functional model.  A plain call gives both.
rule: a plain call of keras.ops.where(condition), which gives the indices as keras.ops.nonzero does; a part of a
    functional model computes what the call does.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import right, verdict, with_keras, wrong


def indices(name, functional):
    def call(ops, np):
        import keras

        condition = np.array([[False, True], [False, True]])
        given = keras.KerasTensor((2, 2), dtype="bool")
        f = getattr(ops, name)
        return np.stack(keras.Function(given, f(given))(condition) if functional else f(condition))
    return with_keras("numpy", call)


ROWS, COLUMNS = [0, 1], [1, 1]
wrong("where, functional", indices("where", True), [ROWS, COLUMNS], seen=ROWS)
right("where", indices("where", False), [ROWS, COLUMNS])
verdict()
