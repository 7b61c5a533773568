"""
title: keras.ops.linspace(0.0, 10.0, 1) with OpenVINO is NaN, not 0.
library: keras
shows: 3.15.1
class: bug
condition: With OpenVINO, num 1.  With NumPy it is right.
rule: The documentation: the first of num evenly spaced samples is start.
documented: docs/backends.md, Keras
tracker: none found
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.linspace(0.0, 10.0, 1)


RIGHT = array([1], [0])
wrong("with openvino", with_keras("openvino", call), RIGHT, seen=[float('nan')], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
