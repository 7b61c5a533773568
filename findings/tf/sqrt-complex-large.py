"""
title: tf.math.sqrt(3e38) of complex64 is inf; 1.73e19 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: complex64 on a CPU, numbers whose size is above half of the largest float32.  XLA, and 1e38, are right.
rule: tf.math.sqrt: the square root of each element; it fits the type.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong


def root(x, how="eager"):
    return called(lambda tf, t: tf.math.sqrt(t), np.array([x], np.complex64), how=how)


def exact(x):
    return np.sqrt(np.array([x], np.complex128)).astype(np.complex64)


wrong("3e38", root(3e38), exact(3e38), abs=0, rel=1e-4)
right("1e38", root(1e38), exact(1e38), abs=0, rel=1e-4)
right("3e38, XLA", root(3e38, "xla"), exact(3e38), abs=0, rel=1e-4)
verdict()
