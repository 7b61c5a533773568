"""
title: keras.ops.erfinv(1) with OpenVINO is NaN, not infinity.
library: keras
shows: 3.15.1
class: bug
condition: With OpenVINO, at ±1.  With NumPy it is right.
rule: erf is 1 at infinity.
documented: docs/backends.md, Keras
tracker: https://github.com/keras-team/keras/pull/23140 (merged; takes OpenVINO's own operator, right at ±1)
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.erfinv(np.array([1], "float32"))


RIGHT = array([1], [float("inf")])
wrong("with openvino", with_keras("openvino", call), RIGHT, seen=[float("nan")], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
