"""
title: tf.math.rsqrt(1e30 + 1e30 i) of complex64 is 7.8e-16 + 0 i; 7.8e-16 - 3.2e-16 i is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: complex64 on a CPU, numbers of 1e30 and more; of 3e38 + 3e38 i it is NaN.  XLA, and 1e20 + 1e20 i, are
    right.
rule: tf.math.rsqrt: y = 1 / sqrt(x); both parts of it fit the type.
documented: docs/methods/equiv.md, Documented functions
tracker: none found
"""
import numpy as np

from library import called, right, verdict, wrong


def inverse_root(x, how="eager"):
    return called(lambda tf, t: tf.math.rsqrt(t), np.array([x], np.complex64), how=how)


def exact(x):
    return (1 / np.sqrt(np.array([x], np.complex128))).astype(np.complex64)


wrong("1e30 + 1e30 i", inverse_root(1e30 + 1e30j), exact(1e30 + 1e30j), abs=0, rel=1e-4)
wrong("3e38 + 3e38 i", inverse_root(3e38 + 3e38j), exact(3e38 + 3e38j), abs=0, rel=1e-4)
right("1e20 + 1e20 i", inverse_root(1e20 + 1e20j), exact(1e20 + 1e20j), abs=0, rel=1e-4)
right("1e30 + 1e30 i, XLA", inverse_root(1e30 + 1e30j, "xla"), exact(1e30 + 1e30j), abs=0, rel=1e-4)
verdict()
