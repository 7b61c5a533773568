"""
title: keras.ops.sparse_sigmoid, leaky_relu and soft_shrink of whole numbers are cut to whole numbers with NumPy below
    Keras.
library: keras
shows: 3.15.1
class: bug
condition: Tensors of whole numbers.  Of floats they are right.
rule: keras.ops.sparse_sigmoid(0) is 0.5, leaky_relu(-3) is -0.2 * 3, soft_shrink(3) is 3 - 0.5.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/issues/23702 (open)
"""
from library import right, verdict, with_keras, wrong


def call(name, kind):
    return with_keras("numpy", lambda ops, np: getattr(ops, name)(np.array([-3, 0, 3], kind)))


for name, expected, seen in (("sparse_sigmoid", [0, 0.5, 1], [0, 0, 1]), ("leaky_relu", [-0.6, 0, 3], [0, 0, 3]),
                             ("soft_shrink", [-2.5, 0, 2.5], [-2, 0, 2])):
    wrong(name + " of int32", call(name, "int32"), expected, seen=seen)
    right(name + " of float32", call(name, "float32"), expected)
verdict()
