"""
title: keras.ops.var of 10000, 10001, 10002 with OpenVINO is 0, not 2/3.
library: keras
shows: 3.15.1
class: precision
condition: With OpenVINO.  With NumPy it is right.
rule: The variance of three numbers one apart is 2/3.
documented: docs/backends.md, Keras
tracker: none found; https://github.com/keras-team/keras/pull/21774 is about the rounding of var of small numbers
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.var(np.array([1e4, 10001, 10002], "float32"))


RIGHT = array([], 2 / 3)
wrong("with openvino", with_keras("openvino", call), RIGHT, seen=0, rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
