"""
title: keras.ops.rms_normalization and layer_normalization of whole numbers are cut to whole numbers.
library: keras
shows: 3.15.1
class: bug
condition: Tensors of whole numbers, with NumPy and PyTorch alike: the result gets the input's type.  Of floats it is
    right.
rule: keras.ops.rms_normalization: x is divided by the root of the mean of its squares.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/issues/23708 (open)
"""
from library import array, right, verdict, with_keras, wrong


def call(name, kind):
    return lambda ops, np: getattr(ops, name)(np.array([[1, 7]], kind))


# the mean of 1 and 49 is 25; 1 and 7 are 3 off their mean, 4
for arrays in "numpy", "torch":
    wrong(f"rms_normalization with {arrays}", with_keras(arrays, call("rms_normalization", "int32")),
          array([1, 2], [0.2, 1.4]), seen=[0, 1], rel=1e-3)
    right(f"floats with {arrays}", with_keras(arrays, call("rms_normalization", "float32")),
          array([1, 2], [0.2, 1.4]), rel=1e-3)
verdict()
