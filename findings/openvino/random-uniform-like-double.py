"""
title: RandomUniformLike of float64 is refused; it is a valid model.
library: openvino
shows: 2024.6.0, 2026.4.1
class: bug
condition: The result is float64, by dtype or because the input is.  float32 is right.
rule: ONNX RandomUniformLike-1, type constraint T2: float16, float, double.
documented: data/quirks.tsv, RandomUniformLike
tracker: https://github.com/openvinotoolkit/openvino/issues/21174 (closed)
"""
import numpy as np

from library import Refused, model, right, run, verdict, wrong


def between(kind, dtype):
    """1 for each number between 0 and 1; what they are is chance."""
    m = model("(float[2] x) => (%s[2] y) { y = RandomUniformLike%s(x) }" % (kind, dtype))

    def call():
        y = run(m, [1, 2])[0]
        return np.logical_and(y >= 0, y < 1)
    return call


def same_type():
    m = model("(double[2] x) => (double[2] y) { y = RandomUniformLike(x) }")
    y = run(m, [1, 2])[0]
    return np.logical_and(y >= 0, y < 1)


wrong("dtype float64", between("double", "<dtype = 11>"), [True, True], seen=Refused("RandomUniformLike"))
wrong("of float64, no dtype", same_type, [True, True], seen=Refused("RandomUniformLike"))
right("of float32, no dtype", between("float", ""), [True, True])
verdict()
