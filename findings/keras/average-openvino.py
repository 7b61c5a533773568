"""
title: keras.ops.average of 1, 2 with weights 3, 1 with OpenVINO is 2.5, not 1.25: it divides by how many there are.
library: keras
shows: 3.15.1
class: bug
condition: With OpenVINO and weights.  With NumPy it is right.
rule: numpy.average, whose interface it has, divides by the sum of the weights.
documented: docs/backends.md, Keras
tracker: https://github.com/keras-team/keras/issues/23250 (closed; the fix is in
    https://github.com/keras-team/keras/pull/23249)
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.average(np.array([1, 2], "float32"), weights=np.array([3, 1], "float32"))


RIGHT = array([], 1.25)
wrong("with openvino", with_keras("openvino", call), RIGHT, seen=2.5, rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
