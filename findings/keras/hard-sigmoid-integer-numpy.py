"""
title: keras.ops.hard_sigmoid and hard_silu of whole numbers lose the half that is added with NumPy.
library: keras
shows: 3.15.1
class: bug
condition: With NumPy, tensors of whole numbers: 0.5 becomes one of their type, 0.  Of floats it is right.
rule: keras.ops.hard_sigmoid: x / 6 + 0.5 between -3 and 3.
documented: docs/methods/equiv.md, Documented functions: what is wrong
tracker: https://github.com/keras-team/keras/issues/23544 (open)
"""
from library import array, right, verdict, with_keras, wrong


def call(name, kind):
    return lambda ops, np: getattr(ops, name)(np.array([-6, 0, 2, 4], kind))


RIGHT = array([4], [0, 0.5, 5 / 6, 1])
wrong("hard_sigmoid with numpy", with_keras("numpy", call("hard_sigmoid", "int32")), RIGHT, seen=[0, 0, 1 / 3, 2 / 3],
      rel=1e-5)
wrong("hard_silu with numpy", with_keras("numpy", call("hard_silu", "int32")), array([4], [0, 0, 5 / 3, 4]),
      seen=[0, 0, 2 / 3, 8 / 3], rel=1e-5)
right("of floats", with_keras("numpy", call("hard_sigmoid", "float32")), RIGHT, rel=1e-5)
verdict()
