"""
title: keras.ops.logaddexp(-inf, -inf) with OpenVINO is NaN, not -inf.
library: keras
shows: 3.15.1
class: bug
condition: With OpenVINO, two equal infinities.  With NumPy it is right.
rule: log(exp(-inf) + exp(-inf)) is log 0.
documented: docs/backends.md, Keras
tracker: none found
"""
from library import array, right, verdict, with_keras, wrong


def call(ops, np):
    return ops.logaddexp(np.array([-np.inf], "float32"), np.array([-np.inf], "float32"))


RIGHT = array([1], [float("-inf")])
wrong("with openvino", with_keras("openvino", call), RIGHT, seen=[float("nan")], rel=1e-3, abs=1e-6)
right("with numpy", with_keras("numpy", call), RIGHT, rel=1e-3, abs=1e-6)
verdict()
