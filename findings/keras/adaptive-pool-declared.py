"""
title: A symbolic call of keras.ops.adaptive_average_pool or adaptive_max_pool says one axis too many: (1, 6, 2, 3, 2)
    for a result of shape (1, 2, 3, 2).
library: keras
shows: 3.15.1
class: bug
condition: Channels last.  Channels first is right, and so is the call itself.
rule: keras.ops.adaptive_average_pool: of inputs (batch, height, width, channels) the result is (batch, output height,
    output width, channels).
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/pull/23714 (open)
"""
from library import right, verdict, with_keras, wrong


def declared(name, shape, sizes, order="channels_last"):
    def call(ops, np):
        import keras

        return np.array(getattr(ops, name)(keras.KerasTensor(shape), sizes, data_format=order).shape)
    return with_keras("numpy", call)


def found(ops, np):
    pooled = ops.adaptive_average_pool(np.ones((1, 6, 6, 2), "float32"), (2, 3), data_format="channels_last")
    return np.array(pooled.shape)


for name in "adaptive_average_pool", "adaptive_max_pool":
    wrong(name, declared(name, (1, 6, 6, 2), (2, 3)), [1, 2, 3, 2], seen=[1, 6, 2, 3, 2])
    wrong(name + " of one axis", declared(name, (1, 6, 2), (2,)), [1, 2, 2], seen=[1, 6, 2, 2])
    right(name + ", channels first", declared(name, (1, 2, 6, 6), (2, 3), "channels_first"), [1, 2, 2, 3])
right("the call itself", with_keras("numpy", found), [1, 2, 3, 2])
verdict()
