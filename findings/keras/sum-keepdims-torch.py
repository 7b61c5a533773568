"""
title: keras.ops.sum, prod, max, min, amax and amin with keepdims=True over all axes give a number without axes with
    PyTorch.
library: keras
shows: 3.15.1
class: bug
condition: With PyTorch, axis=None and keepdims=True.  With an axis, or with NumPy, it is right; so is mean.
rule: keras.ops.sum, "keepdims": axes that are reduced are left in the result as dimensions with size one.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/pull/23535 (merged; no release has it yet)
"""
from library import array, right, verdict, with_keras, wrong

RIGHT = {"sum": 10, "prod": 24, "max": 4, "min": 1, "amax": 4, "amin": 1, "mean": 2.5}


def call(name, axis=None):
    return lambda ops, np: getattr(ops, name)(np.array([[1, 2], [3, 4]], "float32"), axis=axis, keepdims=True)


for name, number in RIGHT.items():
    expected = array([1, 1], [number])
    if name == "mean":
        right("mean with torch", with_keras("torch", call(name)), expected)
    else:
        wrong(f"{name} with torch", with_keras("torch", call(name)), expected, seen=array([], [number]))
right("sum with numpy", with_keras("numpy", call("sum")), array([1, 1], [10]))
right("sum over both axes with torch", with_keras("torch", call("sum", (0, 1))), array([1, 1], [10]))
verdict()
