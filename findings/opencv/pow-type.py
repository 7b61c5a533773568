"""
title: Pow of an int32 by a float is of float32; it has the type of the base.
library: OpenCV
shows: 5.0.0
class: bug
condition: A base of whole numbers and an exponent of floats.
rule: ONNX Pow-15: the result is of T, the type of the base.
documented: data/quirks.tsv, Pow
tracker: https://github.com/opencv/opencv/pull/29124 (merged; the change that made the result a float, on purpose)
"""
import numpy as np

from library import array, call, right, verdict, wrong

def power(kind):
    return call("(int32[2] x, %s[2] e) => (int32[2] y) { y = Pow(x, e) }" % kind, [2, 3], [2, 2], opset=15)


wrong("by floats", power("float"), array([2], [4, 9], np.int32), seen=array([2], [4, 9], np.float32))
right("by int32", power("int32"), array([2], [4, 9], np.int32))
verdict()
