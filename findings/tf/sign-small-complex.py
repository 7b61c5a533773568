"""
title: tf.sign(1e-30) of complex64 is 0; 1 is right.
library: tensorflow-cpu
shows: 2.21.0
class: bug
condition: complex64, eager or in a graph: numbers whose square is too small for float32, and 3e38 + 3e38j, whose
    magnitude overflows.  Compiled by XLA 1e-30 is right.
rule: tf.sign: x / |x| of a complex number other than 0.
documented: docs/methods/equiv.md, Documented functions
tracker: https://github.com/tensorflow/tensorflow/issues/116945
"""
import numpy as np

from library import called, right, verdict, wrong

def c64(*values):
    return np.array(values, np.complex64)


wrong("1e-30", called(lambda tf, x: tf.sign(x), c64(1e-30)), c64(1), seen=c64(0))
right("1e-30, compiled by XLA", called(lambda tf, x: tf.sign(x), c64(1e-30), how="xla"), c64(1))
right("1e-10", called(lambda tf, x: tf.sign(x), c64(1e-10)), c64(1))
right("-2.8e38", called(lambda tf, x: tf.sign(x), c64(-2.8e38)), c64(-1))
verdict()
