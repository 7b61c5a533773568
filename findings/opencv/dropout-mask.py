"""
title: Dropout's mask is the data, of float32; it is all true, of bool.
library: OpenCV
shows: 5.0.0
class: bug
condition: The second output is asked for.
rule: ONNX Dropout-13, output mask: T2, which is bool.
documented: data/quirks.tsv, Dropout
tracker: none found; https://github.com/opencv/opencv/pull/29783 (merged) is about Dropout as a whole
"""
import numpy as np

from library import array, call, right, verdict, wrong

wrong("mask", call("(float[2] x) => (float[2] y, bool[2] m) { y, m = Dropout(x) }", [3, 2]),
      (array([2], [3, 2]), array([2], [1, 1], bool)), seen=(array([2], [3, 2]), array([2], [3, 2], np.float32)))
right("without", call("(float[2] x) => (float[2] y) { y = Dropout(x) }", [3, 2]), [3, 2])
verdict()
