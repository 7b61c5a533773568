"""
title: Reshape of a constant shape ignores allowzero: [0, 3] to [3, 0] becomes [3, 3] of memory that was not set.
library: openvino
shows: 2024.6.0, 2026.1.0
until: 2026.1.0 (2026.4.1 is right)
class: bug
condition: allowzero = 1 and a 0 in the shape.
rule: ONNX Reshape-14, attribute allowzero: with 1 a 0 means 0 elements.
documented: data/quirks.tsv, Reshape
tracker: https://github.com/openvinotoolkit/openvino/pull/36046 (merged; the fix)
"""
import numpy as np

from library import array, model, right, run, verdict, wrong

empty = model("(float[0,3] x) => (float[3,0] y) <int64[2] s = {3, 0}> { y = Reshape<allowzero = 1>(x, s) }", opset=14)
wrong("the shape of [0, 3] as [3, 0]", lambda: np.array(run(empty, np.zeros((0, 3)))[0].shape), [3, 0], seen=[3, 3])
plain = model("(float[2,3] x) => (float[3,2] y) <int64[2] s = {3, 2}> { y = Reshape<allowzero = 1>(x, s) }", opset=14)
right("[2, 3] as [3, 2]", lambda: run(plain, range(6)), array([3, 2], range(6)))
verdict()
