"""
title: keras.ops.rfft of whole numbers is cut to whole numbers with NumPy.
library: keras
shows: 3.15.1
class: bug
condition: With NumPy, tensors of whole numbers: the result gets the input's type.  Of floats, and with PyTorch, rfft is
    right.
rule: keras.ops.rfft: the discrete Fourier transform of a real-valued signal.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: none found
"""
from library import array, right, verdict, with_keras, wrong


def real_part(kind):
    return lambda ops, np: ops.rfft(np.array([[2, -1, 4]], kind))[0]


# 2 - 1 + 4; 2 - (4 - 1) / 2
RIGHT = array([1, 2], [5, 0.5])
wrong("with numpy", with_keras("numpy", real_part("int32")), RIGHT, seen=[5, 0], rel=1e-5)
right("of floats with numpy", with_keras("numpy", real_part("float32")), RIGHT, rel=1e-5)
right("with torch", with_keras("torch", real_part("int32")), RIGHT, rel=1e-5)
verdict()
