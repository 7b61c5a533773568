"""
title: keras.ops.linspace(0, 10, 4) as int32 with OpenVINO ends at 9, not 10: its step is an integer.
library: keras
shows: 3.15.1
class: bug
condition: With OpenVINO, dtype int32.  With NumPy it is right.
rule: The documentation: stop is the end of the sequence.
documented: docs/backends.md, Keras
tracker: none found
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.linspace(0, 10, 4, dtype="int32")


RIGHT = array([4], [0, 3, 6, 10], "int32")
wrong("with openvino", with_keras("openvino", call), RIGHT, seen=[0, 3, 6, 9], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
