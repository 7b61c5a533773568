"""
title: keras.ops.gelu of whole numbers is 0 with NumPy below Keras; of 5 it is 4.9999995.
library: keras
shows: 3.15.1
class: bug
condition: Tensors of whole numbers, approximate=True, which is the default.  Of floats it is right; PyTorch and
    TensorFlow refuse whole numbers.
rule: keras.ops.gelu: 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))).
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/issues/23528 (closed; fixed after 3.15.1)
"""
from library import right, verdict, with_keras, wrong


def gelu(kind):
    return with_keras("numpy", lambda ops, np: ops.gelu(np.array([5, 3], kind)))


wrong("int32", gelu("int32"), [4.9999995, 2.9963627], seen=[0, 0])
right("float32", gelu("float32"), [4.9999995, 2.9963627])
verdict()
