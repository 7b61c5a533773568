"""
title: keras.losses.huber of int8 tensors whose difference does not fit int8 is wrong: 28 for 100 and -100, and 0 and 0;
    99.75 is right.
library: keras
shows: 3.15.1
class: bug
condition: Labels and predictions of int8, 200 apart: the difference is formed in int8.  Of float32 it is right.
rule: keras.losses.huber: beyond delta = 1 the loss is |error| - 0.5, and the mean of both is taken.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import right, verdict, with_keras, wrong


def huber(arrays, kind):
    def call(ops, np):
        import keras

        return keras.losses.huber(np.array([[100, 0]], kind), np.array([[-100, 0]], kind))
    return with_keras(arrays, call)


for arrays in "numpy", "torch":
    wrong("int8 with " + arrays, huber(arrays, "int8"), [99.75], seen=[28])
    right("float32 with " + arrays, huber(arrays, "float32"), [99.75])
verdict()
