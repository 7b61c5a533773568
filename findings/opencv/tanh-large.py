"""
title: Tanh of numbers above 44.4 is NaN.
library: OpenCV
shows: 5.0.0
class: bug
condition: eight elements; exp(2x) is beyond float32.  A single element, and large negative numbers, are right.
rule: ONNX Tanh: the hyperbolic tangent, which is 1 for large numbers.
documented: docs/campaign.md, Rewriters and engines
tracker: none found; https://github.com/opencv/opencv/pull/28836 (merged) mends the same in Gelu
"""
from library import call, right, verdict, wrong

TEXT = "(float[1, 8] x) => (float[1, 8] y) { y = Tanh(x) }"

wrong("large numbers", call(TEXT, [45] * 8), [1] * 8, seen=[float("nan")] * 8)
right("smaller ones", call(TEXT, [44] * 8), [1] * 8)
verdict()
