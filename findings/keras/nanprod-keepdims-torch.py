"""
title: keras.ops.nanprod and ptp over all axes forget keepdims=True with PyTorch below Keras.
library: keras
shows: 3.15.1
class: bug
condition: No axis is given.  With axis=0, and with NumPy, it is right.
rule: keras.ops.nanprod, ptp: with keepdims=True the axes that are reduced are left with size one.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/pull/23535 (of sum and others; of these two none found)
"""
from library import array, right, verdict, with_keras, wrong


def call(arrays, name, **how):
    return with_keras(arrays, lambda ops, np: getattr(ops, name)(np.full((2, 3), 1, "float32"), keepdims=True, **how))


for name, expected in ("nanprod", 1.), ("ptp", 0.):
    wrong(name, call("torch", name), array([1, 1], [expected]), seen=array([], [expected]))
    right(name + " along an axis", call("torch", name, axis=0), array([1, 3], [expected] * 3))
right("nanprod with NumPy", call("numpy", "nanprod"), array([1, 1], [1.]))
verdict()
