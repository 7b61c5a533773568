"""
title: keras.ops.arctan2(-0.0, -1) with OpenVINO is π, not -π.
library: keras
shows: 3.15.1
class: bug
condition: With OpenVINO, a negative zero.  With NumPy it is right.
rule: numpy.arctan2, whose interface it has: the sign of a zero counts.
documented: docs/backends.md, Keras
tracker: none found; https://github.com/keras-team/keras/pull/22064 is about NaN in the same function
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.arctan2(np.array([-0.0], "float32"), np.array([-1], "float32"))


RIGHT = array([1], [-3.14159265])
wrong("with openvino", with_keras("openvino", call), RIGHT, seen=[3.14159265], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
