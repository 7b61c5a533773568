"""
title: tf.math.log is -103.97 for each subnormal number; of 1.1e-38 it is -87.4, and of 0 it is -inf.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: float32, CPU, numbers below 1.18e-38, in a tensor of fewer than 8 elements, and what is left behind the last
    8 of a larger one; lgamma too, and pow, whose 1.1e-38 to the power of 0.5 is 2.6e-23 for 1e-19.  Each is taken for
    2^-150, which is less than any of them.  In full eights they are taken for 0; normal numbers are right.
rule: tf.math.log: the natural logarithm; where a subnormal number is taken for 0 it is -inf.
documented: docs/methods/fuzz.md, Found
tracker: https://github.com/tensorflow/tensorflow/issues/121499 is about lgamma of the smallest one
found: fuzz
"""
import numpy as np

from library import called, right, verdict, wrong


def log(x, n=1):
    return called(lambda tf, a: tf.math.log(a)[-1], np.full(n, x, np.float32))


def root(x, n=1):
    """1e19 times it, so that it is no small number."""
    return called(lambda tf, a, b: (tf.pow(a, b) * 1e19)[-1], np.full(n, x, np.float32), np.full(n, 0.5, np.float32))


wrong("log(1.1e-38)", log(1.1e-38), -87.40292, seen=-103.97208)
wrong("log(1e-40)", log(1e-40), -92.10340, seen=-103.97208)
wrong("log(1e-40), the last of 9", log(1e-40, 9), -92.10340, seen=-103.97208)
wrong("1.1e-38 to the power of 0.5, times 1e19", root(1.1e-38), 1.0488088, seen=2.646978e-4)
right("log(1.2e-38)", log(1.2e-38), -87.31591)
right("log(0)", log(0.0), -np.inf)
right("1.2e-38 to the power of 0.5, times 1e19", root(1.2e-38), 1.0954451)
verdict()
